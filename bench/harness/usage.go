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

// clockTicks is Linux's USER_HZ, the unit of /proc/PID/stat: 100 on every platform Go runs on.
const clockTicks = 100

// CPU returns the seconds of processor time that the server and its ended children took, user
// and system.
func (s *Server) CPU() (float64, error) { return processCPU(s.process.Process.Pid) }

func processCPU(pid int) (float64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, base.Errorf(base.Unavailable, "processor time: %w", err)
	}
	// The name, in brackets, may hold anything: fields are counted behind it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	ticks := 0
	for _, at := range []int{11, 12, 13, 14} { // utime, stime, cutime, cstime
		n, err := strconv.Atoi(fields[at])
		if err != nil {
			return 0, base.Errorf(base.Internal, "/proc/%d/stat: %w", pid, err)
		}
		ticks += n
	}
	return float64(ticks) / clockTicks, nil
}

// PeakRSS returns the most memory that the server has held, in bytes.
func (s *Server) PeakRSS() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		return 0, base.Errorf(base.Unavailable, "memory: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kb), "kB")), 10, 64)
			if err != nil {
				return 0, base.Errorf(base.Internal, "VmHWM: %w", err)
			}
			return n << 10, nil
		}
	}
	return 0, base.Errorf(base.Internal, "no VmHWM in the process's status")
}

// Use is what some work took.
type Use struct {
	Wall time.Duration
	CPU  float64 // seconds of the server's processor time
}

// Measure runs work and returns what it took.
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
