//go:build unix

package mapped

import "golang.org/x/sys/unix"

// mapMemory returns n zero bytes from the operating system, aligned to a page.
func mapMemory(n int) ([]byte, error) {
	mem, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		askHugePages(mem)
	}
	return mem, err
}

// unmapMemory returns memory from mapMemory to the operating system.
func unmapMemory(mem []byte) error { return unix.Munmap(mem) }
