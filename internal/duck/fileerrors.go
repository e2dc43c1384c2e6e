package duck

import (
	"strconv"
	"strings"
	"syscall"

	"github.com/scoterdb/scoter/internal/base"
)

// The beginnings of two messages of DuckDB (1.5.6): for a path or pattern that matches no files,
// and for a file that another process has locked.
const (
	noFiles = "No files found that match the pattern"
	locked  = "Could not set lock on file"
)

// damagedParquet lists the beginnings of messages of the Parquet reader (DuckDB 1.5.6) that do not
// mention a file.
var damagedParquet = []string{"TProtocolException", "don't know what type", "invalid TType", "Variable-length int over 10 bytes", "No more data to read", "Out of buffer"}

// systemKinds maps errors of the operating system to kinds of base.Error. The errors are about a
// file that a statement names. The map does not have errors that may be temporary, such as too many
// open files or a failing disk.
var systemKinds = map[syscall.Errno]base.Kind{
	syscall.ENOENT: base.NotFound, syscall.EACCES: base.Forbidden, syscall.EPERM: base.Forbidden,
	syscall.ENOTDIR: base.Invalid, syscall.EISDIR: base.Invalid, syscall.ENAMETOOLONG: base.Invalid, syscall.ELOOP: base.Invalid,
}

// isSpill reports whether the error is about temporary files: a failure to spill, or the limit
// for spilling.
func (f failure) isSpill(tempDir string) bool {
	return tempDir != "" && strings.Contains(f.Message, tempDir) || strings.Contains(f.Message, spaceLimit)
}

// isDamagedFile reports whether the error says that the content of a file is damaged. The file is
// one that the statement names. Most IO errors of DuckDB mean this. The exceptions are errors with
// the number of a system error, errors that Scoter raised itself, and messages that are known to
// have another cause.
func (f failure) isDamagedFile(tempDir string) bool {
	for _, begin := range damagedParquet {
		if strings.HasPrefix(f.Message, begin) {
			return true
		}
	}
	return f.Type == "IO" && f.Kind == "" && f.Errno == "" && !f.isSpill(tempDir) && !strings.HasPrefix(f.Message, noFiles) && !strings.HasPrefix(f.Message, locked)
}

// fileKind returns the kind of base.Error for an IO error that does not mean damaged content.
func (f failure) fileKind(tempDir string) base.Kind {
	number, _ := strconv.Atoi(f.Errno) // 0 if the error has no number
	kind, known := systemKinds[syscall.Errno(number)]
	switch {
	case f.isSpill(tempDir):
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
