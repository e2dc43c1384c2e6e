package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
)

// ColumnKey is a metadata key of the fields in the schema that Table.Arrow returns. The metadata
// value is the column's id.
const ColumnKey = "scoter.column"

// Column is one column of a table.
type Column struct {
	ID      base.ColumnID `json:"id"`
	Name    string        `json:"name"`
	Type    Type          `json:"type"`
	NotNull bool          `json:"not_null,omitempty"`
	Default string        `json:"default,omitempty"` // an SQL expression; empty for NULL
	// Check is an SQL condition that the column's CHECK demands of each row. It is empty if there
	// is none.
	Check string `json:"check,omitempty"`
	// Inferred says that the column was created for incoming rows, without a declared type. Later
	// rows may widen an inferred type. A declared type changes only by ALTER TABLE.
	Inferred bool `json:"inferred,omitempty"`
	// Initial is an SQL constant: the value of the column in rows that were written before the
	// column was added. Empty means NULL. A later change of Default does not change Initial.
	Initial string `json:"initial,omitempty"`
}

// Transform says how the value of a partition is computed from a column's value.
type Transform uint8

// The transforms. Each except Identity needs a column of dates or timestamps. A TIMESTAMPTZ is
// transformed in UTC.
const (
	Identity Transform = iota
	Year
	Month
	Day
	Hour
)

var transformNames = [...]string{Identity: "identity", Year: "year", Month: "month", Day: "day", Hour: "hour"}

// String returns the name of the transform in SQL, paths and JSON.
func (t Transform) String() string {
	if int(t) >= len(transformNames) {
		return "invalid"
	}
	return transformNames[t]
}

// MarshalText returns the name of the transform.
func (t Transform) MarshalText() ([]byte, error) {
	if int(t) >= len(transformNames) {
		return nil, base.Errorf(base.Internal, "transform %d", uint8(t))
	}
	return []byte(t.String()), nil
}

// UnmarshalText parses the name of a transform.
func (t *Transform) UnmarshalText(text []byte) error {
	for i, name := range transformNames {
		if string(text) == name {
			*t = Transform(i)
			return nil
		}
	}
	return base.Errorf(base.Invalid, "unknown partition transform %q", text).WithHint("use one of identity, year, month, day, hour")
}

// PartitionField is one level of a table's partitioning: a column and its transform.
type PartitionField struct {
	Column    base.ColumnID `json:"column"`
	Transform Transform     `json:"transform"`
}

// SortField is one column of a table's sort key. NULLs are last unless NullsFirst is set, both in
// ascending and in descending order, as in DuckDB by default.
type SortField struct {
	Column     base.ColumnID `json:"column"`
	Descending bool          `json:"descending,omitempty"`
	NullsFirst bool          `json:"nulls_first,omitempty"`
}

// Table is one version of a table's schema. A Table is never changed, so it can be shared between
// goroutines. The methods that change a schema return a new Table.
type Table struct {
	ID       base.TableID `json:"id"`
	Database string       `json:"database"`
	Schema   string       `json:"schema"`
	Name     string       `json:"name"`
	// Version is the number of this version of the schema, from 1.
	Version uint32 `json:"version"`
	// NextColumnID is higher than the id of every column that the table ever had.
	NextColumnID base.ColumnID    `json:"next_column_id"`
	Columns      []Column         `json:"columns"`
	SortKey      []SortField      `json:"sort_key,omitempty"`
	PartitionBy  []PartitionField `json:"partition_by,omitempty"`
	PrimaryKey   []base.ColumnID  `json:"primary_key,omitempty"`
	// RowVersion, if not 0, is the id of the version column: of several rows with the same key, the
	// one with the highest version wins. IsDeleted, if not 0, is the id of a column that is true in
	// rows that delete their key. Both need a primary key.
	RowVersion base.ColumnID `json:"row_version,omitempty"`
	IsDeleted  base.ColumnID `json:"is_deleted,omitempty"`
	// KeepTombstones is how long rows that delete their key are stored before a merge may remove
	// them, in nanoseconds. 0 means DefaultKeepTombstones.
	KeepTombstones time.Duration `json:"keep_tombstones,omitempty"`
	// MergeOnRead says that writers store whole rows without reading existing rows of the same key.
	// Readers find the row version that wins. It needs a primary key.
	MergeOnRead bool `json:"merge_on_read,omitempty"`
	// ReplaceOnInsert says that a plain INSERT of an existing key replaces the columns of the
	// existing row. Without it such an INSERT is an error: see InsertRefuses. It needs a primary
	// key.
	ReplaceOnInsert bool              `json:"replace_on_insert,omitempty"`
	Options         map[string]string `json:"options,omitempty"`
	// Checks are SQL conditions that the table's CHECK constraints demand of each row.
	Checks []string `json:"checks,omitempty"`
}

