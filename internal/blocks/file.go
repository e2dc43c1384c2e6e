package blocks

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// File describes an immutable file by its path, length and checksums. It is safe for concurrent
// use. It opens the file for each use.
type File struct {
	fs       vfs.FS
	path     string
	name     string // name of the file in errors
	url      string // name by which DuckDB opens the file; empty if it belongs to no Files
	bytes    int64  // length; -1: unknown, see Unchecked
	checksum uint32 // CRC32C of the whole file

	// damaged, if not nil, is called with each damage that a read finds.
	damaged func(damage *Damage)
	// learned, if not nil, is called with the block checksums after Prepare computed them.
	learned func(Sums)

	preparing sync.Mutex
	sums      atomic.Pointer[Sums] // block checksums; nil: not known yet, see Prepare
}

// Damage describes a place where a file differs from what was written. As an error its kind is
// Corrupt.
type Damage struct {
	Path string // path of the file
	Name string // path below the data directory, for messages
	// Offset is the position of the first damaged byte. If only the damaged block is known, it is
	// the start of the block.
	Offset int64
	What   string
}

func (d *Damage) Error() string { return d.Name + ": " + d.What }

// err returns the damage as an error of the kind Corrupt.
func (d *Damage) err() error {
	return base.Errorf(base.Corrupt, "%w", error(d)).
		WithHint("restore the file from a backup; scoter check --repair removes a part that cannot be restored, with its rows")
}

// New describes a file. bytes is its length, checksum its CRC32C, and name its name in errors.
//
// sums may be nil. Then the first use of the file reads all of it, compares it with its checksum,
// and computes the block checksums.
func New(fsys vfs.FS, path, name string, bytes int64, checksum uint32, sums Sums) *File {
	f := &File{fs: fsys, path: path, name: name, bytes: bytes, checksum: checksum}
	if sums != nil {
		f.sums.Store(&sums)
	}
	return f
}

// Unchecked describes a file whose length and checksums are unknown. Reads of it are not verified.
func Unchecked(fsys vfs.FS, path string) *File {
	return &File{fs: fsys, path: path, name: path, bytes: -1}
}

// Path returns the path of the file.
func (f *File) Path() string { return f.path }

// Name returns the name of the file in errors: its path below the data directory.
func (f *File) Name() string { return f.name }

// URL returns the name by which DuckDB opens the file.
func (f *File) URL() string { return f.url }

// Bytes returns the file's length in bytes.
func (f *File) Bytes() int64 { return f.bytes }

// Prepare returns the block checksums. If they are unknown because an older format wrote the file,
// the first call reads the whole file and computes them. If the whole file does not match its own
// checksum, the error is Corrupt.
func (f *File) Prepare() (Sums, error) {
	if s := f.sums.Load(); s != nil {
		return *s, nil
	}
	f.preparing.Lock()
	defer f.preparing.Unlock()
	if s := f.sums.Load(); s != nil {
		return *s, nil
	}
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	var h Hash
	_, err = io.Copy(&h, io.NewSectionReader(r, 0, f.bytes))
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, base.Wrap(err, "%s", f.name)
	}
	if h.Bytes() < f.bytes {
		return nil, f.damage(h.Bytes(), "the file ends at byte %d of %d", h.Bytes(), f.bytes)
	}
	if h.Checksum() != f.checksum {
		return nil, f.damage(0, "the file has checksum %08x, expected %08x", h.Checksum(), f.checksum)
	}
	sums := h.Sums()
	f.sums.Store(&sums)
	if f.learned != nil {
		f.learned(sums)
	}
	return sums, nil
}

// open opens the file. A missing file is Corrupt.
func (f *File) open() (vfs.Reader, error) {
	r, err := f.fs.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f.damage(0, "the file is missing")
	}
	return r, base.Wrap(err, "%s", f.name)
}

// damage records damage at an offset, and returns it as an error. It calls the function damaged.
func (f *File) damage(offset int64, format string, args ...any) error {
	d := &Damage{Path: f.path, Name: f.name, Offset: offset, What: fmt.Sprintf(format, args...)}
	if f.damaged != nil {
		f.damaged(d)
	}
	return d.err()
}

// Damaged records damage at a byte offset that other code has found (what describes it), and
// returns it as an error.
func (f *File) Damaged(offset int64, what string) error { return f.damage(offset, "%s", what) }

// Open opens the file for reading. All reads are verified, except those of an Unchecked file.
func (f *File) Open() (*Reader, error) {
	if f.bytes < 0 {
		r, err := f.open()
		if err != nil {
			return nil, err
		}
		size, err := r.Size()
		if err != nil {
			return nil, errors.Join(base.Wrap(err, "%s", f.name), r.Close())
		}
		return &Reader{file: f, r: r, bytes: size}, nil
	}
	sums, err := f.Prepare()
	if err != nil {
		return nil, err
	}
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	return &Reader{file: f, r: r, bytes: f.bytes, sums: sums}, nil
}

// Verify reads the whole file and compares its length, the checksum of each block, and the checksum
// of the file. If pause is not nil, it is called after each block with the number of bytes read. If
// pause returns an error, Verify ends and returns it.
func (f *File) Verify(ctx context.Context, pause func(bytes int) error) (err error) {
	sums, err := f.Prepare()
	if err != nil {
		return err
	}
	r, err := f.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	size, err := r.Size()
	if err != nil {
		return base.Wrap(err, "%s", f.name)
	}
	if size > f.bytes {
		return f.damage(f.bytes, "the file has %d bytes, expected %d", size, f.bytes)
	}
	block := make([]byte, Size)
	sum := uint32(0)
	for i := range sums {
		if err := ctx.Err(); err != nil {
			return base.Wrap(err, "%s", f.name)
		}
		data := block[:min(Size, f.bytes-int64(i)*Size)]
		if err := f.readBlock(r, sums, i, data); err != nil {
			return err
		}
		sum = crc32.Update(sum, base.Castagnoli, data)
		if pause != nil {
			if err := pause(len(data)); err != nil {
				return err
			}
		}
	}
	if sum != f.checksum {
		return f.damage(0, "the file has checksum %08x, expected %08x", sum, f.checksum)
	}
	return nil
}

// readBlock reads a block into to, and compares it with its checksum.
func (f *File) readBlock(r vfs.Reader, sums Sums, block int, to []byte) error {
	if err := f.read(r, to, int64(block)*Size); err != nil {
		return err
	}
	return f.compare(sums, block, to)
}

// read fills the slice to with the file's bytes from the offset at. If the file ends before, the
// error is Corrupt.
func (f *File) read(r vfs.Reader, to []byte, at int64) error {
	n, err := r.ReadAt(to, at)
	if n == len(to) {
		return nil
	}
	if err == nil || err == io.EOF {
		return f.damage(at+int64(n), "the file ends at byte %d of %d", at+int64(n), f.bytes)
	}
	return base.Wrap(err, "%s", f.name)
}

// compare returns a Corrupt error unless data has the checksum of the block.
func (f *File) compare(sums Sums, block int, data []byte) error {
	if sum := crc32.Checksum(data, base.Castagnoli); sum != sums[block] {
		at := int64(block) * Size
		return f.damage(at, "the block at byte %d has checksum %08x, expected %08x", at, sum, sums[block])
	}
	return nil
}
