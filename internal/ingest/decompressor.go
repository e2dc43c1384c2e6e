package ingest

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/scoterdb/scoter/internal/base"
)

// largestFileWindow is the zstd window that a file may have: as much as zstd --long writes.
const largestFileWindow = 128 << 20

// NewDecompressor reads a file of any size that may be compressed with gzip or zstd, as its first
// bytes tell. named is the encoding that its name says, or Identity: a file that is cut to nothing
// does not tell that it was compressed. Errors are base.Invalid.
func NewDecompressor(file io.Reader, named string) (io.ReadCloser, error) {
	source := &sourceReader{Reader: file}
	in := bufio.NewReaderSize(source, 64<<10)
	head, _ := in.Peek(len(magicZstd)) // shorter at the end of the file; an error comes again when it is read
	switch encoding := encodingOf(head); encoding {
	case "gzip":
		r, err := gzip.NewReader(in)
		if err != nil {
			return nil, damaged("file", encoding, err)
		}
		return &decompressor{r, encoding, source, func() { _ = r.Close() }}, nil
	case "zstd":
		r, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(largestFileWindow))
		if err != nil {
			return nil, damaged("file", encoding, err)
		}
		return &decompressor{r, encoding, source, r.Close}, nil
	}
	if named != Identity {
		return nil, base.Errorf(base.Invalid, "the file is not %s, as its name says, or it was cut", named)
	}
	return io.NopCloser(in), nil
}

// decompressor tells a damaged file from one that cannot be read.
type decompressor struct {
	io.Reader
	encoding string
	source   *sourceReader
	close    func()
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	if d.source.err != nil && d.source.err != io.EOF {
		return n, d.source.err
	}
	return n, damaged("file", d.encoding, err)
}

func (d *decompressor) Close() error {
	d.close()
	return nil
}

// sourceReader remembers an error of the file, to tell it from a damaged encoding.
type sourceReader struct {
	io.Reader
	err error
}

func (r *sourceReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.err = err
	}
	return n, err
}
