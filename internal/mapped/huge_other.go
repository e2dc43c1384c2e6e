//go:build unix && !linux

package mapped

func askHugePages([]byte) {}
