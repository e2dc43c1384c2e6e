// Package vfs is the one door to the file system: what reaches a disk, when it
// is durable, and how a test makes a disk fail.
//
// Durability is said by three calls and by nothing else. [File.Sync] makes a
// file's bytes durable, [FS.SyncDir] makes a folder's names durable, and
// [WriteFile] combines both so that a file appears whole or not at all. A file that is not published this way must be readable in
// any state of tearing; only the write-ahead log and SQLite are.
//
// Three implementations: [OS] is the real one, [Crashable] remembers in memory
// what a power failure would leave, [Failing] wraps any of them and fails the
// operations a test names. The interface has an unexported method on purpose:
// rename can be reached only through WriteFile.
package vfs

import "io"

// TempSuffix ends the name of every file that is not published yet. After a crash
// such a file is garbage: nothing refers to it.
const TempSuffix = ".tmp"

// FS is a file system. Paths are the operating system's (package path/filepath).
// All methods may be called concurrently.
//
// Errors carry a base.Kind: StorageFull for a full disk or quota, NotFound for a
// path that is not there (errors.Is fs.ErrNotExist), Conflict for one that is
// (errors.Is fs.ErrExist), Unavailable for every other refusal of the operating
// system.
type FS interface {
	// Create makes a new file, empty, for reading and writing. The file must not
	// exist. Its name is durable after SyncDir of its folder.
	Create(path string) (File, error)
	// Open opens an existing file for reading.
	Open(path string) (Reader, error)
	// OpenReadWrite opens an existing file for reading and writing.
	OpenReadWrite(path string) (File, error)
	// Mkdir makes one folder, whose parent exists. See [MkdirAll].
	Mkdir(path string) error
	// List returns the names (not paths) in a folder, sorted.
	List(dir string) ([]string, error)
	// Stat describes a path without following a symbolic link.
	Stat(path string) (Info, error)
	// Remove removes a file or an empty folder. It is durable after SyncDir.
	Remove(path string) error
	// SyncDir makes the names in a folder durable: what was created, renamed or
	// removed there.
	SyncDir(dir string) error
	// Lock takes the exclusive lock that the file at path stands for, creating the
	// file if needed, until the Closer is closed or the process ends. A lock that
	// somebody else holds is a Conflict at once.
	Lock(path string) (io.Closer, error)
	// FreeSpace returns how many bytes can still be written below dir.
	FreeSpace(dir string) (bytes uint64, err error)

	// rename replaces newPath by oldPath, in one folder, atomically. For WriteFile alone.
	rename(oldPath, newPath string) error
}

// Reader is a file open for reading. ReadAt may be called concurrently.
type Reader interface {
	io.ReaderAt
	io.Closer
	// Size returns the file's length in bytes.
	Size() (int64, error)
}

// File is a file open for reading and writing at any offset.
type File interface {
	Reader
	io.WriterAt
	// Truncate sets the length in bytes; a longer file ends in zeros.
	Truncate(size int64) error
	// Allocate reserves space for bytes [0, size) and, where the file system can,
	// makes the file at least that long, new bytes being zero. Where it cannot,
	// it does nothing. Writes into reserved space do not change the file's
	// metadata, which makes the Sync after them cheaper.
	Allocate(size int64) error
	// Sync makes all bytes written so far and the length durable. After an error
	// nobody knows which bytes are (the kernel may have dropped them and calls them
	// clean): do not retry on the same file.
	Sync() error
}

// Info describes a path.
type Info struct {
	Size  int64 // bytes; 0 for a folder
	IsDir bool
}
