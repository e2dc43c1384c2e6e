package export

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/option"
)

// Definition is the content of a CREATE EXPORT statement. The values of options are text, in the
// form in which the statement has them.
type Definition struct {
	Storage string            `json:"storage"` // kind of storage: S3 or FOLDER
	Options map[string]string `json:"options"`
	With    map[string]string `json:"with,omitempty"`
	Query   string            `json:"query,omitempty"` // an SQL query; empty to export all columns
	// Database is the current database of the query: names in it are looked up there.
	Database string `json:"database"`
	// Mark is the text of the mark, an object in the export's place (bucket or folder) that says
	// which export owns the place (see markName). If the object has another text, another export
	// took over the place. Mark is empty if the export was created before places had marks.
	Mark string `json:"mark,omitempty"`
	// Restored says that the export comes from a restored backup. It stays set until RESUME EXPORT
	// makes the export own its place (bucket or folder), instead of the export that was backed up.
	Restored bool `json:"restored,omitempty"`
}

// secrets are the names of options whose values are never shown.
var secrets = []string{"secret_access_key", "session_token"}

// Masked returns the definition with the values of secret options hidden.
func (d Definition) Masked() Definition {
	d.Options = maps.Clone(d.Options)
	for _, name := range secrets {
		if d.Options[name] != "" {
			d.Options[name] = "***"
		}
	}
	return d
}

// place returns the place (bucket or folder) where the export writes its objects. It does not read
// options that only writing needs, such as files with secrets, because these may not exist any
// more.
func (d Definition) place() (place, error) {
	o := option.New(d.Storage, d.Options)
	switch d.Storage {
	case "S3":
		return s3Place(o)
	case "FOLDER":
		return newFolder(o)
	}
	return nil, base.Errorf(base.Invalid, "unknown storage %s: expected S3 or FOLDER", d.Storage)
}

func (d Definition) encode() ([]byte, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, base.Errorf(base.Internal, "encode export: %w", err)
	}
	return text, nil
}

func decodeDefinition(text []byte) (d Definition, err error) {
	if err := json.Unmarshal(text, &d); err != nil {
		return d, base.Errorf(base.Corrupt, "definition of an export: %w", err)
	}
	return d, nil
}

// restored returns the JSON text of a definition with the field Restored set.
func restored(text []byte) ([]byte, error) {
	d, err := decodeDefinition(text)
	if err != nil {
		return nil, err
	}
	d.Restored = true
	return d.encode()
}

// plan is the definition of an export with its options parsed.
type plan struct {
	Definition
	storage storage
	// after is how long a change of a partition waits for further changes before it is exported.
	after time.Duration
	// keep is how long rows stay in the table after the end of their partition's time (such as its
	// day). 0 means forever.
	keep time.Duration
}

// defaultAfter is the default of the option after (the wait before a changed partition is
// exported). It is long enough that rows, flushes and merges that are late are exported together
// with the rest.
const defaultAfter = 10 * time.Minute

// newPlan parses the options of a definition. It does not access the storage.
func newPlan(d Definition) (p plan, err error) {
	p.Definition = d
	o := option.New("WITH", d.With)
	p.after = option.Parsed(o, "after", defaultAfter, parseDuration)
	p.keep = option.Parsed(o, "keep", 0, parseDuration)
	if err := o.End(); err != nil {
		return p, err
	}
	o = option.New(d.Storage, d.Options)
	switch d.Storage {
	case "S3":
		p.storage, err = newS3(o)
	case "FOLDER":
		p.storage, err = newFolder(o)
	default:
		err = base.Errorf(base.Invalid, "unknown storage %s: expected S3 or FOLDER", d.Storage)
	}
	if err != nil {
		return plan{}, err
	}
	return p, nil
}

// close closes idle connections to the storage. If newPlan returned an error, its plan has no
// storage, and close does nothing.
func (p plan) close() {
	if p.storage != nil {
		p.storage.close()
	}
}

// parseDuration parses a duration. Unlike time.ParseDuration it also accepts days.
func parseDuration(text string) (time.Duration, error) {
	var d time.Duration
	var err error
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		if d = time.Duration(n) * 24 * time.Hour; n > 100_000 {
			err = strconv.ErrRange
		}
	} else {
		d, err = time.ParseDuration(text)
	}
	if err != nil || d < time.Millisecond {
		return 0, base.Errorf(base.Invalid, "it is not a duration like 90s, 10m, 12h or 7d")
	}
	return d, nil
}
