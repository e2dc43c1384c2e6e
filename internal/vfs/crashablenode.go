package vfs

import (
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"syscall"
)

// sectorBytes is the size of a sector in bytes. In a power failure, a disk may write some of the
// sectors of a write and lose the others.
const sectorBytes = 512

// node is a file or a folder. It has the state that processes see, the state that is durable, and
// the changes from the durable state to the visible one, in the order in which they were made.
type node struct {
	// The fields entries, synced and unsyncedNames are for a folder.
	entries       map[string]*node // names in the folder; nil if the node is a file
	synced        map[string]*node
	unsyncedNames []dirOp

	// The fields data, syncedData and unsynced are for a file.
	data       image
	syncedData image
	unsynced   []fileOp
}

func newDir() *node { return &node{entries: map[string]*node{}, synced: map[string]*node{}} }

func (n *node) isDir() bool { return n.entries != nil }

// bytes returns the size of the file n, or the total size of all files below the folder n.
func (n *node) bytes() int64 {
	total := n.data.size
	for _, child := range n.entries {
		total += child.bytes()
	}
	return total
}

// dirOp is one change of a folder. It adds a name (set) for a node (to), or removes a name (clear),
// or does both at once (a rename). If set or clear is empty, the change does not do that half.
type dirOp struct {
	set   string
	to    *node
	clear string
}

func (op dirOp) apply(entries map[string]*node) {
	if op.clear != "" {
		delete(entries, op.clear)
	}
	if op.set != "" {
		entries[op.set] = op.to
	}
}

func (n *node) changeNames(op dirOp) {
	op.apply(n.entries)
	n.unsyncedNames = append(n.unsyncedNames, op)
}

// fileOp is one change of a file. It writes data at the given offset. If data is nil, it makes the
// file's length equal to offset.
type fileOp struct {
	offset int64
	data   []byte
}

func (op fileOp) apply(to *image) {
	if op.data == nil {
		to.resize(op.offset)
		return
	}
	to.write(op.data, op.offset)
}

// image is the content of a file: the bytes that were written, and then zeros up to size. The zeros
// take no memory, because tests allocate far larger logs than they write.
type image struct {
	written []byte
	size    int64
}

func (i *image) resize(size int64) {
	i.written, i.size = i.written[:min(size, int64(len(i.written)))], size
}

func (i *image) write(p []byte, offset int64) {
	end := offset + int64(len(p))
	if old := int64(len(i.written)); end > old {
		i.written = slices.Grow(i.written, int(end-old))[:end]
		if offset > old {
			clear(i.written[old:offset])
		}
	}
	copy(i.written[offset:], p)
	i.size = max(i.size, end)
}

// read copies bytes of the file, beginning at offset, into p. It returns the number of bytes
// copied.
func (i *image) read(p []byte, offset int64) int {
	n := int(min(int64(len(p)), max(0, i.size-offset)))
	p = p[:n]
	clear(p[copy(p, i.written[min(offset, int64(len(i.written))):]):])
	return n
}

func (i *image) clone() image { return image{slices.Clone(i.written), i.size} }

func (n *node) changeData(op fileOp) {
	op.apply(&n.data)
	n.unsynced = append(n.unsynced, op)
}

// CrashClone returns the file system that a machine would find after a power failure at this
// moment. Everything that was synced survives. For everything else, the random generator rng and
// keepUnsyncedPercent (0 to 100) decide:
//   - At 0, nothing unsynced survives.
//   - At 100, everything survives, as if only the process was killed.
//   - In between, a file keeps some of its unsynced writes. These are either its first writes, of
//     which the last may be cut at any byte, or any of the written sectors, as with a disk cache
//     that changes the order. A folder keeps any of its unsynced names.
//
// Open files and locks do not exist in the clone.
func (c *Crashable) CrashClone(rng *rand.Rand, keepUnsyncedPercent int) *Crashable {
	c.mu.Lock()
	defer c.mu.Unlock()
	clone := NewCrashable()
	clone.capacity = c.capacity
	clone.root = c.root.afterCrash(rng, keepUnsyncedPercent)
	return clone
}

func (n *node) afterCrash(rng *rand.Rand, keepPercent int) *node {
	if !n.isDir() {
		data := n.imageAfterCrash(rng, keepPercent)
		return &node{data: data, syncedData: data.clone()}
	}
	names := maps.Clone(n.synced)
	// If one change of a name is lost, all later changes of that name are lost too.
	lost := map[string]bool{}
	for _, op := range n.unsyncedNames {
		if lost[op.set] || lost[op.clear] || rng.IntN(100) >= keepPercent {
			lost[op.set], lost[op.clear] = op.set != "", op.clear != ""
			continue
		}
		op.apply(names)
	}
	clone := newDir()
	// Go through the names in sorted order, so that the same seed of rng gives the same result.
	for _, name := range slices.Sorted(maps.Keys(names)) {
		clone.entries[name] = names[name].afterCrash(rng, keepPercent)
	}
	clone.synced = maps.Clone(clone.entries)
	return clone
}

