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

// File is an immutable file whose length and checksum are known. It is safe for concurrent use, and
// keeps no descriptor open.
type File struct {
	fs       vfs.FS
	path     string
	name     string // how errors name it
	url      string // DuckDB's; empty outside of Files
	bytes    int64  // -1: not known, see Unchecked
	checksum uint32 // CRC32C of the whole file

	// damaged is told of each read that met damage; nil: nobody is.
	damaged func(damage *Damage)
	// learned is told of the checksums of the blocks once they are computed; nil: nobody is.
	learned func(Sums)

	preparing sync.Mutex
	sums      atomic.Pointer[Sums] // nil: not known yet, see Prepare
}

// Damage is where a file is not as it was written. It is an error of the kind Corrupt.
type Damage struct {
	Path   string // of the file
	Name   string // the same below the data directory
	Offset int64  // of the first damaged byte, as far as that is known: of its block
	What   string
}

func (d *Damage) Error() string { return d.Name + ": " + d.What }

// err returns the damage as an error of the kind Corrupt.
func (d *Damage) err() error {
	return base.Errorf(base.Corrupt, "%w", error(d)).
		WithHint("restore the file from a backup; scoter check --repair removes a part that cannot be restored, with its rows")
}

// New describes a file of so many bytes. sums may be nil: then the first who opens the file reads all of
// it, compares it with its checksum, and computes them. Errors call the file by its name.
func New(fsys vfs.FS, path, name string, bytes int64, checksum uint32, sums Sums) *File {
	f := &File{fs: fsys, path: path, name: name, bytes: bytes, checksum: checksum}
	if sums != nil {
		f.sums.Store(&sums)
	}
	return f
}

// Unchecked describes a file of which nothing is known: what is read is not verified.
func Unchecked(fsys vfs.FS, path string) *File {
	return &File{fs: fsys, path: path, name: path, bytes: -1}
}

// Path returns where the file is.
func (f *File) Path() string { return f.path }

// Name returns how errors name the file: its path below the data directory.
func (f *File) Name() string { return f.name }

// URL returns the name by which DuckDB opens the file.
func (f *File) URL() string { return f.url }

// Bytes returns the file's length.
func (f *File) Bytes() int64 { return f.bytes }

// Prepare returns the checksums of the blocks. Those of a file of an older format are computed by the
// first call, which reads all of the file. A file that is not as its checksum says is Corrupt.
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

// open opens the file, which must be there.
func (f *File) open() (vfs.Reader, error) {
	r, err := f.fs.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f.damage(0, "the file is missing")
	}
	return r, base.Wrap(err, "%s", f.name)
}

// damage reports damage and returns it as an error.
func (f *File) damage(offset int64, format string, args ...any) error {
	d := &Damage{Path: f.path, Name: f.name, Offset: offset, What: fmt.Sprintf(format, args...)}
	if f.damaged != nil {
		f.damaged(d)
	}
	return d.err()
}

// Damaged reports damage that another reader of the file met, and returns it as an error.
func (f *File) Damaged(offset int64, what string) error { return f.damage(offset, "%s", what) }

// Open opens the file. What its Reader reads is verified.
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

// Verify reads the whole file and compares its length, all its blocks and its checksum. pause, if not
// nil, is called after each block with the bytes that were read; its error ends the work.
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

// readBlock reads a block and compares it.
func (f *File) readBlock(r vfs.Reader, sums Sums, block int, to []byte) error {
	if err := f.read(r, to, int64(block)*Size); err != nil {
		return err
	}
	return f.compare(sums, block, to)
}

// read fills a slice with bytes of the file, which are there unless it was truncated.
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

// compare verifies the bytes of a block.
func (f *File) compare(sums Sums, block int, data []byte) error {
	if sum := crc32.Checksum(data, base.Castagnoli); sum != sums[block] {
		at := int64(block) * Size
		return f.damage(at, "the block at byte %d has checksum %08x, expected %08x", at, sum, sums[block])
	}
	return nil
}
