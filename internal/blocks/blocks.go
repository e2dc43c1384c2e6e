// Package blocks reads the files of parts in blocks of 64 KiB. The catalog has a checksum of each
// block. Each time a block is read, it is compared with its checksum.
//
// A [File] describes one immutable file. [Files] has the files of all parts in a data directory, by
// id. DuckDB opens the same files through package internal/duck/ext. See
// docs/rfcs/0002-part-access.md.
package blocks

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/scoterdb/scoter/internal/base"
)

// Size is the length of a block in bytes. The last block of a file may be shorter.
const Size = 64 << 10

// Sums are the CRC32C checksums of the blocks of a file, in order.
type Sums []uint32

// Count returns the number of blocks of a file with the given length in bytes.
func Count(bytes int64) int { return int((bytes + Size - 1) / Size) }

// Encode returns the checksums as bytes: four little-endian bytes for each block.
func (s Sums) Encode() []byte {
	out := make([]byte, 0, 4*len(s))
	for _, sum := range s {
		out = binary.LittleEndian.AppendUint32(out, sum)
	}
	return out
}

// Decode reads checksums that Sums.Encode has encoded. bytes is the length of the file. If the
// number of checksums does not fit that length, the error is Corrupt.
func Decode(encoded []byte, bytes int64) (Sums, error) {
	if want := 4 * Count(bytes); len(encoded) != want {
		return nil, base.Errorf(base.Corrupt, "the list of checksums has %d bytes, expected %d", len(encoded), want)
	}
	s := make(Sums, len(encoded)/4)
	for i := range s {
		s[i] = binary.LittleEndian.Uint32(encoded[4*i:])
	}
	return s, nil
}

// Hash computes the CRC32C of a file and of each of its blocks, while the file's bytes are written
// to the Hash. The zero Hash is ready to use.
type Hash struct {
	bytes int64
	file  uint32
	block uint32 // CRC32C of the bytes written so far to the last block, which is not full yet
	full  Sums
}

// Write adds p, the next bytes of the file, to the checksums. It never fails.
func (h *Hash) Write(p []byte) (int, error) {
	n := len(p)
	h.file = crc32.Update(h.file, base.Castagnoli, p)
	for len(p) > 0 {
		room := Size - int(h.bytes%Size)
		now := p[:min(room, len(p))]
		h.block = crc32.Update(h.block, base.Castagnoli, now)
		h.bytes += int64(len(now))
		if len(now) == room {
			h.full, h.block = append(h.full, h.block), 0
		}
		p = p[len(now):]
	}
	return n, nil
}

// Bytes returns the number of bytes written so far.
func (h *Hash) Bytes() int64 { return h.bytes }

// Checksum returns the CRC32C of all bytes written so far.
func (h *Hash) Checksum() uint32 { return h.file }

// Sums returns the checksums of the blocks written so far. The last block may be shorter than Size.
func (h *Hash) Sums() Sums {
	if h.bytes%Size == 0 {
		return h.full[:len(h.full):len(h.full)]
	}
	return append(h.full[:len(h.full):len(h.full)], h.block)
}
