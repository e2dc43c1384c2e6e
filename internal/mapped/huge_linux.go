package mapped

import "golang.org/x/sys/unix"

// askHugePages asks for pages of 2 MiB: touching rows for the first time by pages of 4 KiB costs as much as
// copying them.
func askHugePages(mem []byte) {
	_ = unix.Madvise(mem, unix.MADV_HUGEPAGE) // a kernel without them has small ones
}
