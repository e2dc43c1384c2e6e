//go:build !unix

package decode

import "github.com/scoterdb/scoter/internal/base"

// cpuSeconds returns an error: this system does not have getrusage.
func cpuSeconds() (float64, error) {
	return 0, base.Errorf(base.Unavailable, "processor time is measured on Unix only")
}
