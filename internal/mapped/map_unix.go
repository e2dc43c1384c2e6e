//go:build unix

package mapped

import "golang.org/x/sys/unix"

// mapMemory returns n bytes of zeros from the operating system, aligned to a page.
func mapMemory(n int) ([]byte, error) {
	mem, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		askHugePages(mem)
	}
	return mem, err
}

// unmapMemory gives back what mapMemory returned.
func unmapMemory(mem []byte) error { return unix.Munmap(mem) }
