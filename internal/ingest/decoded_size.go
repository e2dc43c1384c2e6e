package ingest

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"
)

// DecodedSize estimates the size in bytes that a compressed body has after decompression, and the
// memory in bytes that its decoder needs in addition.
//
// If the body says its size, DecodedSize returns that size, limited to what the encoding can
// produce. Otherwise it returns a guess. For gzip it uses the size in the last member (a part with
// its own header), because most bodies have only one member.
func DecodedSize(encoding string, body []byte) (size, decoder int64) {
	switch n := int64(len(body)); encoding {
	case "gzip":
		if n < 4 {
			return 0, 0
		}
		return min(int64(binary.LittleEndian.Uint32(body[n-4:])), gzipMost*n), 0
	case "zstd":
		size, window := zstdSize(body)
		return size, min(window, size, maxWindow)
	case "lz4":
		size, _ := lz4Size(body)
		return size, 0
	default:
		return n, 0
	}
}

const (
	gzipMost = 1032 // gzipMost is the maximum number of bytes to which one byte of deflate expands.

	zstdBlock = 128 << 10 // zstdBlock is the maximum number of bytes in a block of zstd.
	// zstdShare is the highest compression ratio that is assumed for a block, if its frame does not
	// declare the size.
	zstdShare = 64
	lz4Share  = 16
)

// zstdSize returns the sum of the sizes that the zstd frames of b declare. For a frame that does
// not declare its size, it guesses the size from the frame's blocks. window is the largest window
// of all frames, in bytes.
func zstdSize(b []byte) (size, window int64) {
	for len(b) > 0 {
		var h zstd.Header
		if h.Decode(b) != nil {
			return size, window
		}
		skip := int64(h.HeaderSize)
		if h.Skippable {
			skip += int64(h.SkippableSize)
		}
		if skip > int64(len(b)) {
			return size, window
		}
		if b = b[skip:]; h.Skippable {
			continue
		}
		most, guess, rest := zstdBlocks(b)
		if h.HasFCS {
			guess = int64(min(h.FrameContentSize, uint64(most)))
		}
		if h.SingleSegment {
			h.WindowSize = h.FrameContentSize
		}
		size, window = size+guess, max(window, int64(min(h.WindowSize, maxWindow)))
		if b = rest; h.HasCheckSum {
			b = b[min(4, len(b)):]
		}
	}
	return size, window
}

// zstdBlocks reads the headers of the blocks of a zstd frame. It returns the maximum size of the
// blocks in bytes after decompression (most), an estimate of this size (guess), and the bytes after
// the blocks (rest).
func zstdBlocks(b []byte) (most, guess int64, rest []byte) {
	const raw, rle = 0, 1
	for len(b) >= 3 {
		head := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		last, kind, n := head&1 != 0, head>>1&3, int(head>>3)
		b = b[3:]
		stored := n
		switch kind {
		case raw:
			most, guess = most+int64(n), guess+int64(n)
		case rle:
			stored = 1
			most, guess = most+int64(min(n, zstdBlock)), guess+int64(min(n, zstdBlock))
		default:
			most, guess = most+zstdBlock, guess+int64(min(zstdShare*n, zstdBlock))
		}
		if b = b[min(stored, len(b)):]; last {
			break
		}
	}
	return most, guess, b
}

// lz4Size returns a guess of the size of b after decompression, and whether b consists of complete
// LZ4 frames. It only adds up the sizes of the blocks: the decoder checks their contents and
// checksums.
func lz4Size(b []byte) (size int64, complete bool) {
	for first := true; first || len(b) > 0; first = false {
		if len(b) < 8 {
			return size, false
		}
		// skippable frame: it has no data
		if magic := binary.LittleEndian.Uint32(b); magic>>4 == 0x184d2a5 {
			skip := uint64(binary.LittleEndian.Uint32(b[4:])) + 8
			if skip > uint64(len(b)) {
				return size, false
			}
			b = b[skip:]
			continue
		}
		frame, rest, complete := lz4Frame(b)
		if size += frame; !complete {
			return size, false
		}
		b = rest
	}
	return size, true
}

// lz4Frame guesses the size of the first LZ4 frame of b after decompression. It also returns the
// bytes after the frame, and whether the frame is complete. b has at least 8 bytes.
func lz4Frame(b []byte) (size int64, rest []byte, complete bool) {
	const (
		blockChecksum   = 1 << 4
		contentSize     = 1 << 3
		contentChecksum = 1 << 2
		dictionaryID    = 1 << 0
	)
	flags := b[4]
	// The header has the code of the maximum block size: 4 is 64 KiB, 5 is 256 KiB, up to 7.
	blockMost := int64(64<<10) << (2 * max(0, int(b[5]>>4&7)-4))
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
		return 0, nil, false
	}
	for b = b[header:]; ; {
		if len(b) < 4 {
			return size, nil, false
		}
		n := int(binary.LittleEndian.Uint32(b) &^ (1 << 31))
		if b = b[4:]; n == 0 {
			break
		}
		if n+trailer > len(b) {
			return size, nil, false
		}
		size += min(blockMost, lz4Share*int64(n))
		b = b[n+trailer:]
	}
	if len(b) < tail {
		return size, nil, false
	}
	return size, b[tail:], true
}
