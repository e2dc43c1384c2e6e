package mutate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
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

// Write changes a table according to the rows of a request and its mode. The argument key has the
// names of the columns by which existing rows are found. If key is empty, these are the columns of
// the primary key. If the rows lack columns, existing rows keep their values of these columns, and
// new rows get the defaults. If several rows have the same key, the last one counts.
func (m *Writer) Write(ctx context.Context, rows engine.TableRows, mode Mode, key []string, o engine.AppendOptions) (engine.Counts, error) {
	if mode == Append {
		return m.Append(ctx, []engine.TableRows{rows}, o)
	}
	return m.idempotent(ctx, o, func(o engine.AppendOptions) (engine.Counts, error) {
		for range maxAttempts {
			w := &rowsRequest{Writer: m, ctx: ctx, rows: rows, mode: mode, options: o}
			counts, err := w.run(key)
			if !errors.Is(err, errStale) {
				return counts, err
			}
		}
		return engine.Counts{}, errTooManyConflicts()
	})
}

// rowsRequest is one request without SQL, such as an upload of JSON, that changes a table.
type rowsRequest struct {
	*Writer
	ctx     context.Context
	rows    engine.TableRows
	mode    Mode
	options engine.AppendOptions
	// evolution is the change of the table's schema that the rows need, or nil.
	evolution *engine.Evolution
}

// optionsWithEvolution returns the options for the commit of the rows, with the request's evolution
// added.
func (w *rowsRequest) optionsWithEvolution() engine.AppendOptions {
	o := w.options
	if w.evolution != nil {
		o.Evolutions = []engine.Evolution{*w.evolution}
	}
	return o
}

// run makes the change of the request. It returns errStale if the table's schema changed in the
// meantime. The argument key has the names of the key columns.
func (w *rowsRequest) run(key []string) (counts engine.Counts, err error) {
	name := w.rows.Table
	t, err := w.names.Lookup(name.Database, name.Schema, name.Name)
	switch {
	case w.mode == Insert && (err != nil || !t.InsertRefuses()):
		return w.Append(w.ctx, []engine.TableRows{w.rows}, w.options)
	case w.mode == Insert:
		return w.insert()
	case base.KindOf(err) == base.NotFound && err != nil && w.mode == Upsert && w.options.Create && len(key) > 0:
		w.rows.Key = key
		if columns, err := missingColumns(t, w.rows); err == nil && len(columns) > 0 {
			// The table does not exist yet. Plan returns the table that will be created for the
			// rows.
			if t, w.evolution, err = w.store.Plan(w.ctx, w.rows, w.options); err != nil {
				return engine.Counts{}, err
			}
		}
	case err != nil:
		return engine.Counts{}, err
	}
	if w.mode == Delete {
		return w.delete(t, key)
	}
	own := isKey(t, key)
	var pieces []*incomingRows
	if own {
		pieces, err = w.pieces(t)
	} else {
		err = checkSameColumns(w.rows, t)
	}
	switch {
	case err != nil:
		return engine.Counts{}, err
	case len(pieces) > 0:
		defer releaseIncoming(pieces)
		return w.upsert(w.ctx, pieces, modeConflicts[w.mode], w.optionsWithEvolution(), nil)
	case w.mode == Upsert && own && appendsWithoutLookup(t, givenBy(w.rows, t), w.rows.WholeRows):
		result, err := w.store.Append(w.ctx, []engine.TableRows{w.rows}, w.options)
		if errors.Is(err, engine.ErrMissingColumn) {
			err = errStale
		}
		return result.Counts, err
	}
	t, records, err := w.conformed(t)
	if err != nil {
		return engine.Counts{}, err
	}
	defer batch.ReleaseAll(records)
	return w.apply(t, records, key)
}

// conformed returns the rows in the table's storage types, and a copy of the table that has only
// the columns of the rows. If the mode may insert rows, these are all columns. Otherwise they are
// the columns that were sent.
func (w *rowsRequest) conformed(t schema.Table) (schema.Table, []arrow.RecordBatch, error) {
	if w.mode == Upsert {
		table, evolution, records, err := w.store.Conform(w.ctx, w.rows, w.options)
		w.evolution = evolution
		return table, records, err
	}
	t.Columns = givenBy(w.rows, t)
	records, err := w.conform(t)
	return t, records, err
}

