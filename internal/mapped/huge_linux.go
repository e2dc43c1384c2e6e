package mapped

import "golang.org/x/sys/unix"

// askHugePages asks the kernel to use pages of 2 MiB for mem. With pages of 4 KiB, the page faults
// on first use of the memory would cost as much as copying rows into it.
func askHugePages(mem []byte) {
	_ = unix.Madvise(mem, unix.MADV_HUGEPAGE) // if the kernel has no huge pages, it uses small ones
}
