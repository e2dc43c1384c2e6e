package mapped

import "golang.org/x/sys/unix"

// askHugePages asks the kernel to use pages of 2 MiB for mem. With pages of 4 KiB, the page faults
// of fresh memory cost as much as copying rows into it.
func askHugePages(mem []byte) {
	_ = unix.Madvise(mem, unix.MADV_HUGEPAGE) // without huge pages the kernel uses small ones
}
