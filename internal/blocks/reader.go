package blocks

import (
	"io"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// Reader reads an open file, and compares each block that it reads with its checksum. ReadAt may be
// called concurrently.
type Reader struct {
	file  *File
	r     vfs.Reader
	bytes int64
	sums  Sums // checksums of the file's blocks; nil if reads are not verified
}

// Size returns the file's length in bytes.
func (r *Reader) Size() int64 { return r.bytes }

// Close closes the file.
func (r *Reader) Close() error { return r.r.Close() }

var scratch = sync.Pool{New: func() any { return new([Size]byte) }}

// ReadAt implements io.ReaderAt. It always reads whole blocks: all blocks that contain some of the
// requested bytes. It compares each block with its checksum. If they differ, the error is Corrupt.
func (r *Reader) ReadAt(p []byte, at int64) (n int, err error) {
	if at < 0 {
		return 0, base.Errorf(base.Internal, "%s: read at byte %d", r.file.name, at)
	}
	if at >= r.bytes {
		return 0, io.EOF
	}
	if room := r.bytes - at; int64(len(p)) > room {
		p = p[:room]
		defer func() {
			if err == nil {
				err = io.EOF
			}
		}()
	}
	if r.sums == nil {
		return len(p), r.file.read(r.r, p, at)
	}
	for n < len(p) {
		read, err := r.readSome(p[n:], at+int64(n))
		if n += read; err != nil {
			return n, err
		}
	}
	return n, nil
}

// readSome reads one or more of the requested bytes, beginning with the first, and returns how
// many. If the requested bytes begin at the start of a block and include the whole block, readSome
// reads as many whole blocks as fit, directly into p. Otherwise it reads one block and copies the
// requested bytes from it.
func (r *Reader) readSome(p []byte, at int64) (int, error) {
	first := int(at / Size)
	start := int64(first) * Size
	length := min(Size, r.bytes-start)
	if at > start || int64(len(p)) < length {
		block := scratch.Get().(*[Size]byte)
		defer scratch.Put(block)
		if err := r.file.readBlock(r.r, r.sums, first, block[:length]); err != nil {
			return 0, err
		}
		return copy(p, block[at-start:length]), nil
	}
	n := len(p)
	if at+int64(n) < r.bytes {
		n -= n % Size
	}
	if err := r.file.read(r.r, p[:n], at); err != nil {
		return 0, err
	}
	for done := 0; done < n; done += Size {
		if err := r.file.compare(r.sums, first+done/Size, p[done:min(done+Size, n)]); err != nil {
			return done, err
		}
	}
	return n, nil
}
