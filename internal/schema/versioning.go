package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// DefaultKeepTombstones is how long a row that says that its key is deleted keeps older versions of it from coming
// back, unless the table says otherwise.
const DefaultKeepTombstones = 7 * 24 * time.Hour

// Options of WITH (...) that are more than text: what they say is in fields of Table.
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

// Values of the option upsert.
const (
	mergeOnWrite = "merge-on-write"
	mergeOnRead  = "merge-on-read"
)

// WithOptions returns the table with what WITH (...) says of it. Columns of a table that is yet to be made are named by
// position + 1, as New expects.
func (t Table) WithOptions(options map[string]string) (Table, error) {
	t = t.clone()
	column := func(option, name string) (base.ColumnID, error) {
		i := t.ColumnIndex(name)
		if i < 0 {
			return 0, base.Errorf(base.Invalid, "%s = %s: there is no such column", option, QuoteString(name))
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
			err = base.Errorf(base.Invalid, "there is no option %s of a table", key).
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

// SetOptions changes options of a table that is there: only on_insert can be changed, because the others say how rows that are stored are to be read.
func (t Table) SetOptions(options map[string]string) (Table, error) {
	for _, key := range slices.Sorted(maps.Keys(options)) {
		if key != optionOnInsert {
			return Table{}, base.Errorf(base.Invalid, "option %s of a table cannot be changed", key).WithHint("the option that can be changed is %s", optionOnInsert)
		}
	}
	return t.evolve(func(next *Table) (err error) {
		*next, err = next.WithOptions(options)
		return err
	})
}

// checkOnInsert refuses on_insert where it would have no effect.
func (t Table) checkOnInsert() error {
	switch {
	case len(t.PrimaryKey) == 0:
		return base.Errorf(base.Invalid, "option %s needs a primary key", optionOnInsert)
	case t.ReplaceOnInsert:
		return nil
	case t.MergeOnRead:
		return base.Errorf(base.Invalid, "%s = %s does not go with %s = %s: rows are stored without a look at those of their keys that are there, so nobody could tell",
			optionOnInsert, QuoteString(onInsertError), optionUpsert, QuoteString(mergeOnRead))
	case t.RowVersion != 0:
		return base.Errorf(base.Invalid, "%s = %s does not go with the option %s: of several rows with one key the one with the highest version holds, in whatever order they come",
			optionOnInsert, QuoteString(onInsertError), optionVersion)
	}
	return nil
}

// InsertRefuses reports whether a plain INSERT of a key that is there is an error.
func (t Table) InsertRefuses() bool { return t.choosesOnInsert() && !t.ReplaceOnInsert }

// choosesOnInsert reports whether the option on_insert decides what a plain INSERT does.
func (t Table) choosesOnInsert() bool {
	return len(t.PrimaryKey) > 0 && !t.MergeOnRead && t.RowVersion == 0
}

// parseAge reads a duration such as 7d, 36h or 1h30m.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil && n > 0 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, base.Errorf(base.Invalid, "%s = %s is no length of time", optionKeepTombstones, QuoteString(text)).WithHint("write 7d, 36h or 1h30m")
	}
	return d, nil
}

// parseUpsert reads when rows of one key are merged, and reports whether that is when they are read.
func parseUpsert(text string) (onRead bool, err error) {
	switch strings.ToLower(text) {
	case mergeOnWrite:
		return false, nil
	case mergeOnRead:
		return true, nil
	}
	return false, base.Errorf(base.Invalid, "%s = %s is neither %s nor %s", optionUpsert, QuoteString(text), QuoteString(mergeOnWrite), QuoteString(mergeOnRead))
}

// parseOnInsert reads what a plain INSERT of a key that is there does, and reports whether it replaces the row.
func parseOnInsert(text string) (replaces bool, err error) {
	switch strings.ToLower(text) {
	case onInsertError:
		return false, nil
	case onInsertReplace:
		return true, nil
	}
	return false, base.Errorf(base.Invalid, "%s = %s is neither %s nor %s", optionOnInsert, QuoteString(text), QuoteString(onInsertError), QuoteString(onInsertReplace))
}

// allOptions returns what WITH (...) says of the table.
func (t Table) allOptions() map[string]string {
	all := maps.Clone(t.Options)
	delete(all, optionUpsert) // formats before 7 kept it as a text and did nothing
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

// KeepsTombstones reports whether a row that says that its key is deleted means something to rows that arrive
// later: they may have a lower version.
func (t Table) KeepsTombstones() bool { return t.RowVersion != 0 && t.IsDeleted != 0 }

// TombstoneAge is how long such rows stay.
func (t Table) TombstoneAge() time.Duration {
	if t.KeepTombstones == 0 {
		return DefaultKeepTombstones
	}
	return t.KeepTombstones
}

// Bare returns the table as one whose rows are what they are: none says of itself that it is deleted.
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
		return t.invalid("option %s: column %q of type %s is no integer of up to 64 bits, date or timestamp", optionVersion, c.Name, c.Type)
	case t.IsDeleted != 0 && t.Columns[ids[t.IsDeleted]].Type.Kind != Boolean:
		c := t.Columns[ids[t.IsDeleted]]
		return t.invalid("option %s: column %q of type %s is no BOOLEAN", optionIsDeleted, c.Name, c.Type)
	case t.RowVersion != 0 && t.RowVersion == t.IsDeleted:
		return t.invalid("options %s and %s name one column", optionVersion, optionIsDeleted)
	case t.KeepTombstones < 0 || t.KeepTombstones != 0 && !t.KeepsTombstones():
		return t.invalid("option %s needs the options %s and %s", optionKeepTombstones, optionVersion, optionIsDeleted)
	}
	return nil
}

// countsVersions reports whether values of the type order as what Arrow stores of them does, in 64 bits.
func (t Type) countsVersions() bool {
	switch t.Kind {
	case TinyInt, SmallInt, Integer, BigInt, UTinyInt, USmallInt, UInteger, UBigInt,
		Date, Timestamp, TimestampS, TimestampMS, TimestampNS, TimestampTZ:
		return true
	}
	return false
}
