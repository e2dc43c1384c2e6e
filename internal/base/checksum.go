package base

import "hash/crc32"

// Castagnoli is the polynomial of all checksums on disk (CRC32C). The processors amd64 and arm64
// have instructions for CRC32C, and hash/crc32 uses them.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)
