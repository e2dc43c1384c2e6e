//go:build unix

package app

import "golang.org/x/sys/unix"

// descriptors returns how many files and connections the process may have open. Go has raised that to the most that the system allows the process.
func descriptors() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return unlimited
	}
	return int(min(uint64(limit.Cur), unlimited))
}