// ColumnIndex returns the position of the column with the given name, or -1. Names are compared as
// in DuckDB: the case of ASCII letters does not matter.
func (t Table) ColumnIndex(name string) int {
	folded := Fold(name)
	for i := range t.Columns {
		if Fold(t.Columns[i].Name) == folded {
			return i
		}
	}
	return -1
}

// ColumnByID returns the position of the column with the given id, or -1.
func (t Table) ColumnByID(id base.ColumnID) int {
	for i := range t.Columns {
		if t.Columns[i].ID == id {
			return i
		}
	}
	return -1
}

// Arrow returns the Arrow schema of the table's batches. It has a field for each column, in the
// order of the columns. The type of a field is the storage type of the column, and its metadata has
// the column's id under ColumnKey.
func (t Table) Arrow() *arrow.Schema {
	fields := make([]arrow.Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = c.Arrow()
	}
	return arrow.NewSchema(fields, nil)
}

// Arrow returns the field that the column has in the schema of the table's batches.
func (c Column) Arrow() arrow.Field {
	return arrow.Field{
		Name:     c.Name,
		Type:     c.Type.Arrow(),
		Nullable: !c.NotNull,
		Metadata: arrow.NewMetadata([]string{ColumnKey}, []string{strconv.FormatUint(uint64(c.ID), 10)}),
	}
}

// Condition returns all CHECK constraints of the table and its columns as one SQL condition. It
// returns "" if there are none.
func (t Table) Condition() string {
	var checks []string
	for _, c := range t.Checks {
		checks = append(checks, "("+c+")")
	}
	for _, c := range t.Columns {
		if c.Check != "" {
			checks = append(checks, "("+c.Check+")")
		}
	}
	return strings.Join(checks, " AND ")
}

// Contains reports whether one of the columns has this id.
func Contains(columns []Column, id base.ColumnID) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.ID == id })
}

// InKey reports whether a column is part of the sort key, the partitioning or the primary key.
func (t Table) InKey(id base.ColumnID) bool {
	return slices.ContainsFunc(t.SortKey, func(f SortField) bool { return f.Column == id }) ||
		slices.ContainsFunc(t.PartitionBy, func(f PartitionField) bool { return f.Column == id }) ||
		slices.Contains(t.PrimaryKey, id)
}

// QualifiedName returns the table's name for messages, as database.schema.name.
func (t Table) QualifiedName() string { return t.Database + "." + t.Schema + "." + t.Name }

// QuotedName returns the table's qualified name for SQL, in double quotes.
func (t Table) QuotedName() string {
	return Quote(t.Database) + "." + Quote(t.Schema) + "." + Quote(t.Name)
}

// Encode returns the table as JSON. Equal tables have the same JSON.
func (t Table) Encode() ([]byte, error) {
	b, err := json.Marshal(t)
	if err != nil {
		return nil, base.Wrap(err, "encode table %s", t.QualifiedName())
	}
	return b, nil
}

// DecodeTable decodes and validates the output of Encode. Errors are base.Corrupt.
func DecodeTable(text []byte) (Table, error) {
	var t Table
	if err := json.Unmarshal(text, &t); err != nil {
		return Table{}, base.Errorf(base.Corrupt, "decode table: %w", err)
	}
	if err := t.Validate(); err != nil {
		return Table{}, base.Errorf(base.Corrupt, "decode table: %w", err)
	}
	return t, nil
}

// String returns the CREATE TABLE statement for the table, in Scoter's dialect.
func (t Table) String() string {
	var b strings.Builder
	b.WriteString("CREATE TABLE " + t.QuotedName() + " (")
	for i, c := range t.Columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  " + Quote(c.Name) + " " + c.Type.String())
		if c.NotNull {
			b.WriteString(" NOT NULL")
		}
		if c.Default != "" {
			b.WriteString(" DEFAULT (" + c.Default + ")")
		}
		if c.Check != "" {
			b.WriteString(" CHECK (" + c.Check + ")")
		}
	}
	if len(t.PrimaryKey) > 0 {
		names := make([]string, len(t.PrimaryKey))
		for i, id := range t.PrimaryKey {
			names[i] = t.quotedName(id)
		}
		b.WriteString(",\n  PRIMARY KEY (" + strings.Join(names, ", ") + ")")
	}
	for _, check := range t.Checks {
		b.WriteString(",\n  CHECK (" + check + ")")
	}
	b.WriteString("\n)")
	t.writeClauses(&b)
	return b.String()
}
