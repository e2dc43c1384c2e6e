//go:build unix

package decode

import (
	"syscall"

	"github.com/scoterdb/scoter/internal/base"
)

// cpuSeconds returns the processor time of this process in seconds: the sum of user and system
// time.
func cpuSeconds() (float64, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, base.Errorf(base.Unavailable, "processor time: %w", err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, nil
}
