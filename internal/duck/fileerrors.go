package duck

import (
	"strconv"
	"strings"
	"syscall"

	"github.com/scoterdb/scoter/internal/base"
)

// How DuckDB (1.5.6) begins what it says of a path or pattern under which no file is, and of a file
// that another process has locked.
const (
	noFiles = "No files found that match the pattern"
	locked  = "Could not set lock on file"
)

// damagedParquet are how the Parquet reader's errors begin (1.5.6) that do not say that they are
// about a file.
var damagedParquet = []string{"TProtocolException", "don't know what type", "invalid TType", "Variable-length int over 10 bytes", "No more data to read", "Out of buffer"}

// systemKinds are the errors of the system that are about the file that a statement names. Others,
// such as too many open files or a failing disk, may pass.
var systemKinds = map[syscall.Errno]base.Kind{
	syscall.ENOENT: base.NotFound, syscall.EACCES: base.Forbidden, syscall.EPERM: base.Forbidden,
	syscall.ENOTDIR: base.Invalid, syscall.EISDIR: base.Invalid, syscall.ENAMETOOLONG: base.Invalid, syscall.ELOOP: base.Invalid,
}

// temporary reports whether it is about what queries spill, or about no file.
func (f failure) temporary(tempDir string) bool {
	return tempDir != "" && strings.Contains(f.Message, tempDir) || strings.Contains(f.Message, spaceLimit)
}

// damaged reports whether it is about what a file holds that a statement names: all but that comes
// with the number of a system's error.
func (f failure) damaged(tempDir string) bool {
	for _, begin := range damagedParquet {
		if strings.HasPrefix(f.Message, begin) {
			return true
		}
	}
	return f.Type == "IO" && f.Kind == "" && f.Errno == "" && !f.temporary(tempDir) && !strings.HasPrefix(f.Message, noFiles) && !strings.HasPrefix(f.Message, locked)
}

// fileKind is the kind of an error about a file that is not damaged.
func (f failure) fileKind(tempDir string) base.Kind {
	number, _ := strconv.Atoi(f.Errno) // 0: none
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
