package base

import "hash/crc32"

// Castagnoli is the polynomial of all checksums on disk (CRC32C). It has hardware instructions on amd64 and arm64, which hash/crc32 uses.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)
