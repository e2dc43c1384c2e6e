package ingest

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/scoterdb/scoter/internal/base"
)

// largestFileWindow is the maximum size in bytes of the zstd window of a file. zstd --long writes
// windows of this size.
const largestFileWindow = 128 << 20

// NewDecompressor returns a reader of a file of any size, which decompresses gzip and zstd. The
// first bytes of the file decide whether it is compressed. named is the encoding that the file's
// name announces, or Identity. It is needed because a file that was cut after a few bytes no longer
// shows that it was compressed. Errors about damaged files are base.Invalid.
func NewDecompressor(file io.Reader, named string) (io.ReadCloser, error) {
	raw := &fileReader{Reader: file}
	in := bufio.NewReaderSize(raw, 64<<10)
	// If the file has fewer bytes, head has all of them. An error of Peek is returned again by the
	// next read.
	head, _ := in.Peek(len(magicZstd))
	switch encoding := encodingOf(head); encoding {
	case "gzip":
		r, err := gzip.NewReader(in)
		if err != nil {
			return nil, damaged("file", encoding, err)
		}
		return &decompressor{r, encoding, raw, func() { _ = r.Close() }}, nil
	case "zstd":
		r, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(largestFileWindow))
		if err != nil {
			return nil, damaged("file", encoding, err)
		}
		return &decompressor{r, encoding, raw, r.Close}, nil
	}
	if named != Identity {
		return nil, base.Errorf(base.Invalid, "the file is not %s, as its name says, or it was cut", named)
	}
	return io.NopCloser(in), nil
}

// decompressor reads a compressed file. Its errors distinguish a damaged file from a file that
// cannot be read.
type decompressor struct {
	io.Reader
	encoding string
	file     *fileReader
	close    func()
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	if d.file.err != nil && d.file.err != io.EOF {
		return n, d.file.err
	}
	return n, damaged("file", d.encoding, err)
}

func (d *decompressor) Close() error {
	d.close()
	return nil
}

// fileReader reads the file and remembers its read error. So an error of the file can be
// distinguished from damaged compressed data.
type fileReader struct {
	io.Reader
	err error
}

func (r *fileReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.err = err
	}
	return n, err
}
