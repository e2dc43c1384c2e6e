//go:build unix && !linux

package memtable

func askHugePages([]byte) {}
