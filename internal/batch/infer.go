package batch

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Evolve returns the table with the changes of its schema that a batch needs, and whether there are
// any changes. There are two kinds:
//   - A column that the table lacks is added, as nullable.
//   - A column whose type was inferred, and does not fit the values of the batch, gets a wider type
//     (schema.Widen), if that fits the values.
//
// A type that fits the values is not widened. A column of the batch with the type NULL adds
// nothing. If no change can make the table accept the data, the error is base.Invalid and names the
// first bad value. All changes together make one new schema version.
//
// An inferred column of 64-bit integers becomes DOUBLE if the batch has numbers with a fraction.
// That needs the function exact, which returns nil if all stored values of a column can be
// represented exactly as DOUBLE. If the function exact itself is nil, such columns do not change.
func Evolve(rec arrow.RecordBatch, table schema.Table, exact func(schema.Column) error) (schema.Table, bool, error) {
	next := table
	at := make(map[string]int, len(table.Columns))
	for i, c := range table.Columns {
		at[schema.Fold(c.Name)] = i
	}
	var added []schema.Column
	for i, field := range rec.Schema().Fields() {
		if field.Type.ID() == arrow.NULL {
			continue
		}
		natural, err := schema.FromArrow(field.Type, field.Metadata)
		if err == nil {
			natural, err = withoutNulls(natural)
		}
		position, known := at[schema.Fold(field.Name)]
		if !known {
			if err != nil {
				return schema.Table{}, false, base.Wrap(err, "table %s: new column %s", table.QualifiedName(), shorten(field.Name))
			}
			added = append(added, schema.Column{Name: field.Name, Type: natural, Inferred: true})
			continue
		}
		column := next.Columns[position]
		converted, refusal := convert(rec.Column(i), column.Type, true)
		if refusal == nil {
			converted.Release()
			continue
		}
		if number, ok := numberOf(rec.Column(i), column.Type); ok {
			natural, err = number, nil
		}
		widened, ok := schema.Widen(column.Type, natural)
		checked := !ok && err == nil && schema.ExactInDouble(column.Type, natural)
		if checked {
			widened, ok = schema.Of(schema.Double), true
		}
		if err != nil || !ok || widened.Equal(column.Type) {
			return schema.Table{}, false, refusal.report(table, column, 0)
		}
		if !column.Inferred {
			return schema.Table{}, false, refusal.report(table, column, 0).
				WithHint("the column was declared %s; ALTER TABLE ... ALTER COLUMN %s TYPE %s widens it", column.Type, schema.QuoteIfNeeded(column.Name), widened)
		}
		wider, stillRefused := convert(rec.Column(i), widened, true)
		if stillRefused != nil {
			return schema.Table{}, false, stillRefused.report(table, column, 0)
		}
		wider.Release()
		switch {
		case !checked:
			next, err = next.ChangeType(column.Name, widened)
		case exact == nil:
			return schema.Table{}, false, refusal.report(table, column, 0)
		default:
			if err := exact(column); err != nil {
				return schema.Table{}, false, refusal.report(table, column, 0).WithHint("%s", err)
			}
			next, err = next.ChangeTypeOfExact(column.Name, widened)
		}
		if err != nil {
			return schema.Table{}, false, err
		}
		next.Columns[position].Inferred = true
	}
	if len(added) > 0 {
		var err error
		if next, err = next.AddColumns(added...); err != nil {
			return schema.Table{}, false, err
		}
	}
	if next.Version == table.Version {
		return table, false, nil
	}
	next.Version = table.Version + 1
	return next, true, nil
}

// withoutNulls removes from a struct type the fields that have only NULLs, because a table cannot
// have columns of the type NULL. If a list or map has only NULLs, the error is base.Invalid.
func withoutNulls(t schema.Type) (schema.Type, error) {
	if t.Kind == schema.Null {
		return t, base.Errorf(base.Invalid, "nothing but NULLs inside: its type is unknown").
			WithHint("declare the column, or send a value first")
	}
	child := func(c *schema.Type) (*schema.Type, error) {
		if c == nil {
			return nil, nil
		}
		known, err := withoutNulls(*c)
		return &known, err
	}
	var err error
	if t.Elem, err = child(t.Elem); err != nil {
		return t, err
	}
	if t.Key, err = child(t.Key); err != nil {
		return t, err
	}
	if t.Kind != schema.Struct {
		return t, nil
	}
	var fields []schema.Field
	for _, f := range t.Fields {
		if f.Type.Kind == schema.Null {
			continue
		}
		if f.Type, err = withoutNulls(f.Type); err != nil {
			return t, err
		}
		fields = append(fields, f)
	}
	if len(fields) == 0 {
		return t, base.Errorf(base.Invalid, "struct with nothing but NULLs: its fields' types are unknown")
	}
	t.Fields = fields
	return t, nil
}

// maxInferredTags is the maximum number of columns of an inferred sort key, not counting the time
// column.
const maxInferredTags = 4

// InferOptions are what InferTable must know about a new table in addition to its first batch. The
// zero value is valid.
type InferOptions struct {
	// TimeColumn is the name of the timestamp column that is last in the sort key; empty means
	// "time".
	TimeColumn string
}

// InferTable returns the table that a first batch creates. The columns are nullable, and have their
// natural types (see schema.FromArrow). Columns of type NULL are not created until they have a
// value.
//
// The sort key begins with the tags. If there are none, it begins with up to four dictionary
// columns, because decoders make dictionaries of text that repeats. The time column follows, if it
// has a timestamp type.
func InferTable(database, schemaName, name string, rec arrow.RecordBatch, tags []string, options InferOptions) (schema.Table, error) {
	table := schema.Table{Database: database, Schema: schemaName, Name: name}
	var repeating []string
	for _, field := range rec.Schema().Fields() {
		if field.Type.ID() == arrow.NULL {
			continue
		}
		t, err := schema.FromArrow(field.Type, field.Metadata)
		if err == nil {
			t, err = withoutNulls(t)
		}
		if err != nil {
			return schema.Table{}, base.Wrap(err, "table %s: column %s", table.QualifiedName(), shorten(field.Name))
		}
		if field.Type.ID() == arrow.DICTIONARY && t.Kind == schema.Varchar && len(repeating) < maxInferredTags {
			repeating = append(repeating, field.Name)
		}
		table.Columns = append(table.Columns, schema.Column{Name: field.Name, Type: t, Inferred: true})
	}
	if len(tags) == 0 {
		tags = repeating
	}
	timeColumn := options.TimeColumn
	if timeColumn == "" {
		timeColumn = "time"
	}
	addKey := func(i int) {
		f := schema.SortField{Column: base.ColumnID(i) + 1}
		if !slices.Contains(table.SortKey, f) {
			table.SortKey = append(table.SortKey, f)
		}
	}
	for _, tag := range tags {
		i := table.ColumnIndex(tag)
		if i < 0 {
			return schema.Table{}, base.Errorf(base.Invalid, "table %s: tag %s is not a column", table.QualifiedName(), shorten(tag))
		}
		addKey(i)
	}
	if i := table.ColumnIndex(timeColumn); i >= 0 {
		switch table.Columns[i].Type.Kind {
		case schema.Timestamp, schema.TimestampS, schema.TimestampMS, schema.TimestampNS, schema.TimestampTZ:
			addKey(i)
		}
	}
	return schema.New(table)
}
