package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
)

// OpKind is the kind of a file system operation. There is one kind for each method of FS, Reader
// and File.
type OpKind string

// The kinds of operations are named after the methods of FS, Reader and File.
const (
	OpCreate        OpKind = "create"
	OpOpen          OpKind = "open"
	OpOpenReadWrite OpKind = "open-read-write"
	OpMkdir         OpKind = "mkdir"
	OpList          OpKind = "list"
	OpStat          OpKind = "stat"
	OpRemove        OpKind = "remove"
	OpSyncDir       OpKind = "sync-dir"
	OpLock          OpKind = "lock"
	OpFreeSpace     OpKind = "free-space"
	OpRename        OpKind = "rename"
	OpReadAt        OpKind = "read"
	OpSize          OpKind = "size"
	OpWriteAt       OpKind = "write"
	OpTruncate      OpKind = "truncate"
	OpAllocate      OpKind = "allocate"
	OpSync          OpKind = "sync"
	OpClose         OpKind = "close"
)

// Writes reports whether an operation of this kind changes what is on disk, or which data is
// durable.
func (k OpKind) Writes() bool {
	switch k {
	case OpCreate, OpMkdir, OpRemove, OpSyncDir, OpRename, OpWriteAt, OpTruncate, OpAllocate, OpSync:
		return true
	}
	return false
}

// Op describes a file system operation that is about to run.
type Op struct {
	Kind  OpKind
	Path  string // path of the file or folder; for a rename, the new path
	Index int    // number of operations that ran before this one
	Bytes int    // number of bytes that a write writes
}

// Rule decides for each operation whether it fails. It returns the error with which the operation
// fails, or nil if the operation may run. It may be called concurrently.
type Rule func(Op) error

// ErrInjected is the error of an operation that a rule makes fail without naming an error. It is an
// I/O error (EIO), as from a disk.
var ErrInjected = fmt.Errorf("injected fault: %w", syscall.EIO)

// ErrNoSpace is the operating system's error for a full disk.
var ErrNoSpace error = errNoSpace

// ShortWrite is an error that a Rule may return for a write. Then the first Bytes bytes are
// written, and the write fails with the error Err.
type ShortWrite struct {
	Bytes int
	Err   error
}

func (s *ShortWrite) Error() string { return s.Err.Error() }

// Unwrap returns Err, the error with which the write fails.
func (s *ShortWrite) Unwrap() error { return s.Err }

// Never is a Rule that lets every operation run. Tests use it to count operations.
func Never(Op) error { return nil }

// OnIndex returns a rule that makes only operation number i fail, counted from 0. The operation's
// error is err, or ErrInjected if err is nil.
func OnIndex(i int, err error) Rule {
	return func(op Op) error {
		if op.Index == i {
			return orInjected(err)
		}
		return nil
	}
}

// FromIndex returns a rule that makes operation number i, counted from 0, and all later operations
// fail. It simulates a process that has died: not even its cleanup has an effect.
func FromIndex(i int) Rule {
	return func(op Op) error {
		if op.Index >= i {
			return ErrInjected
		}
		return nil
	}
}

// OnKind returns a rule that makes every operation of the given kind fail. The operation's error is
// err, or ErrInjected if err is nil.
func OnKind(kind OpKind, err error) Rule {
	return func(op Op) error {
		if op.Kind == kind {
			return orInjected(err)
		}
		return nil
	}
}

// Where returns a rule that applies the given rule only to some operations: those for which the
// function match returns true. The given rule sees only these operations, and Op.Index numbers them
// from 0.
func Where(match func(Op) bool, rule Rule) Rule {
	var count atomic.Int64
	return func(op Op) error {
		if !match(op) {
			return nil
		}
		op.Index = int(count.Add(1) - 1)
		return rule(op)
	}
}

// WritesOnly reports whether an operation changes what is on disk, or which data is durable. It is
// meant as the argument match of Where.
func WritesOnly(op Op) bool { return op.Kind.Writes() }

func orInjected(err error) error {
	if err == nil {
		return ErrInjected
	}
	return err
}

// FailingFS wraps a file system and makes the operations fail that its rule selects. A failed
// operation does not reach the wrapped file system, with two exceptions. With the error ShortWrite,
// some bytes are written. And Close closes the file before it fails.
type FailingFS struct {
	below FS
	mu    sync.Mutex
	rule  Rule // rule that selects the operations that fail; guarded by mu
	count int  // number of operations so far; guarded by mu
}

// Failing wraps the file system that is passed as the argument named below. The argument rule
// selects the operations that fail.
func Failing(below FS, rule Rule) *FailingFS { return &FailingFS{below: below, rule: rule} }

// Ops returns the number of operations so far, including failed ones.
func (f *FailingFS) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// SetRule replaces the rule. The count of operations continues.
func (f *FailingFS) SetRule(rule Rule) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rule = rule
}

