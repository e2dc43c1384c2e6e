package harness

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// clockTicks is the number of ticks per second in Linux's /proc/PID/stat (USER_HZ). It is 100 on
// every platform that Go supports.
const clockTicks = 100

// Process is the id of a running process. Its methods read what Linux counts for the process.
type Process int

// Process returns the process id of the server.
func (s *Server) Process() Process { return Process(s.process.Process.Pid) }

// CPU returns the processor time of the server and of its ended child processes, in seconds: user
// time plus system time.
func (s *Server) CPU() (float64, error) { return s.Process().CPU() }

// PeakRSS returns the largest resident memory that the server has had, in bytes.
func (s *Server) PeakRSS() (int64, error) { return s.Process().PeakRSS() }

// CPU returns the processor time of the process and of its ended child processes, in seconds: user
// time plus system time.
func (p Process) CPU() (float64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
	if err != nil {
		return 0, base.Errorf(base.Unavailable, "processor time: %w", err)
	}
	// The second field is the name of the process in parentheses, which may contain any character.
	// So the fields are counted from the last closing parenthesis.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	ticks := 0
	for _, at := range []int{11, 12, 13, 14} { // utime, stime, cutime and cstime, in ticks
		n, err := strconv.Atoi(fields[at])
		if err != nil {
			return 0, base.Errorf(base.Internal, "/proc/%d/stat: %w", p, err)
		}
		ticks += n
	}
	return float64(ticks) / clockTicks, nil
}

// PeakRSS returns the largest resident memory of the process, in bytes, since the process started
// or since the last call of ForgetPeak.
func (p Process) PeakRSS() (int64, error) {
	kb, err := p.field("status", "VmHWM")
	return kb << 10, err
}

// ForgetPeak sets the peak (see PeakRSS) to the memory that the process uses at present.
func (p Process) ForgetPeak() error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p), []byte("5"), 0); err != nil {
		return base.Errorf(base.Unavailable, "forget the peak of memory: %w", err)
	}
	return nil
}

// Written returns how many bytes the process has written to file systems on disks.
func (p Process) Written() (int64, error) { return p.field("io", "write_bytes") }

// field returns a number from one of the files that Linux has for the process below /proc. The file
// has lines of the form "name: value [kB]". The number is in the unit of the line.
func (p Process) field(file, name string) (int64, error) {
	path := fmt.Sprintf("/proc/%d/%s", p, file)
	n, err := strconv.ParseInt(strings.TrimSuffix(procField(path, name), " kB"), 10, 64)
	if err != nil {
		return 0, base.Errorf(base.Unavailable, "%s of %s: %w", name, path, err)
	}
	return n, nil
}

// Use says how long some work took, and how much processor time the server used for it.
type Use struct {
	Wall time.Duration
	CPU  float64 // CPU is the processor time of the server in seconds.
}

// Measure calls work. It returns how long that took, and how much processor time the server used
// meanwhile.
func (s *Server) Measure(work func() error) (Use, error) {
	before, err := s.CPU()
	if err != nil {
		return Use{}, err
	}
	started := time.Now()
	if err := work(); err != nil {
		return Use{}, err
	}
	u := Use{Wall: time.Since(started)}
	after, err := s.CPU()
	u.CPU = after - before
	return u, err
}
