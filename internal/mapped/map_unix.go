//go:build unix

package mapped

import "golang.org/x/sys/unix"

// mapMemory returns n zero bytes from the operating system. The address of the first byte is a
// multiple of the page size.
func mapMemory(n int) ([]byte, error) {
	mem, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		askHugePages(mem)
	}
	return mem, err
}

// unmapMemory frees memory that mapMemory allocated: the operating system gets it back.
func unmapMemory(mem []byte) error { return unix.Munmap(mem) }
