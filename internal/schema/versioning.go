package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// DefaultKeepTombstones is how long tombstones are stored, unless the table sets another time. A
// tombstone says that its key is deleted. It prevents an older row version that arrives late from
// restoring the key.
const DefaultKeepTombstones = 7 * 24 * time.Hour

// Names of table options in WITH (...). Their values are stored in fields of Table.
const (
	optionVersion        = "version"
	optionIsDeleted      = "is_deleted"
	optionKeepTombstones = "keep_tombstones"
	optionUpsert         = "upsert"
	optionOnInsert       = "on_insert"
)

// Values of the option on_insert.
const (
	onInsertError   = "error"
	onInsertReplace = "replace"
)

// Values of the option upsert. It says whether rows of the same key are merged when they are
// written or when they are read.
const (
	mergeOnWrite = "merge-on-write"
	mergeOnRead  = "merge-on-read"
)

// WithOptions returns the table with the options of WITH (...) set. It is for a new table, whose
// columns have no ids yet. So a column is identified by its position + 1, as New expects.
func (t Table) WithOptions(options map[string]string) (Table, error) {
	t = t.clone()
	column := func(option, name string) (base.ColumnID, error) {
		i := t.ColumnIndex(name)
		if i < 0 {
			return 0, base.Errorf(base.Invalid, "%s = %s: the table has no such column", option, QuoteString(name))
		}
		if id := t.Columns[i].ID; id != 0 {
			return id, nil
		}
		return base.ColumnID(i + 1), nil
	}
	var err error
	for _, key := range slices.Sorted(maps.Keys(options)) {
		value := options[key]
		switch key {
		case optionVersion:
			t.RowVersion, err = column(key, value)
		case optionIsDeleted:
			t.IsDeleted, err = column(key, value)
		case optionKeepTombstones:
			t.KeepTombstones, err = parseAge(value)
		case optionUpsert:
			t.MergeOnRead, err = parseUpsert(value)
		case optionOnInsert:
			t.ReplaceOnInsert, err = parseOnInsert(value)
		default:
			err = base.Errorf(base.Invalid, "unknown table option %s", key).
				WithHint("options are %s", strings.Join([]string{optionVersion, optionIsDeleted, optionKeepTombstones, optionUpsert, optionOnInsert}, ", "))
		}
		if err != nil {
			return Table{}, err
		}
	}
	if _, given := options[optionOnInsert]; given {
		err = t.checkOnInsert()
	}
	return t, err
}

// SetOptions changes options of an existing table. Only on_insert can be changed, because the other
// options determine how the stored rows are read.
func (t Table) SetOptions(options map[string]string) (Table, error) {
	for _, key := range slices.Sorted(maps.Keys(options)) {
		if key != optionOnInsert {
			return Table{}, base.Errorf(base.Invalid, "option %s of a table cannot be changed", key).WithHint("only %s can be changed", optionOnInsert)
		}
	}
	return t.evolve(func(next *Table) (err error) {
		*next, err = next.WithOptions(options)
		return err
	})
}

// checkOnInsert returns an error if the option on_insert is set for a table in which it has no
// effect.
func (t Table) checkOnInsert() error {
	switch {
	case len(t.PrimaryKey) == 0:
		return base.Errorf(base.Invalid, "option %s needs a primary key", optionOnInsert)
	case t.ReplaceOnInsert:
		return nil
	case t.MergeOnRead:
		return base.Errorf(base.Invalid, "%s = %s cannot be combined with %s = %s: rows are stored without reading the existing rows of their keys",
			optionOnInsert, QuoteString(onInsertError), optionUpsert, QuoteString(mergeOnRead))
	case t.RowVersion != 0:
		return base.Errorf(base.Invalid, "%s = %s cannot be combined with the option %s: the row with the highest version of its key wins, whatever the order of the inserts",
			optionOnInsert, QuoteString(onInsertError), optionVersion)
	}
	return nil
}

// InsertRefuses reports whether a plain INSERT into this table is an error if the key exists.
func (t Table) InsertRefuses() bool { return t.choosesOnInsert() && !t.ReplaceOnInsert }

// choosesOnInsert reports whether the option on_insert has an effect on plain INSERTs into this
// table.
func (t Table) choosesOnInsert() bool {
	return len(t.PrimaryKey) > 0 && !t.MergeOnRead && t.RowVersion == 0
}

// parseAge parses a duration with units, such as 7d, 36h or 1h30m.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil && n > 0 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, base.Errorf(base.Invalid, "%s = %s is not a duration", optionKeepTombstones, QuoteString(text)).WithHint("write 7d, 36h or 1h30m")
	}
	return d, nil
}

// parseUpsert parses the value of the option upsert. onRead is true if rows of the same key are
// merged when they are read.
func parseUpsert(text string) (onRead bool, err error) {
	switch strings.ToLower(text) {
	case mergeOnWrite:
		return false, nil
	case mergeOnRead:
		return true, nil
	}
	return false, base.Errorf(base.Invalid, "%s = %s is neither %s nor %s", optionUpsert, QuoteString(text), QuoteString(mergeOnWrite), QuoteString(mergeOnRead))
}

