package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
)

// Crashable is a file system in memory for tests. It knows which data would survive a power
// failure: CrashClone returns that state. Locks do not survive.
//
// It loses as much as POSIX allows, which is more than any real file system would lose:
//   - Bytes survive only after File.Sync.
//   - A name survives only after SyncDir of its folder. File.Sync of a new file does not save its
//     name.
//   - Anything that was not synced may survive in part and out of order.
type Crashable struct {
	mu       sync.Mutex // guards everything below, and all nodes
	root     *node
	locked   map[string]bool
	capacity int64 // bytes that all files together may have; negative: no limit
}

// NewCrashable returns an empty file system in memory without a size limit. Its root folder is
// durable. A relative path is taken from the root: "a" is "/a".
func NewCrashable() *Crashable {
	return &Crashable{root: newDir(), locked: map[string]bool{}, capacity: -1}
}

// SetCapacity limits the bytes that all files together may have; negative means no limit. A write
// beyond the limit writes the bytes that fit and fails as StorageFull.
func (c *Crashable) SetCapacity(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.capacity = bytes
}

func pathError(op, path string, err error) error {
	return osError(&fs.PathError{Op: op, Path: path, Err: err})
}

// findLocked returns the node at path.
func (c *Crashable) findLocked(op, path string) (*node, error) {
	n := c.root
	for name := range strings.SplitSeq(filepath.ToSlash(filepath.Join("/", path)), "/") {
		if name == "" {
			continue
		}
		if n = n.entries[name]; n == nil { // a file has no entries, so the path ends here
			return nil, pathError(op, path, fs.ErrNotExist)
		}
	}
	return n, nil
}

// findKindLocked returns the node at path. It returns an error if the node is not a folder (if dir
// is set) or not a file (otherwise).
func (c *Crashable) findKindLocked(op, path string, dir bool) (*node, error) {
	n, err := c.findLocked(op, path)
	if err == nil && n.isDir() != dir {
		err = pathError(op, path, fs.ErrInvalid)
	}
	return n, err
}

// addLocked adds a node at path, which must not exist.
func (c *Crashable) addLocked(op, path string, n *node) error {
	parent, err := c.findKindLocked(op, filepath.Dir(path), true)
	if err != nil {
		return err
	}
	name := filepath.Base(path)
	if parent.entries[name] != nil {
		return pathError(op, path, fs.ErrExist)
	}
	parent.changeNames(dirOp{set: name, to: n})
	return nil
}

// Create implements FS.
func (c *Crashable) Create(path string) (File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := &node{}
	if err := c.addLocked("create", path, n); err != nil {
		return nil, err
	}
	return &crashableFile{fs: c, node: n, path: path, writable: true}, nil
}

// Open implements FS.
func (c *Crashable) Open(path string) (Reader, error) { return c.open(path, false) }

// OpenReadWrite implements FS.
func (c *Crashable) OpenReadWrite(path string) (File, error) { return c.open(path, true) }

func (c *Crashable) open(path string, writable bool) (File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.findKindLocked("open", path, false)
	if err != nil {
		return nil, err
	}
	return &crashableFile{fs: c, node: n, path: path, writable: writable}, nil
}

// Mkdir implements FS.
func (c *Crashable) Mkdir(path string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.addLocked("mkdir", path, newDir())
}

// List implements FS.
func (c *Crashable) List(dir string) ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.findKindLocked("list", dir, true)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(n.entries)), nil
}

// Stat implements FS.
func (c *Crashable) Stat(path string) (Info, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.findLocked("stat", path)
	if err != nil {
		return Info{}, err
	}
	return Info{Size: n.data.size, IsDir: n.isDir()}, nil
}

// Remove implements FS.
func (c *Crashable) Remove(path string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.findLocked("remove", path)
	if err != nil {
		return err
	}
	if n == c.root || len(n.entries) > 0 {
		return pathError("remove", path, errors.New("folder not empty"))
	}
	parent, err := c.findKindLocked("remove", filepath.Dir(path), true)
	if err != nil {
		return err
	}
	parent.changeNames(dirOp{clear: filepath.Base(path)})
	return nil
}

func (c *Crashable) rename(oldPath, newPath string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.findKindLocked("rename", oldPath, false)
	if err != nil {
		return err
	}
	parent, err := c.findKindLocked("rename", filepath.Dir(newPath), true)
	if err != nil {
		return err
	}
	if parent.entries[filepath.Base(oldPath)] != n {
		return pathError("rename", newPath, errors.New("another folder"))
	}
	if target := parent.entries[filepath.Base(newPath)]; target != nil && target.isDir() {
		return pathError("rename", newPath, fs.ErrExist)
	}
	parent.changeNames(dirOp{set: filepath.Base(newPath), to: n, clear: filepath.Base(oldPath)})
	return nil
}

// SyncDir implements FS.
func (c *Crashable) SyncDir(dir string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.findKindLocked("sync", dir, true)
	if err != nil {
		return err
	}
	n.synced, n.unsyncedNames = maps.Clone(n.entries), nil
	return nil
}

// FreeSpace implements FS.
func (c *Crashable) FreeSpace(dir string) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.findKindLocked("free space", dir, true); err != nil {
		return 0, err
	}
	if c.capacity < 0 {
		return 1 << 62, nil
	}
	return uint64(max(0, c.capacity-c.root.bytes())), nil
}

// Lock implements FS.
func (c *Crashable) Lock(path string) (io.Closer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	path = filepath.Join("/", path)
	if c.locked[path] {
		return nil, base.Errorf(base.Conflict, "%s is in use", filepath.Dir(path))
	}
	if err := c.addLocked("lock", path, &node{}); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	c.locked[path] = true
	return unlocker(func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.locked[path] {
			return pathError("unlock", path, fs.ErrClosed)
		}
		delete(c.locked, path)
		return nil
	}), nil
}

type unlocker func() error

func (u unlocker) Close() error { return u() }

// Materialize writes all files, as a running process sees them, to a folder of the real file
// system. It creates the folder if needed, and syncs nothing. It is for readers such as DuckDB,
// which cannot read the file system in memory.
func (c *Crashable) Materialize(dir string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.root.materialize(dir); err != nil {
		return fmt.Errorf("materialize: %w", err)
	}
	return nil
}

func (n *node) materialize(path string) error {
	if !n.isDir() {
		content := make([]byte, n.data.size)
		n.data.read(content, 0)
		return os.WriteFile(path, content, filePerm)
	}
	if err := os.MkdirAll(path, dirPerm); err != nil {
		return err
	}
	for name, child := range n.entries {
		if err := child.materialize(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}
