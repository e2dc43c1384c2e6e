package export

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/option"
)

// Definition is what CREATE EXPORT says. Options are text, as they were written.
type Definition struct {
	Storage string            `json:"storage"` // S3 or FOLDER
	Options map[string]string `json:"options"`
	With    map[string]string `json:"with,omitempty"`
	Query   string            `json:"query,omitempty"` // empty: all columns
	// Database is the one in which the query's names are looked up.
	Database string `json:"database"`
}

// secrets are the options that nobody is shown.
var secrets = []string{"secret_access_key", "session_token"}

// Masked returns the definition without secrets.
func (d Definition) Masked() Definition {
	d.Options = maps.Clone(d.Options)
	for _, name := range secrets {
		if d.Options[name] != "" {
			d.Options[name] = "***"
		}
	}
	return d
}

// location is where the objects are, for people. Another export may not write below it.
func (d Definition) location() string {
	if d.Storage == "FOLDER" {
		return filepath.Clean(d.Options["path"]) + string(filepath.Separator)
	}
	return s3Location(cmp.Or(d.Options["endpoint"], amazon), d.Options["bucket"], d.Options["prefix"])
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

// plan is a definition whose options are read.
type plan struct {
	storage storage
	after   time.Duration // how long a change waits for others
	keep    time.Duration // how long rows stay in the table once their time is over; 0: for ever
}

// defaultAfter lets what comes late, or is flushed and merged late, be exported with the rest.
const defaultAfter = 10 * time.Minute

// newPlan reads the options. Nothing is asked of the storage yet.
func newPlan(d Definition) (p plan, err error) {
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
		return p, base.Errorf(base.Invalid, "%s is none of S3, FOLDER", d.Storage)
	}
	return p, err
}

// parseDuration also takes days, which time.ParseDuration does not.
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
		return 0, base.Errorf(base.Invalid, "it is no time like 90s, 10m, 12h or 7d")
	}
	return d, nil
}