// conform returns the rows as batches that conform to sub. sub is the table with only some of its
// columns.
func (w *rowsRequest) conform(sub schema.Table) (records []arrow.RecordBatch, err error) {
	first := int64(0)
	for _, in := range w.rows.Batches {
		rec, err := batch.Conform(in, sub, batch.ConformOptions{FirstRow: first})
		if err != nil {
			batch.ReleaseAll(records)
			return nil, err
		}
		records = append(records, rec)
		first += rec.NumRows()
	}
	return records, nil
}

// givenBy returns the columns of table t that the rows have.
func givenBy(rows engine.TableRows, t schema.Table) []schema.Column {
	var out []schema.Column
	for _, c := range t.Columns {
		if slices.ContainsFunc(rows.Batches, func(rec arrow.RecordBatch) bool {
			return slices.ContainsFunc(rec.Schema().Fields(), func(f arrow.Field) bool { return schema.Fold(f.Name) == schema.Fold(c.Name) })
		}) {
			out = append(out, c)
		}
	}
	return out
}

var modeConflicts = map[Mode]conflictAction{Upsert: replaceRow, Update: updateOnConflict, Delete: deleteOnConflict}

// apply commits the records in the request's mode. The records conform to t, which may have only
// some columns of the table. The argument key has the names of the key columns.
func (w *rowsRequest) apply(t schema.Table, records []arrow.RecordBatch, key []string) (engine.Counts, error) {
	if batch.Rows(records) == 0 {
		return engine.Counts{}, w.commits.Evolve(w.ctx, w.optionsWithEvolution().Evolutions)
	}
	ids, err := keyColumns(t, key)
	if err != nil {
		return engine.Counts{}, err
	}
	own := sameColumns(ids, t.PrimaryKey)
	if own {
		// The key columns are in the order in which the table's keys are hashed, not in the order
		// of the request.
		ids = t.PrimaryKey
	}
	by := t
	by.PrimaryKey = ids
	if err := checkKeyValues(by, records); err != nil {
		return engine.Counts{}, err
	}
	given := givenBy(w.rows, t)
	if w.mode == Upsert && own && batch.TotalBytes(records) > w.loads.ChunkBytes() {
		// The change of the schema (evolution) is an edit of its own. The rows are written as
		// parts, and these need the new schema.
		if err := w.commits.Evolve(w.ctx, w.optionsWithEvolution().Evolutions); err != nil {
			return engine.Counts{}, err
		}
		return w.bulkUpsert(w.ctx, t, given, replaceRow, w.options, batchesOf(records))
	}
	a, err := newIncoming(by, records, given, given, modeConflicts[w.mode])
	if err != nil {
		return engine.Counts{}, err
	}
	defer a.release()
	partial := len(given) < len(t.Columns) || w.mode == Update
	if !own || partial && w.mode != Delete && (changesPlacement(t, given) || t.Condition() != "") {
		return w.merge(a, given)
	}
	return w.upsert(w.ctx, []*incomingRows{a}, modeConflicts[w.mode], w.optionsWithEvolution(), nil)
}

// batchesOf returns a function that calls its argument take with each of the records.
func batchesOf(records []arrow.RecordBatch) func(take func(arrow.RecordBatch) error) error {
	return func(take func(arrow.RecordBatch) error) error {
		for _, rec := range records {
			if err := take(rec); err != nil {
				return err
			}
		}
		return nil
	}
}