func (f *FailingFS) check(kind OpKind, path string, bytes int) error {
	f.mu.Lock()
	rule, index := f.rule, f.count
	f.count++
	f.mu.Unlock()
	if err := rule(Op{kind, path, index, bytes}); err != nil {
		return osError(&fs.PathError{Op: string(kind), Path: path, Err: err})
	}
	return nil
}

// guard runs an operation by calling the function do, unless the file system's rule makes the
// operation fail.
func guard[T any](f *FailingFS, kind OpKind, path string, do func() (T, error)) (T, error) {
	if err := f.check(kind, path, 0); err != nil {
		var none T
		return none, err
	}
	return do()
}

func (f *FailingFS) guard(kind OpKind, path string, do func() error) error {
	if err := f.check(kind, path, 0); err != nil {
		return err
	}
	return do()
}

// Create implements FS.
func (f *FailingFS) Create(path string) (File, error) {
	file, err := guard(f, OpCreate, path, func() (File, error) { return f.below.Create(path) })
	if err != nil {
		return nil, err
	}
	return &failingFile{failingReader{f, path, file}, file}, nil
}

// Open implements FS.
func (f *FailingFS) Open(path string) (Reader, error) {
	r, err := guard(f, OpOpen, path, func() (Reader, error) { return f.below.Open(path) })
	if err != nil {
		return nil, err
	}
	return &failingReader{f, path, r}, nil
}

// OpenReadWrite implements FS.
func (f *FailingFS) OpenReadWrite(path string) (File, error) {
	file, err := guard(f, OpOpenReadWrite, path, func() (File, error) { return f.below.OpenReadWrite(path) })
	if err != nil {
		return nil, err
	}
	return &failingFile{failingReader{f, path, file}, file}, nil
}

// Mkdir implements FS.
func (f *FailingFS) Mkdir(path string) error {
	return f.guard(OpMkdir, path, func() error { return f.below.Mkdir(path) })
}

// List implements FS.
func (f *FailingFS) List(dir string) ([]string, error) {
	return guard(f, OpList, dir, func() ([]string, error) { return f.below.List(dir) })
}

// Stat implements FS.
func (f *FailingFS) Stat(path string) (Info, error) {
	return guard(f, OpStat, path, func() (Info, error) { return f.below.Stat(path) })
}

// Remove implements FS.
func (f *FailingFS) Remove(path string) error {
	return f.guard(OpRemove, path, func() error { return f.below.Remove(path) })
}

// SyncDir implements FS.
func (f *FailingFS) SyncDir(dir string) error {
	return f.guard(OpSyncDir, dir, func() error { return f.below.SyncDir(dir) })
}

// Lock implements FS.
func (f *FailingFS) Lock(path string) (io.Closer, error) {
	return guard(f, OpLock, path, func() (io.Closer, error) { return f.below.Lock(path) })
}

// FreeSpace implements FS.
func (f *FailingFS) FreeSpace(dir string) (uint64, error) {
	return guard(f, OpFreeSpace, dir, func() (uint64, error) { return f.below.FreeSpace(dir) })
}

func (f *FailingFS) rename(oldPath, newPath string) error {
	return f.guard(OpRename, newPath, func() error { return f.below.rename(oldPath, newPath) })
}

type failingReader struct {
	fs    *FailingFS
	path  string
	below Reader
}

func (r *failingReader) ReadAt(p []byte, offset int64) (int, error) {
	return guard(r.fs, OpReadAt, r.path, func() (int, error) { return r.below.ReadAt(p, offset) })
}

func (r *failingReader) Size() (int64, error) {
	return guard(r.fs, OpSize, r.path, r.below.Size)
}

func (r *failingReader) Close() error {
	return errors.Join(r.fs.check(OpClose, r.path, 0), r.below.Close())
}

type failingFile struct {
	failingReader
	below File
}

func (f *failingFile) WriteAt(p []byte, offset int64) (int, error) {
	err := f.fs.check(OpWriteAt, f.path, len(p))
	if err == nil {
		return f.below.WriteAt(p, offset)
	}
	var short *ShortWrite
	if !errors.As(err, &short) {
		return 0, err
	}
	n, belowErr := f.below.WriteAt(p[:min(short.Bytes, len(p))], offset)
	return n, errors.Join(err, belowErr)
}

func (f *failingFile) Truncate(size int64) error {
	return f.fs.guard(OpTruncate, f.path, func() error { return f.below.Truncate(size) })
}

func (f *failingFile) Allocate(size int64) error {
	return f.fs.guard(OpAllocate, f.path, func() error { return f.below.Allocate(size) })
}

func (f *failingFile) Sync() error {
	return f.fs.guard(OpSync, f.path, f.below.Sync)
}
