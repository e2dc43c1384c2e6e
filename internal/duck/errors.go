package duck

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// failure is an error of DuckDB, parsed from JSON. DuckDB writes errors as JSON because of its
// setting errors_as_json.
type failure struct {
	Type     string `json:"exception_type"`
	Message  string `json:"exception_message"`
	Subtype  string `json:"error_subtype"`
	Position string `json:"position"`
	Errno    string `json:"errno"` // number of the operating system's error
	// Kind and Hint are set if the error is a base.Error of Scoter that passed through DuckDB. They
	// have the name of its kind, and its hint.
	Kind string `json:"scoter_kind"`
	Hint string `json:"scoter_hint"`
}

// kindsByType maps DuckDB's exception types to kinds of base.Error. Types that are not listed are
// of kind Internal.
var kindsByType = map[string]base.Kind{
	"Parser": base.Invalid, "Syntax": base.Invalid, "Binder": base.Invalid, "Catalog": base.Invalid,
	"Conversion": base.Invalid, "Out of Range": base.Invalid, "Invalid Input": base.Invalid,
	"Invalid type": base.Invalid, "Mismatch Type": base.Invalid, "Constraint": base.Invalid,
	"Not implemented": base.Invalid, "Expression": base.Invalid, "Parameter Not Resolved": base.Invalid,
	"Parameter Not Allowed": base.Invalid, "Invalid": base.Invalid, "Divide by Zero": base.Invalid,
	"Decimal": base.Invalid, "Sequence": base.Invalid, "Dependency": base.Invalid, "Invalid Configuration": base.Invalid,
	"Permission": base.Forbidden, "Out of Memory": base.TooLarge, "INTERRUPT": base.Canceled,
	"Interrupt": base.Canceled,
	"IO":        base.Unavailable, // see fileKind
}

// ErrFailed is wrapped by the error of a statement that met a defect of DuckDB. After such an error
// all statements on the same database fail.
var ErrFailed = errors.New("DuckDB failed")

// failure converts the text of an error on this connection to a base.Error. It replaces the
// connection's database if the error makes the database unusable, or says that its temporary files
// could not be written.
func (c *Conn) failure(text string) *base.Error {
	f := parseFailure(text)
	var tempDir string
	if c.inst != nil {
		tempDir = c.inst.settings.TempDir
	}
	err := f.err(tempDir)
	if f.isSpillWrite(tempDir) {
		c.inst.replace(c.db)
		return base.Errorf(base.StorageFull, "the query does not fit into memory, and writing the rest to disk failed: %s", lastPart(f.Message)).
			WithHint("free disk space, filter more, select fewer columns, or raise query_memory")
	}
	if f.Type != "FATAL" && f.Type != "INTERNAL" || c.inst == nil || !c.inst.replaceIfFailed(c.db, err) {
		return err
	}
	if f.Type == "FATAL" && strings.HasPrefix(f.Message, invalidated) {
		_, cause, _ := strings.Cut(f.Message, "Original error: ")
		return base.Errorf(base.Unavailable, "DuckDB failed in another statement, and this one with it: %s", strings.Trim(cause, `"`)).
			WithHint("run it again: another DuckDB takes its place")
	}
	return base.Errorf(base.Internal, "%w in this statement, and all that ran with it: %s", ErrFailed, err.Message).
		WithHint("this is a defect of DuckDB: write the statement in another way; others run again, another DuckDB takes its place")
}

// invalidated is the beginning of the message that every statement gets after an internal error has
// made a database unusable (DuckDB 1.5.5).
const invalidated = "Failed: database has been invalidated"

// notWritten is the beginning of the message about a file that could not be written (DuckDB 1.5.6).
const notWritten = "Could not write"

// isSpillWrite reports whether the error says that a query could not write to its temporary files
// when it spilled.
func (f failure) isSpillWrite(tempDir string) bool {
	return f.Type == "IO" && tempDir != "" && strings.HasPrefix(f.Message, notWritten) && strings.Contains(f.Message, tempDir)
}

// lastPart returns the part of a message behind its last colon. This part is the error of the
// operating system.
func lastPart(message string) string {
	return strings.TrimSpace(message[strings.LastIndexByte(message, ':')+1:])
}

// spaceLimit is a part of the message if queries have spilled as much as the setting
// max_temp_directory_size allows (DuckDB 1.5.6).
const spaceLimit = "max_temp_directory_size"

func parseFailure(text string) failure {
	var f failure
	// In some errors, other text of DuckDB precedes the JSON.
	if i := strings.Index(text, `{"exception_type"`); i > 0 {
		text = text[i:]
	}
	if json.Unmarshal([]byte(text), &f) != nil || f.Type == "" {
		kind, message, found := strings.Cut(text, " Error: ")
		if !found {
			return failure{Message: text}
		}
		f = failure{Type: kind, Message: message}
	}
	return f
}

// noRowID matches messages about the column rowid, which only DuckDB's own tables have.
var noRowID = regexp.MustCompile(`(?i)column (named )?"rowid"`)

// err converts a parsed error to a base.Error. tempDir is the folder to which queries spill. The
// position of the base.Error is a byte position, from 1, in the SQL text that DuckDB received.
func (f failure) err(tempDir string) *base.Error {
	kind, known := kindsByType[f.Type]
	if !known {
		kind = base.Internal
	}
	damaged := f.isDamagedFile(tempDir)
	switch {
	case f.Kind != "":
		kind = base.KindNamed(f.Kind)
	case damaged:
		kind = base.Invalid
	case f.Type == "IO":
		kind = f.fileKind(tempDir)
	}
	if f.Type == "Out of Memory" && strings.Contains(f.Message, spaceLimit) {
		return base.Errorf(base.TooLarge, "the query does not fit into memory, nor into the disk space that queries share for the rest").
			WithHint("filter more, select fewer columns, raise query_memory or spill_space, or free disk space")
	}
	message, near := takeSuggestions(withoutAdvice(f.Message))
	if damaged {
		// The message does not always say that the error is about a file.
		message = "a file cannot be read: " + message
	}
	err := base.Errorf(kind, "%s", message)
	switch {
	case f.Hint != "":
		err = err.WithHint("%s", f.Hint)
	case damaged:
		err = err.WithHint("it is damaged, or not of the format that the statement says")
	case kind == base.Conflict:
		err = err.WithHint("another process has the file open: close it there, or copy the file")
	case noRowID.MatchString(f.Message):
		err = err.WithHint("tables have no rowid: rows move from file to file in merges, and no number would stay with a row; a primary key names rows")
	case f.Type == "Out of Memory":
		err = err.WithHint("the query needs more memory than its limit: filter more, select fewer columns, or raise query_memory")
	case missingExtension.MatchString(f.Message):
		err = err.WithHint("extensions are not loaded at run time: FROM duckdb_extensions() lists those that are part of the program")
	case len(near) > 0:
		err = err.WithHint("did you mean %s?", alternatives(near))
	}
	if p, e := strconv.Atoi(f.Position); e == nil {
		err = err.At(p + 1)
	}
	return err
}
