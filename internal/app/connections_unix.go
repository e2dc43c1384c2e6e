//go:build unix

package app

import "golang.org/x/sys/unix"

// descriptors returns the limit of open files and connections. Go has already raised it to the
// process's hard limit.
func descriptors() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return unlimited
	}
	return int(min(uint64(limit.Cur), unlimited))
}
