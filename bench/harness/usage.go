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

// clockTicks is Linux's USER_HZ, the unit of /proc/PID/stat. It is 100 on every platform that Go
// supports.
const clockTicks = 100

// Process is the id of a running process. Its methods read Linux's counters of the process.
type Process int

// Process returns the process of the server.
func (s *Server) Process() Process { return Process(s.process.Process.Pid) }

// CPU returns the processor time of the server and its ended children, user and system, in seconds.
func (s *Server) CPU() (float64, error) { return s.Process().CPU() }

// PeakRSS returns the server's peak resident memory, in bytes.
func (s *Server) PeakRSS() (int64, error) { return s.Process().PeakRSS() }

// CPU returns the processor time of the process and its ended children, user and system, in
// seconds.
func (p Process) CPU() (float64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
	if err != nil {
		return 0, base.Errorf(base.Unavailable, "processor time: %w", err)
	}
	// The process name, in brackets, may contain any character. So count the fields after it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	ticks := 0
	for _, at := range []int{11, 12, 13, 14} { // utime, stime, cutime, cstime
		n, err := strconv.Atoi(fields[at])
		if err != nil {
			return 0, base.Errorf(base.Internal, "/proc/%d/stat: %w", p, err)
		}
		ticks += n
	}
	return float64(ticks) / clockTicks, nil
}

// PeakRSS returns the peak resident memory since the start of the process or since ForgetPeak, in
// bytes.
func (p Process) PeakRSS() (int64, error) {
	kb, err := p.field("status", "VmHWM")
	return kb << 10, err
}

// ForgetPeak resets the peak of PeakRSS to the current memory.
func (p Process) ForgetPeak() error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p), []byte("5"), 0); err != nil {
		return base.Errorf(base.Unavailable, "forget the peak of memory: %w", err)
	}
	return nil
}

// Written returns the bytes that the process has written to file systems on disks.
func (p Process) Written() (int64, error) { return p.field("io", "write_bytes") }

// field returns a number from one of the process's files of "name: value [kB]" lines.
func (p Process) field(file, name string) (int64, error) {
	path := fmt.Sprintf("/proc/%d/%s", p, file)
	n, err := strconv.ParseInt(strings.TrimSuffix(procField(path, name), " kB"), 10, 64)
	if err != nil {
		return 0, base.Errorf(base.Unavailable, "%s of %s: %w", name, path, err)
	}
	return n, nil
}

// Use is the time that some work took.
type Use struct {
	Wall time.Duration
	CPU  float64 // seconds of the server's processor time
}

// Measure runs work and returns the time that it took.
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
