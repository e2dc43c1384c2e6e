package ingest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/scoterdb/scoter/internal/base"
)

// These are the bytes with which compressed bodies begin. No wire format that Scoter accepts begins
// with them: they are not text, and as MessagePack each would be an extension, a negative integer
// or broken.
var (
	magicGzip = []byte{0x1f, 0x8b}
	magicZstd = []byte{0x28, 0xb5, 0x2f, 0xfd}
	magicLZ4  = []byte{0x04, 0x22, 0x4d, 0x18}
)

// Identity is the name of the encoding of a body that is not compressed.
const Identity = "identity"

var gzipReaders sync.Pool // gzipReaders are *gzip.Reader for reuse. Each of them takes 40 KB.

// maxWindow is the maximum size in bytes of the zstd window of a request's body. The header of a
// zstd frame declares a window, which the decoder allocates. The format asks every decoder to
// support 8 MiB, and level 19 uses 32 MiB. Decoders with a window above pooledWindow bytes are not
// cached in the pool.
const (
	maxWindow    = 32 << 20
	pooledWindow = 8 << 20
)

var zstdReaders sync.Pool // zstdReaders are *zstd.Decoder for reuse.

// Encoding returns how a body is compressed: gzip, zstd, lz4 (its frame format) or Identity.
// contentEncoding is the value of the Content-Encoding header, in any case; x-gzip means gzip. If
// it is empty, the first bytes of the body decide. That is for clients of Arc (a database server
// whose write formats Scoter accepts), which send compressed bodies without the header. An unknown
// encoding is a base.Invalid error.
func Encoding(contentEncoding string, body []byte) (string, error) {
	switch encoding := strings.ToLower(strings.TrimSpace(contentEncoding)); encoding {
	case "":
		return encodingOf(body), nil
	case "x-gzip":
		return "gzip", nil
	case Identity, "gzip", "zstd", "lz4":
		return encoding, nil
	default:
		return "", base.Errorf(base.Invalid, "content encoding %q is not known", encoding).WithHint("use gzip, zstd or lz4, or none")
	}
}

// Compressed reports whether a body begins like one that is compressed with an encoding that
// Decompress supports.
func Compressed(body []byte) bool { return encodingOf(body) != Identity }

func encodingOf(head []byte) string {
	switch {
	case bytes.HasPrefix(head, magicGzip):
		return "gzip"
	case bytes.HasPrefix(head, magicZstd):
		return "zstd"
	case bytes.HasPrefix(head, magicLZ4):
		return "lz4"
	}
	return Identity
}

// zstdReader returns a zstd decoder for body, which works on the caller's goroutine.
func zstdReader(body []byte) (*zstd.Decoder, error) {
	if r, _ := zstdReaders.Get().(*zstd.Decoder); r != nil {
		return r, r.Reset(bytes.NewReader(body))
	}
	return zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
}

// Decompress returns the whole body of a request, decompressed. It writes to the memory of the
// slice out, up to its capacity. If that is too small, it calls the function grow, which returns a
// larger slice with the same content. An error of that function is returned as it is.
//
// Errors are base.TooLarge if the decompressed body has more than limit bytes. They are
// base.Invalid if the body is damaged, is truncated, or has other bytes after its end.
func Decompress(encoding string, body, out []byte, limit int64, grow func(out []byte, size int64) ([]byte, error)) ([]byte, error) {
	switch encoding {
	case "gzip":
		r, _ := gzipReaders.Get().(*gzip.Reader)
		if r == nil {
			r = new(gzip.Reader)
		}
		defer gzipReaders.Put(r)
		if err := r.Reset(bytes.NewReader(body)); err != nil {
			return nil, damaged("body", encoding, err)
		}
		return readAll(r, encoding, out, limit, grow)
	case "zstd":
		r, err := zstdReader(body)
		if err != nil {
			return nil, damaged("body", encoding, err)
		}
		if _, window := zstdSize(body); window <= pooledWindow {
			defer zstdReaders.Put(r)
		} else {
			defer r.Close()
		}
		return readAll(r, encoding, out, limit, grow)
	case "lz4":
		// The lz4 decoder accepts a body that ends between two blocks as complete. So this checks
		// first that the frames are complete.
		if _, complete := lz4Size(body); !complete {
			return nil, damaged("body", encoding, io.ErrUnexpectedEOF)
		}
		return readAll(lz4.NewReader(bytes.NewReader(body)), encoding, out, limit, grow)
	}
	return nil, base.Errorf(base.Internal, "no decoder for %q", encoding)
}

// damaged returns the error for a body or a file that cannot be decompressed. The argument what is
// "body" or "file".
func damaged(what, encoding string, err error) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return base.Errorf(base.TooLarge, "zstd body with a window of more than %d MiB", maxWindow>>20)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return base.Errorf(base.Invalid, "the %s ends in the middle of its %s encoding", what, encoding)
	}
	return base.Errorf(base.Invalid, "the %s is not valid %s: %w", what, encoding, err)
}

func tooLarge(limit int64) error {
	return base.Errorf(base.TooLarge, "the body is larger than %d bytes", limit).WithHint("send it in several requests")
}

// readAll reads r to its end and appends the bytes to the slice out. It returns a base.TooLarge
// error if r has more than limit bytes.
func readAll(r io.Reader, encoding string, out []byte, limit int64, grow func([]byte, int64) ([]byte, error)) (_ []byte, err error) {
	for {
		if len(out) == cap(out) {
			if out, err = grow(out, 2*int64(len(out))+1); err != nil {
				return nil, err
			}
		}
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case int64(len(out)) > limit:
			return nil, tooLarge(limit)
		case err == io.EOF:
			return out, nil
		case err != nil:
			return nil, damaged("body", encoding, err)
		}
	}
}
