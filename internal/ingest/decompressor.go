package ingest

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/scoterdb/scoter/internal/base"
)

// largestFileWindow is the largest zstd window that a file may have: zstd --long writes windows of
// this size.
const largestFileWindow = 128 << 20

// NewDecompressor returns a reader of the content of a file of any size. The file's first bytes
// decide whether it is decompressed with gzip or zstd. named is the encoding that the file's name
// implies, or Identity. It is needed because a file without its end may be too short to show that
// it is compressed. Errors of damaged files are base.Invalid.
func NewDecompressor(file io.Reader, named string) (io.ReadCloser, error) {
	raw := &fileReader{Reader: file}
	in := bufio.NewReaderSize(raw, 64<<10)
	// head is shorter at the end of the file. A read error is returned again by the next read.
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

// decompressor distinguishes a damaged file from a file that cannot be read.
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

// fileReader remembers a read error of the file, to distinguish it from damaged compressed data.
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
