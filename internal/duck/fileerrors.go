package duck

import (
	"strconv"
	"strings"
	"syscall"

	"github.com/scoterdb/scoter/internal/base"
)

// Beginnings of DuckDB's errors (1.5.6) for a path or pattern without files, and for a file that
// another process has locked.
const (
	noFiles = "No files found that match the pattern"
	locked  = "Could not set lock on file"
)

// damagedParquet has the beginnings of errors of the Parquet reader (1.5.6) that do not say that
// they are about a file.
var damagedParquet = []string{"TProtocolException", "don't know what type", "invalid TType", "Variable-length int over 10 bytes", "No more data to read", "Out of buffer"}

// systemKinds are the system errors that are about the file that a statement names. Other system
// errors, such as too many open files or a failing disk, may be temporary.
var systemKinds = map[syscall.Errno]base.Kind{
	syscall.ENOENT: base.NotFound, syscall.EACCES: base.Forbidden, syscall.EPERM: base.Forbidden,
	syscall.ENOTDIR: base.Invalid, syscall.EISDIR: base.Invalid, syscall.ENAMETOOLONG: base.Invalid, syscall.ELOOP: base.Invalid,
}

// temporary reports whether the error is about spilling or its limit.
func (f failure) temporary(tempDir string) bool {
	return tempDir != "" && strings.Contains(f.Message, tempDir) || strings.Contains(f.Message, spaceLimit)
}

// damaged reports whether the error is about the content of a file that a statement names. These
// are all IO errors without the number of a system error, except the known ones.
func (f failure) damaged(tempDir string) bool {
	for _, begin := range damagedParquet {
		if strings.HasPrefix(f.Message, begin) {
			return true
		}
	}
	return f.Type == "IO" && f.Kind == "" && f.Errno == "" && !f.temporary(tempDir) && !strings.HasPrefix(f.Message, noFiles) && !strings.HasPrefix(f.Message, locked)
}

// fileKind returns the kind of an error about a file that is not damaged.
func (f failure) fileKind(tempDir string) base.Kind {
	number, _ := strconv.Atoi(f.Errno) // 0 if there is none
	kind, known := systemKinds[syscall.Errno(number)]
	switch {
	case f.temporary(tempDir):
		return base.Unavailable
	case strings.HasPrefix(f.Message, noFiles):
		return base.NotFound
	case strings.HasPrefix(f.Message, locked):
		return base.Conflict
	case known:
		return kind
	}
	return base.Unavailable
}
