package catalog

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	sqlitevfs "github.com/ncruces/go-sqlite3/vfs"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// sqliteFS makes a vfs.FS available to SQLite. Each open catalog registers a sqliteFS of its own.
//
// It has no locks, because the engine holds the data directory's lock and the process has only one
// connection. It has no shared memory either, because SQLite needs that only for a write-ahead log,
// and the catalog uses a rollback journal.
type sqliteFS struct {
	fs   vfs.FS
	name string // name by which SQLite finds this sqliteFS
	// lastErr is the first error of a file operation since the catalog last set lastErr to nil.
	// SQLite reduces an error to a code, which does not say whether, for example, the disk is full.
	lastErr error
}

var registered atomic.Uint64

func registerFS(fsys vfs.FS) *sqliteFS {
	s := &sqliteFS{fs: fsys, name: "scoter-" + strconv.FormatUint(registered.Add(1), 10)}
	sqlitevfs.Register(s.name, s)
	return s
}

func (s *sqliteFS) unregister() { sqlitevfs.Unregister(s.name) }

// failed stores the error of a file operation in lastErr, unless lastErr has an earlier error. It
// returns the error with the given code of SQLite, which makes SQLite roll back.
func (s *sqliteFS) failed(err error, code sqlite3.ExtendedErrorCode) error {
	if err == nil {
		return nil
	}
	if s.lastErr == nil {
		s.lastErr = err
	}
	if base.KindOf(err) == base.StorageFull {
		return sqlitevfs.SystemError(err, sqlite3.FULL)
	}
	return sqlitevfs.SystemError(err, code)
}

// Open opens or creates a database file or a journal. A temporary journal has no name, and stays in
// memory.
func (s *sqliteFS) Open(name string, flags sqlitevfs.OpenFlag) (sqlitevfs.File, sqlitevfs.OpenFlag, error) {
	const inMemory = sqlitevfs.OPEN_TEMP_DB | sqlitevfs.OPEN_TRANSIENT_DB | sqlitevfs.OPEN_TEMP_JOURNAL | sqlitevfs.OPEN_SUBJOURNAL
	if name == "" || flags&inMemory != 0 {
		return &vfsutil.SliceFile{}, flags | sqlitevfs.OPEN_MEMORY, nil
	}
	f, err := s.fs.OpenReadWrite(name)
	created := false
	if errors.Is(err, fs.ErrNotExist) && flags&sqlitevfs.OPEN_CREATE != 0 {
		f, err = s.fs.Create(name)
		created = true
	}
	if err != nil {
		return nil, flags, s.failed(err, sqlite3.CANTOPEN.ExtendedCode())
	}
	return &sqliteFile{File: f, owner: s, path: name, unsyncedName: created}, flags, nil
}

// Delete removes a journal.
func (s *sqliteFS) Delete(name string, syncDir bool) error {
	err := s.fs.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return sqlite3.IOERR_DELETE_NOENT
	}
	if err == nil && syncDir {
		err = s.fs.SyncDir(filepath.Dir(name))
	}
	return s.failed(err, sqlite3.IOERR_DELETE)
}

// Access reports whether a file exists. SQLite calls it to look for journals.
func (s *sqliteFS) Access(name string, _ sqlitevfs.AccessFlag) (bool, error) {
	_, err := s.fs.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, s.failed(err, sqlite3.IOERR_ACCESS)
}

// FullPathname returns the name unchanged.
func (s *sqliteFS) FullPathname(name string) (string, error) { return name, nil }

// sqliteFile is one open database or journal.
type sqliteFile struct {
	vfs.File
	owner        *sqliteFS
	path         string
	unsyncedName bool // whether the file was created and its folder was not synced since then
	lock         sqlitevfs.LockLevel
}

func (f *sqliteFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.File.ReadAt(p, offset)
	if err == io.EOF {
		return n, err // after a short read SQLite takes the missing bytes as zeros
	}
	return n, f.owner.failed(err, sqlite3.IOERR_READ)
}

func (f *sqliteFile) WriteAt(p []byte, offset int64) (int, error) {
	n, err := f.File.WriteAt(p, offset)
	return n, f.owner.failed(err, sqlite3.IOERR_WRITE)
}

func (f *sqliteFile) Truncate(size int64) error {
	return f.owner.failed(f.File.Truncate(size), sqlite3.IOERR_TRUNCATE)
}

// Sync makes the file's bytes durable. For a new file it also makes the name durable, because after
// a crash a journal without a durable name could not be found.
func (f *sqliteFile) Sync(sqlitevfs.SyncFlag) error {
	err := f.File.Sync()
	if err == nil && f.unsyncedName {
		err = f.owner.fs.SyncDir(filepath.Dir(f.path))
		f.unsyncedName = err != nil
	}
	return f.owner.failed(err, sqlite3.IOERR_FSYNC)
}

func (f *sqliteFile) Size() (int64, error) {
	size, err := f.File.Size()
	return size, f.owner.failed(err, sqlite3.IOERR_FSTAT)
}

func (f *sqliteFile) Close() error { return f.owner.failed(f.File.Close(), sqlite3.IOERR_CLOSE) }

func (f *sqliteFile) Lock(level sqlitevfs.LockLevel) error {
	f.lock = max(f.lock, level)
	return nil
}

func (f *sqliteFile) Unlock(level sqlitevfs.LockLevel) error {
	f.lock = min(f.lock, level)
	return nil
}

func (f *sqliteFile) LockState() sqlitevfs.LockLevel { return f.lock }

// CheckReservedLock says that no other connection is writing. So SQLite takes an existing journal
// for one that a crash left, and rolls the transaction back.
func (f *sqliteFile) CheckReservedLock() (bool, error) { return false, nil }

// SectorSize returns the usual size of a disk's sector. SQLite would assume that a torn write
// damages whole sectors. But DeviceCharacteristics says that bytes outside of the write are not
// damaged, so SQLite uses this size only to align the journal's header.
func (f *sqliteFile) SectorSize() int { return 4096 }

// DeviceCharacteristics says that a torn write does not damage bytes outside of the write (SQLite
// calls this powersafe overwrite).
func (f *sqliteFile) DeviceCharacteristics() sqlitevfs.DeviceCharacteristic {
	return sqlitevfs.IOCAP_POWERSAFE_OVERWRITE
}
