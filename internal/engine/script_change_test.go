package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/cockroachdb/datadriven"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
)

// append t columns=(a BIGINT, b VARCHAR) [key=k] [hash=h] [create] [async]
//
// The input has one JSON object per line.
func (s *script) append(d *datadriven.TestData) (string, error) {
	record, err := batchOfJSON(arg(d, "columns"), d.Input)
	if err != nil {
		return "", err
	}
	r, err := s.engine.Append(ctx, []TableRows{{Table: nameOf(d), Batches: []arrow.RecordBatch{record}}}, AppendOptions{
		Create: d.HasArg("create"), Async: d.HasArg("async"), IdempotencyKey: arg(d, "key"), BodyHash: []byte(arg(d, "hash"))})
	if err != nil {
		return "", err
	}
	out := fmt.Sprintf("rows %d seq %d", r.Rows(), r.Seq)
	if r.Replayed {
		out += " replayed"
	}
	return out, nil
}

// update t set=(a = a + 1, b = 'text') [where=(a = 1)] [from=snapshot] [reads | reads=(a, b)]
// [rewrite]
//
// For the forms of values and conditions see evaluate and holds. With from, the statement is one
// that read the table at the held snapshot, and commits now. With reads, its result depends on the
// whole table, or on some of its columns. With rewrite, it rewrites the parts of its rows.
func (s *script) update(d *datadriven.TestData) (string, error) {
	x, err := s.begin(d)
	if err != nil {
		return "", err
	}
	defer x.end()
	set := assignments(x.table.Schema, d)
	if x.change.Updated, err = x.layers(x.rows, set); err != nil {
		return "", err
	}
	if slices.ContainsFunc(set, func(a patch.Assignment) bool { return a.Column == x.table.Schema.RowVersion }) {
		if err := x.addKeys(x.rows); err != nil {
			return "", err
		}
	}
	x.change.Counts.Updated = int64(len(x.rows))
	return x.done("updated")
}

// delete t [where=(a = 1)] [from=snapshot] [reads | reads=(a, b)] [rewrite]
func (s *script) delete(d *datadriven.TestData) (string, error) {
	x, err := s.begin(d)
	if err != nil {
		return "", err
	}
	defer x.end()
	x.change.Deleted = bitmapsOf(x.rows)
	if x.table.Schema.RowVersion != 0 {
		if err := x.addKeys(x.rows); err != nil {
			return "", err
		}
	}
	x.change.Counts.Deleted = int64(len(x.rows))
	return x.done("deleted")
}

// upsert t columns=(a BIGINT, b VARCHAR) [from=snapshot]
//
// The input has one JSON object per line. Each of these rows replaces the row of its primary key,
// if there is one.
func (s *script) upsert(d *datadriven.TestData) (string, error) {
	x, err := s.begin(d)
	if err != nil {
		return "", err
	}
	defer x.end()
	record, err := batchOfJSON(arg(d, "columns"), d.Input)
	if err != nil {
		return "", err
	}
	incoming, err := rowsOfBatch(x.table.Schema, record)
	if err != nil {
		return "", err
	}
	var replaced []scriptRow
	for _, r := range x.rows {
		if slices.ContainsFunc(incoming, func(n scriptRow) bool { return keyOfRow(x.table.Schema, n) == keyOfRow(x.table.Schema, r) }) {
			replaced = append(replaced, r)
		}
	}
	x.change.Deleted, x.change.Inserted = bitmapsOf(replaced), []arrow.RecordBatch{record}
	x.change.Counts = Counts{Updated: int64(len(replaced)), Inserted: int64(len(incoming) - len(replaced))}
	if err := x.addKeys(incoming); err != nil {
		return "", err
	}
	seq, err := x.commit()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("inserted %d updated %d seq %d", x.change.Counts.Inserted, x.change.Counts.Updated, seq), nil
}

// expression t set=(a = a + 1) [where=(a = 1)] [from=snapshot]
//
// The update is stored as SQL for the rows whose values are all in parts. All other rows get
// patches.
func (s *script) expression(d *datadriven.TestData) (string, error) {
	x, err := s.begin(d)
	if err != nil {
		return "", err
	}
	defer x.end()
	var inMemory []scriptRow
	for _, r := range x.rows {
		if !r.stored {
			inMemory = append(inMemory, r)
		}
	}
	set := assignments(x.table.Schema, d)
	if x.change.Updated, err = x.layers(inMemory, set); err != nil {
		return "", err
	}
	if len(inMemory) < len(x.rows) {
		x.change.Expression = &patch.Expression{Alias: x.table.Schema.Name, Set: set, Where: arg(d, "where")}
	}
	if len(x.rows) == 0 {
		return "updated 0", nil
	}
	x.change.ReadDependencies, x.change.DeleteSuperseded = []ReadDependency{{Table: x.table.Schema.ID}}, true
	seq, err := x.commit()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("patched %d, by the expression %d, seq %d", len(inMemory), len(x.rows)-len(inMemory), seq), nil
}

// assignments returns the value of the argument set, by ascending column id.
func assignments(t schema.Table, d *datadriven.TestData) (set []patch.Assignment) {
	for _, text := range values(d, "set") {
		name, value, _ := strings.Cut(text, " = ")
		set = append(set, patch.Assignment{Column: t.Columns[t.ColumnIndex(name)].ID, Value: value})
	}
	slices.SortFunc(set, func(a, b patch.Assignment) int { return int(a.Column) - int(b.Column) })
	return set
}
