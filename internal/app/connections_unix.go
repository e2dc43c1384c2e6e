//go:build unix

package app

import "golang.org/x/sys/unix"

// descriptors returns the maximum number of open files and connections of this process. Go has
// already raised it to the hard limit.
func descriptors() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return unlimited
	}
	return int(min(uint64(limit.Cur), unlimited))
}
