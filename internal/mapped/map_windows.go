package mapped

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapMemory returns n bytes of zeros from the operating system, aligned to a page.
func mapMemory(n int) ([]byte, error) {
	address, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The memory is not the Go heap's; a conversion that vet accepts goes through the address of the address.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), n), nil
}

// unmapMemory gives back what mapMemory returned.
func unmapMemory(mem []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(mem))), 0, windows.MEM_RELEASE)
}
