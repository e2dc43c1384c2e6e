package ingest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/scoterdb/scoter/internal/base"
)

// The encodings' magic bytes. No wire format that Scoter takes begins like one of
// them: each would be an extension, a negative integer or broken as MessagePack,
// and is not text.
var (
	magicGzip = []byte{0x1f, 0x8b}
	magicZstd = []byte{0x28, 0xb5, 0x2f, 0xfd}
	magicLZ4  = []byte{0x04, 0x22, 0x4d, 0x18}
)

var gzipReaders sync.Pool // *gzip.Reader; one is 40 KB

// maxWindow bounds the memory that a zstd frame's header alone can claim; 8 MiB is
// what the format asks every decoder to support, 32 what level 19 uses.
const maxWindow = 32 << 20

// Decompress returns a request's whole body, decoded. contentEncoding is the
// header's value: gzip, zstd, lz4 (its frame format), identity or empty, in any
// case; x-gzip is gzip. Where it is empty the encoding is told by the body's first
// bytes, since Arc's clients send compressed bodies without the header.
//
// More than limit bytes after decoding are base.TooLarge; so a decompression bomb
// costs no more than limit. A body that is damaged, that ends too early or that is
// followed by anything is base.Invalid, an unknown encoding too. An error of body
// itself is returned as it is.
func Decompress(contentEncoding string, body io.Reader, limit int64) ([]byte, error) {
	source := &sourceReader{Reader: body}
	in := bufio.NewReaderSize(source, 64<<10)
	encoding := strings.ToLower(strings.TrimSpace(contentEncoding))
	if encoding == "" {
		encoding = sniff(in)
	}
	out, err := decode(encoding, in, limit)
	if err != nil && source.err != nil && source.err != io.EOF {
		return nil, source.err // not the client's encoding but its connection
	}
	return out, err
}

// NewDecompressor reads a file of any size that may be compressed, with gzip or zstd, as its first bytes tell. Errors are base.Invalid.
func NewDecompressor(file io.Reader) (io.ReadCloser, error) {
	source := &sourceReader{Reader: file}
	in := bufio.NewReaderSize(source, 64<<10)
	switch encoding := sniff(in); encoding {
	case "gzip":
		r, err := gzip.NewReader(in)
		if err != nil {
			return nil, damaged(encoding, err)
		}
		return &decompressor{r, encoding, source, func() { _ = r.Close() }}, nil
	case "zstd":
		r, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, damaged(encoding, err)
		}
		return &decompressor{r, encoding, source, r.Close}, nil
	}
	return io.NopCloser(in), nil
}

// decompressor tells what is damaged from what cannot be read.
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
	return n, damaged(d.encoding, err)
}

func (d *decompressor) Close() error {
	d.close()
	return nil
}

// sourceReader remembers an error of the body, to tell it from a damaged encoding.
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

// Compressed reports whether a body begins like one that Decompress decodes.
func Compressed(body []byte) bool { return encodingOf(body) != "identity" }

func sniff(in *bufio.Reader) string {
	head, _ := in.Peek(4) // a shorter body has no magic; its error comes again
	return encodingOf(head)
}

func encodingOf(head []byte) string {
	switch {
	case bytes.HasPrefix(head, magicGzip):
		return "gzip"
	case bytes.HasPrefix(head, magicZstd):
		return "zstd"
	case bytes.HasPrefix(head, magicLZ4):
		return "lz4"
	}
	return "identity"
}

func decode(encoding string, in *bufio.Reader, limit int64) ([]byte, error) {
	switch encoding {
	case "identity":
		return readAll(in, limit, encoding)
	case "gzip", "x-gzip":
		r, _ := gzipReaders.Get().(*gzip.Reader)
		if r == nil {
			r = new(gzip.Reader)
		}
		defer gzipReaders.Put(r)
		if err := r.Reset(in); err != nil {
			return nil, damaged(encoding, err)
		}
		return readAll(r, limit, encoding)
	case "zstd":
		r, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow),
			zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, damaged(encoding, err)
		}
		defer r.Close()
		return readAll(r, limit, encoding)
	case "lz4":
		// The reader takes a body that ends between two blocks for complete, so the
		// frames are checked before.
		packed, err := readAll(in, limit+limit/128+64<<10, "identity")
		if err != nil {
			return nil, err
		}
		if !lz4Complete(packed) {
			return nil, damaged(encoding, io.ErrUnexpectedEOF)
		}
		return readAll(lz4.NewReader(bytes.NewReader(packed)), limit, encoding)
	}
	return nil, base.Errorf(base.Invalid, "content encoding %q is not known", encoding).
		WithHint("use gzip, zstd or lz4, or none")
}

// lz4Complete reports whether b is a sequence of whole LZ4 frames, by walking over
// their blocks' sizes. What is in them, checksums included, is for the reader to
// check.
func lz4Complete(b []byte) bool {
	const (
		blockChecksum   = 1 << 4
		contentSize     = 1 << 3
		contentChecksum = 1 << 2
		dictionaryID    = 1 << 0
	)
	for first := true; first || len(b) > 0; first = false {
		if len(b) < 8 {
			return false
		}
		if magic := binary.LittleEndian.Uint32(b); magic>>4 == 0x184d2a5 { // a frame to skip
			size := uint64(binary.LittleEndian.Uint32(b[4:])) + 8
			if size > uint64(len(b)) {
				return false
			}
			b = b[size:]
			continue
		}
		flags := b[4]
		header, trailer, tail := 7, 0, 0
		if flags&contentSize != 0 {
			header += 8
		}
		if flags&dictionaryID != 0 {
			header += 4
		}
		if flags&blockChecksum != 0 {
			trailer = 4
		}
		if flags&contentChecksum != 0 {
			tail = 4
		}
		if len(b) < header {
			return false
		}
		for b = b[header:]; ; {
			if len(b) < 4 {
				return false
			}
			size := int(binary.LittleEndian.Uint32(b) &^ (1 << 31))
			if b = b[4:]; size == 0 {
				break
			}
			if size+trailer > len(b) {
				return false
			}
			b = b[size+trailer:]
		}
		if len(b) < tail {
			return false
		}
		b = b[tail:]
	}
	return true
}

func damaged(encoding string, err error) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return base.Errorf(base.TooLarge, "zstd body with a window of more than %d MiB", maxWindow>>20)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return base.Errorf(base.Invalid, "the body ends in the middle of its %s encoding", encoding)
	}
	return base.Errorf(base.Invalid, "the body is not valid %s: %w", encoding, err)
}

// readAll reads at most limit bytes. The buffer grows with what arrives, so that a
// claimed size costs nothing.
func readAll(r io.Reader, limit int64, encoding string) ([]byte, error) {
	out := make([]byte, 0, 64<<10)
	for {
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case int64(len(out)) > limit:
			return nil, base.Errorf(base.TooLarge, "the body is larger than %d bytes", limit).WithHint("send it in several requests")
		case err == io.EOF:
			return out, nil
		case err != nil && encoding == "identity":
			return nil, err
		case err != nil:
			return nil, damaged(encoding, err)
		case len(out) == cap(out):
			out = append(out, 0)[:len(out)]
		}
	}
}
