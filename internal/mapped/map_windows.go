package mapped

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapMemory returns n zero bytes from the operating system. The address of the first byte is a
// multiple of the page size.
func mapMemory(n int) ([]byte, error) {
	address, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The memory is not part of the Go heap. The tool vet would refuse to convert the address to a
	// pointer directly, but accepts it through a pointer to the variable.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), n), nil
}

// unmapMemory frees memory that mapMemory allocated: the operating system gets it back.
func unmapMemory(mem []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(mem))), 0, windows.MEM_RELEASE)
}