// parseOnInsert parses the value of the option on_insert. The result replaces is true if a plain
// INSERT replaces the row of an existing key.
func parseOnInsert(text string) (replaces bool, err error) {
	switch strings.ToLower(text) {
	case onInsertError:
		return false, nil
	case onInsertReplace:
		return true, nil
	}
	return false, base.Errorf(base.Invalid, "%s = %s is neither %s nor %s", optionOnInsert, QuoteString(text), QuoteString(onInsertError), QuoteString(onInsertReplace))
}

// allOptions returns all options of the table by name, in the form that WITH (...) accepts.
func (t Table) allOptions() map[string]string {
	all := maps.Clone(t.Options)
	// A catalog of a format version before 7 may have the option upsert in this map, where it had
	// no effect.
	delete(all, optionUpsert)
	put := func(key, value string) {
		if all == nil {
			all = map[string]string{}
		}
		all[key] = value
	}
	for key, id := range map[string]base.ColumnID{optionVersion: t.RowVersion, optionIsDeleted: t.IsDeleted} {
		if i := t.ColumnByID(id); id != 0 && i >= 0 {
			put(key, t.Columns[i].Name)
		}
	}
	if t.KeepTombstones != 0 {
		put(optionKeepTombstones, t.KeepTombstones.String())
	}
	if t.MergeOnRead {
		put(optionUpsert, mergeOnRead)
	}
	switch {
	case !t.choosesOnInsert():
	case t.ReplaceOnInsert:
		put(optionOnInsert, onInsertReplace)
	default:
		put(optionOnInsert, onInsertError)
	}
	return all
}

// KeepsTombstones reports whether the table stores tombstones (rows which say that their key is
// deleted). A table with versions must store them, because a row that arrives after a deletion may
// have a lower version than the deletion.
func (t Table) KeepsTombstones() bool { return t.RowVersion != 0 && t.IsDeleted != 0 }

// TombstoneAge returns how long the table stores tombstones (rows which say that their key is
// deleted).
func (t Table) TombstoneAge() time.Duration {
	if t.KeepTombstones == 0 {
		return DefaultKeepTombstones
	}
	return t.KeepTombstones
}

// Bare returns the table without the options version, is_deleted and merge on read. The columns
// stay, but have no special meaning. So each row counts as a current row, and no row as a tombstone
// (a row which says that its key is deleted).
func (t Table) Bare() Table {
	t.RowVersion, t.IsDeleted, t.MergeOnRead = 0, 0, false
	return t
}

func (t Table) validateVersioning(ids map[base.ColumnID]int) error {
	for option, id := range map[string]base.ColumnID{optionVersion: t.RowVersion, optionIsDeleted: t.IsDeleted} {
		if id == 0 {
			continue
		}
		i, ok := ids[id]
		switch {
		case !ok:
			return t.invalid("option %s: there is no column of id %d", option, id)
		case len(t.PrimaryKey) == 0:
			return t.invalid("option %s needs a primary key", option)
		case slices.Contains(t.PrimaryKey, id):
			return t.invalid("option %s: column %q is part of the primary key", option, t.Columns[i].Name)
		}
	}
	switch {
	case t.MergeOnRead && len(t.PrimaryKey) == 0:
		return t.invalid("option %s = %s needs a primary key", optionUpsert, QuoteString(mergeOnRead))
	case t.RowVersion != 0 && !t.Columns[ids[t.RowVersion]].Type.countsVersions():
		c := t.Columns[ids[t.RowVersion]]
		return t.invalid("option %s: column %q of type %s is not an integer of up to 64 bits, a date or a timestamp", optionVersion, c.Name, c.Type)
	case t.IsDeleted != 0 && t.Columns[ids[t.IsDeleted]].Type.Kind != Boolean:
		c := t.Columns[ids[t.IsDeleted]]
		return t.invalid("option %s: column %q of type %s is not a BOOLEAN", optionIsDeleted, c.Name, c.Type)
	case t.RowVersion != 0 && t.RowVersion == t.IsDeleted:
		return t.invalid("options %s and %s name the same column", optionVersion, optionIsDeleted)
	case t.KeepTombstones < 0 || t.KeepTombstones != 0 && !t.KeepsTombstones():
		return t.invalid("option %s needs the options %s and %s", optionKeepTombstones, optionVersion, optionIsDeleted)
	}
	return nil
}

// countsVersions reports whether the version column can have this type. The stored form of the
// values must have the order of the values, and at most 64 bits.
func (t Type) countsVersions() bool {
	switch t.Kind {
	case TinyInt, SmallInt, Integer, BigInt, UTinyInt, USmallInt, UInteger, UBigInt,
		Date, Timestamp, TimestampS, TimestampMS, TimestampNS, TimestampTZ:
		return true
	}
	return false
}
