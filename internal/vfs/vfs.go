// Package vfs is the only way in which Scoter accesses the file system. It defines when data is
// durable, and lets tests make a disk fail.
//
// Three calls make data durable:
//   - [File.Sync] makes the bytes of a file durable.
//   - [FS.SyncDir] makes the names in a folder durable.
//   - [WriteFile] does both, so that a file appears whole or not at all.
//
// A file that is not written by WriteFile may be incomplete after a crash, and its reader must
// handle that. Only the write-ahead log and SQLite write such files.
//
// There are three implementations of [FS]. [OS] is the real file system. [Crashable] is in memory,
// and knows which data would survive a power failure. [Failing] wraps another file system, and
// makes the operations fail that a test selects. The interface has an unexported method, rename, so
// that only WriteFile can rename files.
package vfs

import "io"

// TempSuffix is the end of the name of a file that WriteFile is still writing. Nothing refers to
// such a file, so after a crash it can be removed.
const TempSuffix = ".tmp"

// FS is a file system. Paths are those of the operating system (package path/filepath). All methods
// may be called concurrently.
//
// Errors have a base.Kind:
//   - StorageFull: the disk or the quota is full.
//   - NotFound: the path does not exist (errors.Is fs.ErrNotExist).
//   - Conflict: the path exists already (errors.Is fs.ErrExist).
//   - Unavailable: any other error of the operating system.
type FS interface {
	// Create makes a new, empty file and opens it for reading and writing. If the file exists
	// already, the error is Conflict. The file's name is durable after SyncDir of its folder.
	Create(path string) (File, error)
	// Open opens an existing file for reading.
	Open(path string) (Reader, error)
	// OpenReadWrite opens an existing file for reading and writing.
	OpenReadWrite(path string) (File, error)
	// Mkdir makes one folder. Its parent folder must exist. [MkdirAll] also makes missing parents.
	Mkdir(path string) error
	// List returns the sorted names, not the paths, of the files and folders in a folder.
	List(dir string) ([]string, error)
	// Stat returns the description of a path. It does not follow a symbolic link.
	Stat(path string) (Info, error)
	// Remove removes a file or an empty folder. The removal is durable after SyncDir of the parent
	// folder.
	Remove(path string) error
	// SyncDir makes all creations, renames and removals of names in a folder durable.
	SyncDir(dir string) error
	// Lock takes an exclusive lock on the file at path, and creates the file if needed. The lock is
	// held until the returned Closer is closed or the process ends. If another owner holds the
	// lock, Lock does not wait and returns a Conflict.
	Lock(path string) (io.Closer, error)
	// FreeSpace returns how many bytes can still be written below dir.
	FreeSpace(dir string) (bytes uint64, err error)

	// rename gives the file at oldPath the name newPath, in the same folder. If a file of that name
	// exists, it is replaced. The change is atomic. Only WriteFile uses rename.
	rename(oldPath, newPath string) error
}

// Reader is a file that is open for reading. ReadAt may be called concurrently.
type Reader interface {
	io.ReaderAt
	io.Closer
	// Size returns the file's length in bytes.
	Size() (int64, error)
}

// File is a file that is open for reading and for writing, at any offset.
type File interface {
	Reader
	io.WriterAt
	// Truncate sets the length of the file in bytes. If the file grows, the new bytes are zero.
	Truncate(size int64) error
	// Allocate reserves disk space for the bytes of the file from 0 up to the offset size. The file
	// becomes at least that long, and new bytes are zero. If the file system cannot reserve space,
	// Allocate does nothing. Writes into reserved space do not change metadata, which makes the
	// next Sync cheaper.
	Allocate(size int64) error
	// Sync makes the length of the file, and all bytes written so far, durable. After an error it
	// is unknown which bytes are durable, because the kernel may have dropped dirty pages and
	// marked them as clean. So Sync must not be called again on the same file.
	Sync() error
}

// Info is what Stat returns about a path.
type Info struct {
	Size  int64 // size of the file in bytes; 0 for a folder
	IsDir bool
}
