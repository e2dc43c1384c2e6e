package base

import "hash/crc32"

// Castagnoli is the polynomial of all checksums on disk (CRC32C). amd64 and arm64 have instructions
// for it, which hash/crc32 uses.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)
