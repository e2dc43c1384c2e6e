package blocks

import (
	"io"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// Reader reads a file. ReadAt may be called concurrently.
type Reader struct {
	file  *File
	r     vfs.Reader
	bytes int64
	state *state // nil: nothing is verified
}

// Size returns the file's length in bytes.
func (r *Reader) Size() int64 { return r.bytes }

// Close closes the file.
func (r *Reader) Close() error { return r.r.Close() }

var scratch = sync.Pool{New: func() any { return new([Size]byte) }}

// ReadAt is io.ReaderAt. Blocks that were not verified lately are read as a whole and compared; a block
// that is not as it was written is Corrupt.
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
	if r.state == nil {
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

// readSome reads the first of the bytes: up to where blocks begin that need another treatment.
func (r *Reader) readSome(p []byte, at int64) (int, error) {
	first := int(at / Size)
	if r.fresh(first) {
		n := r.run(p, at, true)
		return n, r.file.read(r.r, p[:n], at)
	}
	start := int64(first) * Size
	length := min(Size, r.bytes-start)
	if at > start || int64(len(p)) < length {
		block := scratch.Get().(*[Size]byte)
		defer scratch.Put(block)
		if err := r.file.readBlock(r.r, r.state, first, block[:length]); err != nil {
			return 0, err
		}
		return copy(p, block[at-start:length]), nil
	}
	n := r.run(p, at, false)
	if err := r.file.read(r.r, p[:n], at); err != nil {
		return 0, err
	}
	for done := 0; done < n; done += Size {
		if err := r.file.compare(r.state, first+done/Size, p[done:min(done+Size, n)]); err != nil {
			return done, err
		}
	}
	return n, nil
}

// run returns how many of the bytes, of the first, are of blocks that are all fresh, or all whole and not.
func (r *Reader) run(p []byte, at int64, fresh bool) int {
	end := at + int64(len(p))
	next := at
	for next < end && r.fresh(int(next/Size)) == fresh {
		behind := min((next/Size+1)*Size, r.bytes)
		if behind > end {
			if fresh {
				next = end
			}
			break
		}
		next = behind
	}
	return int(next - at)
}

// fresh reports whether a block was verified lately.
func (r *Reader) fresh(block int) bool {
	seen := r.state.seen[block].Load()
	return seen != 0 && now()-seen < uint32(Remembered/time.Second)
}