func (n *node) imageAfterCrash(rng *rand.Rand, keepPercent int) image {
	data := n.syncedData.clone()
	keep := func() bool { return rng.IntN(100) < keepPercent }
	if rng.IntN(2) == 0 {
		for _, op := range n.unsynced {
			if keep() {
				op.apply(&data)
				continue
			}
			if keepPercent > 0 && op.data != nil {
				op.data = op.data[:rng.IntN(len(op.data)+1)]
				op.apply(&data)
			}
			break
		}
		return data
	}
	for _, op := range n.unsynced {
		if op.data == nil {
			if keep() {
				op.apply(&data)
			}
			continue
		}
		for start := 0; start < len(op.data); {
			end := min(len(op.data), start+sectorBytes-int((op.offset+int64(start))%sectorBytes))
			if keep() {
				fileOp{op.offset + int64(start), op.data[start:end]}.apply(&data)
			}
			start = end
		}
	}
	return data
}

// crashableFile is an open file of a Crashable. It stays usable after its name was removed.
type crashableFile struct {
	fs       *Crashable
	node     *node
	path     string
	writable bool
	closed   bool
}

// enter locks the file system for an operation on an open file, and returns the function that
// unlocks it. It returns an error if the file is closed. If the argument write is true, it also
// returns an error if the file is open only for reading.
func (f *crashableFile) enter(op string, write bool) (func(), error) {
	f.fs.mu.Lock()
	switch {
	case f.closed:
		f.fs.mu.Unlock()
		return nil, pathError(op, f.path, fs.ErrClosed)
	case write && !f.writable:
		f.fs.mu.Unlock()
		return nil, pathError(op, f.path, syscall.EBADF)
	}
	return f.fs.mu.Unlock, nil
}

func (f *crashableFile) ReadAt(p []byte, offset int64) (int, error) {
	unlock, err := f.enter("read", false)
	if err != nil {
		return 0, err
	}
	defer unlock()
	if offset < 0 {
		return 0, pathError("read", f.path, syscall.EINVAL)
	}
	n := f.node.data.read(p, offset)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *crashableFile) WriteAt(p []byte, offset int64) (int, error) {
	unlock, err := f.enter("write", true)
	if err != nil {
		return 0, err
	}
	defer unlock()
	if offset < 0 {
		return 0, pathError("write", f.path, syscall.EINVAL)
	}
	fits := f.fitsLocked(offset + int64(len(p)))
	n := int(max(0, min(int64(len(p)), fits-offset)))
	if n > 0 {
		f.node.changeData(fileOp{offset, append([]byte{}, p[:n]...)})
	}
	if n < len(p) {
		return n, pathError("write", f.path, errNoSpace)
	}
	return n, nil
}

// fitsLocked returns the length that the file may get: the wanted length size, or less if the
// capacity of the file system is too small for that. The caller holds the file system's mu.
func (f *crashableFile) fitsLocked(size int64) int64 {
	length := f.node.data.size
	if f.fs.capacity < 0 || size <= length {
		return size
	}
	return min(size, max(length, length+f.fs.capacity-f.fs.root.bytes()))
}

func (f *crashableFile) Truncate(size int64) error { return f.resize("truncate", size, false) }

func (f *crashableFile) Allocate(size int64) error { return f.resize("allocate", size, true) }

func (f *crashableFile) resize(op string, size int64, growOnly bool) error {
	unlock, err := f.enter(op, true)
	if err != nil {
		return err
	}
	defer unlock()
	switch {
	case size < 0:
		return pathError(op, f.path, syscall.EINVAL)
	case growOnly && size <= f.node.data.size:
		return nil
	case f.fitsLocked(size) < size:
		return pathError(op, f.path, errNoSpace)
	}
	f.node.changeData(fileOp{offset: size})
	return nil
}

func (f *crashableFile) Size() (int64, error) {
	unlock, err := f.enter("size", false)
	if err != nil {
		return 0, err
	}
	defer unlock()
	return f.node.data.size, nil
}

func (f *crashableFile) Sync() error {
	unlock, err := f.enter("sync", true)
	if err != nil {
		return err
	}
	defer unlock()
	for _, op := range f.node.unsynced {
		op.apply(&f.node.syncedData)
	}
	f.node.unsynced = nil
	return nil
}

func (f *crashableFile) Close() error {
	unlock, err := f.enter("close", false)
	if err != nil {
		return err
	}
	defer unlock()
	f.closed = true
	return nil
}