// keyColumns returns the ids of the columns with the names in key. If key is empty, it returns the
// ids of the primary key's columns.
func keyColumns(t schema.Table, key []string) ([]base.ColumnID, error) {
	if len(key) == 0 && len(t.PrimaryKey) == 0 {
		return nil, base.Errorf(base.Invalid, "table %s has no primary key", t.QualifiedName()).WithHint("name the columns by which rows are found: key=a,b")
	}
	ids := slices.Clone(t.PrimaryKey)
	if len(key) > 0 {
		ids = nil
	}
	for _, name := range key {
		i := t.ColumnIndex(name)
		switch {
		case i < 0:
			return nil, base.Errorf(base.Invalid, "neither the table %s nor the rows have the key column %q", t.QualifiedName(), name)
		case !t.Columns[i].Type.Sortable():
			return nil, base.Errorf(base.Invalid, "column %q of type %s cannot be part of a key", name, t.Columns[i].Type)
		case slices.Contains(ids, t.Columns[i].ID):
			return nil, base.Errorf(base.Invalid, "the key names column %q twice", name)
		}
		ids = append(ids, t.Columns[i].ID)
	}
	for _, id := range ids {
		if t.ColumnByID(id) < 0 {
			return nil, base.Errorf(base.Invalid, "the rows lack a column of the primary key of table %s", t.QualifiedName())
		}
	}
	return ids, nil
}

// isKey reports whether the named columns are the primary key. This is also the case if no columns
// are named.
func isKey(t schema.Table, named []string) bool {
	ids, err := keyColumns(t, named)
	return err == nil && sameColumns(ids, t.PrimaryKey)
}

func sameColumns(a, b []base.ColumnID) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// checkKeyValues returns an error if a row has NULL in a key column. Such a row has no key, because
// NULL is not equal to anything.
func checkKeyValues(t schema.Table, records []arrow.RecordBatch) error {
	for _, id := range t.PrimaryKey {
		at := t.ColumnByID(id)
		first := 0
		for _, rec := range records {
			for i := 0; rec.Column(at).NullN() > 0 && i < int(rec.NumRows()); i++ {
				if rec.Column(at).IsNull(i) {
					return base.Errorf(base.Invalid, "row %d: the key column %q is NULL", first+i+1, t.Columns[at].Name)
				}
			}
			first += int(rec.NumRows())
		}
	}
	return nil
}

// merge runs the change of a request as a MERGE INTO statement. This is needed if the key is not
// the table's primary key, and for rows that must be stored in another place. If a key column was
// not sent, the rows have its default, which counts as part of the key.
func (w *rowsRequest) merge(a *incomingRows, given []schema.Column) (engine.Counts, error) {
	t := a.table
	const target, arrived = "scoter_target", "scoter_arrived"
	column := func(alias string, c schema.Column) string { return alias + "." + schema.Quote(c.Name) }
	var on, set, names, values []string
	for _, c := range t.Columns {
		switch {
		case slices.Contains(t.PrimaryKey, c.ID):
			on = append(on, column(target, c)+" = "+column(arrived, c))
		case schema.Contains(given, c.ID):
			set = append(set, schema.Quote(c.Name)+" = "+column(arrived, c))
		default:
			continue
		}
		names, values = append(names, schema.Quote(c.Name)), append(values, column(arrived, c))
	}
	sql := fmt.Sprintf("MERGE INTO %s AS %s USING %s AS %s ON %s", t.QuotedName(), target, incomingTable, arrived, strings.Join(on, " AND "))
	switch {
	case w.mode == Delete:
		sql += " WHEN MATCHED THEN DELETE"
	case len(set) > 0:
		sql += " WHEN MATCHED THEN UPDATE SET " + strings.Join(set, ", ")
	default:
		sql += " WHEN MATCHED THEN DO NOTHING"
	}
	if w.mode == Upsert {
		sql += fmt.Sprintf(" WHEN NOT MATCHED THEN INSERT (%s) VALUES (%s)", strings.Join(names, ", "), strings.Join(values, ", "))
	}
	statements, err := sqltoken.Statements(sql)
	if err != nil {
		return engine.Counts{}, base.Errorf(base.Internal, "%s: %w", sql, err)
	}
	x := w.execution(&statement{tools: w.tools, ctx: w.ctx, req: Request{Database: t.Database}, c: &clauses{statement: statements[0]}, options: w.optionsWithEvolution()})
	k := x.newReturningRows(t)
	defer k.release()
	if err := k.add(a.rows); err != nil {
		return engine.Counts{}, err
	}
	x.transient = k.transient(incomingTable)
	result, err := x.changeRows(x.merge)
	if err != nil {
		return engine.Counts{}, err
	}
	return result.Counts, nil
}
