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

// File describes an immutable file by its path, length and checksums. It opens the file again for
// each use. It is safe for concurrent use.
type File struct {
	fs   vfs.FS
	path string
	name string // name of the file in errors
	// url is the name by which DuckDB opens the file. It is empty for a file that does not belong
	// to a Files (the files of the parts in a data directory).
	url      string
	bytes    int64  // length of the file in bytes; -1 if it is unknown, see Unchecked
	checksum uint32 // CRC32C of the whole file

	// damaged, if not nil, is called for each damage that a read of the file finds.
	damaged func(damage *Damage)
	// computed, if not nil, is called after Prepare has computed missing block checksums, with
	// these checksums.
	computed func(Sums)

	preparing sync.Mutex
	// sums are the checksums of the file's blocks. They are nil until they are known, see Prepare.
	sums atomic.Pointer[Sums]
}

// Damage describes a place where a file differs from what was written. It is an error, and its kind
// is Corrupt.
type Damage struct {
	Path string // path of the file
	Name string // path below the data directory, for messages
	// Offset is the position of the first damaged byte, or the start of the damaged block if the
	// exact byte is not known.
	Offset int64
	What   string
}

func (d *Damage) Error() string { return d.Name + ": " + d.What }

// err returns the damage as a base.Error of the kind Corrupt.
func (d *Damage) err() error {
	return base.Errorf(base.Corrupt, "%w", error(d)).
		WithHint("restore the file from a backup; scoter check --repair removes a part that cannot be restored, with its rows")
}

// New describes a file. bytes is its length, checksum its CRC32C, and name its name in error
// messages.
//
// sums are the checksums of its blocks. If sums is nil, the first use of the file reads all of it,
// compares it with checksum, and computes the block checksums.
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

// Name returns the name of the file in error messages: its path below the data directory.
func (f *File) Name() string { return f.name }

// URL returns the name by which DuckDB opens the file.
func (f *File) URL() string { return f.url }

// Bytes returns the file's length in bytes.
func (f *File) Bytes() int64 { return f.bytes }

// Prepare returns the checksums of the file's blocks. They are unknown if an older version of
// Scoter wrote the file. Then the first call reads the whole file and computes them. If the file
// does not match its checksum as a whole, the error is Corrupt.
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
	if f.computed != nil {
		f.computed(sums)
	}
	return sums, nil
}

// open opens the file. If the file is missing, the error is Corrupt.
func (f *File) open() (vfs.Reader, error) {
	r, err := f.fs.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f.damage(0, "the file is missing")
	}
	return r, base.Wrap(err, "%s", f.name)
}

// damage records that the file is damaged at an offset, calls the function f.damaged, and returns
// the damage as an error. The arguments format and args describe the damage.
func (f *File) damage(offset int64, format string, args ...any) error {
	d := &Damage{Path: f.path, Name: f.name, Offset: offset, What: fmt.Sprintf(format, args...)}
	if f.damaged != nil {
		f.damaged(d)
	}
	return d.err()
}

// Damaged stores damage that other code has found at a byte offset of the file, and returns it as
// an error. The argument what is a text that describes the damage.
func (f *File) Damaged(offset int64, what string) error { return f.damage(offset, "%s", what) }

// Open opens the file for reading. Each read is compared with the block checksums. If the File was
// made by the function Unchecked, reads are not compared.
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

// Verify reads the whole file and checks its length, the checksum of each block, and the checksum
// of the file. If the function pause is not nil, it is called after each block with the length of
// that block in bytes. If pause returns an error, Verify ends and returns that error.
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

// readBlock reads a block of the file into the given slice, and compares it with its checksum. The
// argument block is the number of the block, from 0.
func (f *File) readBlock(r vfs.Reader, sums Sums, block int, to []byte) error {
	if err := f.read(r, to, int64(block)*Size); err != nil {
		return err
	}
	return f.compare(sums, block, to)
}

// read fills the given slice with bytes of the file, beginning at the given offset. If the file is
// too short, the error is Corrupt.
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

// compare checks that the bytes of a block (data) match the checksum of that block. If they do not,
// the error is Corrupt.
func (f *File) compare(sums Sums, block int, data []byte) error {
	if sum := crc32.Checksum(data, base.Castagnoli); sum != sums[block] {
		at := int64(block) * Size
		return f.damage(at, "the block at byte %d has checksum %08x, expected %08x", at, sum, sums[block])
	}
	return nil
}
