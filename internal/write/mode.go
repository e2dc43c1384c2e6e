package write

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/incoming"
)

// Mode says what a request without SQL, such as an upload of JSON or Arrow, does with its rows.
type Mode uint8

const (
	Append Mode = iota // add the rows; with a primary key the same as Upsert
	Upsert             // update existing rows of the same keys; insert other rows
	Update             // update existing rows of the same keys; ignore other rows
	Delete             // delete the existing rows of the same keys
	// Insert adds rows as the INSERT statement does: the option on_insert decides what happens if a
	// key exists.
	Insert
)

// ParseMode parses the name of a mode. The empty name means Append.
func ParseMode(name string) (Mode, error) {
	if name == "" {
		return Append, nil
	}
	if i := slices.Index(modeNames[:], name); i >= 0 {
		return Mode(i), nil
	}
	return 0, base.Errorf(base.Invalid, "mode %q is none of append, insert, upsert, update and delete", name)
}

var modeNames = [...]string{Append: "append", Upsert: "upsert", Update: "update", Delete: "delete", Insert: "insert"}

// String returns the name of the mode.
func (m Mode) String() string { return modeNames[m] }

// CheckKey returns an error if a request names key columns for a mode that does not take them.
// These modes are Append and Insert.
func (m Mode) CheckKey(key []string) error {
	if (m == Append || m == Insert) && len(key) > 0 {
		return base.Errorf(base.Invalid, "mode=%s takes no key", m).WithHint("mode=upsert changes the rows of the same key")
	}
	return nil
}

var modeConflicts = map[Mode]incoming.Policy{Upsert: incoming.ReplaceRow, Update: incoming.UpdateOnConflict, Delete: incoming.DeleteOnConflict}
