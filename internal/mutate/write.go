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
	Upsert             // update the existing rows of the same keys, and insert the other rows
	Update             // update the existing rows of the same keys
	Delete             // delete the existing rows of the same keys
	// Insert rows as INSERT does: the option on_insert decides what happens if a key exists.
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

// CheckKey returns an error if key columns are named for a mode that does not take them: Append and
// Insert.
func (m Mode) CheckKey(key []string) error {
	if (m == Append || m == Insert) && len(key) > 0 {
		return base.Errorf(base.Invalid, "mode=%s takes no key", m).WithHint("mode=upsert changes the rows of the same key")
	}
	return nil
}

// Write changes a table by the rows of a request. key names the columns by which existing rows are
// found; if it is empty these are the columns of the primary key. If the rows lack columns,
// existing rows keep their values of them, and new rows get the defaults. Of several rows with one
// key the last one counts.
func (m *Mutator) Write(ctx context.Context, rows engine.TableRows, mode Mode, key []string, o engine.AppendOptions) (Counts, error) {
	if mode == Append {
		return m.Append(ctx, []engine.TableRows{rows}, o)
	}
	return m.once(ctx, o, func(o engine.AppendOptions) (Counts, error) {
		for range maxAttempts {
			w := &write{Mutator: m, ctx: ctx, rows: rows, mode: mode, options: o}
			counts, err := w.run(key)
			if !errors.Is(err, errStale) {
				return counts, err
			}
		}
		return Counts{}, errTooOften()
	})
}

// write is one request without SQL that changes a table by rows.
type write struct {
	*Mutator
	ctx     context.Context
	rows    engine.TableRows
	mode    Mode
	options engine.AppendOptions
	// evolution is the change of the table's schema that the rows need, or nil.
	evolution *engine.Evolution
}

// evolving returns the options for the commit of the rows, with the request's evolution added.
func (w *write) evolving() engine.AppendOptions {
	o := w.options
	if w.evolution != nil {
		o.Evolutions = []engine.Evolution{*w.evolution}
	}
	return o
}

// run makes the change. The error errStale means that the table's schema changed in the meantime.
func (w *write) run(key []string) (counts Counts, err error) {
	name := w.rows.Table
	t, err := w.store.Lookup(name.Database, name.Schema, name.Name)
	switch {
	case w.mode == Insert && (err != nil || !t.InsertRefuses()):
		return w.Append(w.ctx, []engine.TableRows{w.rows}, w.options)
	case w.mode == Insert:
		return w.insert()
	case base.KindOf(err) == base.NotFound && err != nil && w.mode == Upsert && w.options.Create && len(key) > 0:
		w.rows.Key = key
		if columns, err := lacking(t, w.rows); err == nil && len(columns) > 0 {
			// Plan returns the table that will be created for the rows.
			if t, w.evolution, err = w.store.Plan(w.ctx, w.rows, w.options); err != nil {
				return Counts{}, err
			}
		}
	case err != nil:
		return Counts{}, err
	}
	if w.mode == Delete {
		return w.delete(t, key)
	}
	own := isKey(t, key)
	var pieces []*arrivals
	if own {
		pieces, err = w.pieces(t)
	} else {
		err = checkSameColumns(w.rows, t)
	}
	switch {
	case err != nil:
		return Counts{}, err
	case len(pieces) > 0:
		defer releaseArrivals(pieces)
		return w.upsert(w.ctx, pieces, modeConflicts[w.mode], w.evolving(), nil)
	case w.mode == Upsert && own && comesUnseen(t, givenBy(w.rows, t), w.rows.Whole):
		result, err := w.store.Append(w.ctx, []engine.TableRows{w.rows}, w.options)
		if errors.Is(err, engine.ErrPartial) {
			err = errStale
		}
		return result.Counts, err
	}
	t, records, err := w.conformed(t)
	if err != nil {
		return Counts{}, err
	}
	defer releaseAll(records)
	return w.apply(t, records, key)
}

// conformed returns the rows in the table's storage types, and the table reduced to the columns
// that they have. Rows that may be inserted have all columns. Otherwise they have only the columns
// that were sent.
func (w *write) conformed(t schema.Table) (schema.Table, []arrow.RecordBatch, error) {
	if w.mode == Upsert {
		table, evolution, records, err := w.store.Conform(w.ctx, w.rows, w.options)
		w.evolution = evolution
		return table, records, err
	}
	t.Columns = givenBy(w.rows, t)
	records, err := w.conform(t)
	return t, records, err
}

// conform returns the rows as batches that conform to a part of the table: the columns of sub that
// the rows have.
func (w *write) conform(sub schema.Table) (records []arrow.RecordBatch, err error) {
	first := int64(0)
	for _, in := range w.rows.Batches {
		rec, err := batch.Conform(in, sub, batch.ConformOptions{FirstRow: first})
		if err != nil {
			releaseAll(records)
			return nil, err
		}
		records = append(records, rec)
		first += rec.NumRows()
	}
	return records, nil
}

func releaseAll(records []arrow.RecordBatch) {
	for _, rec := range records {
		rec.Release()
	}
}

// givenBy returns the columns of a table that rows have.
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

var modeConflicts = map[Mode]conflict{Upsert: replaceRow, Update: updateRows, Delete: deleteRows}

// apply commits rows that conform to some columns of the table, in the request's mode.
func (w *write) apply(t schema.Table, records []arrow.RecordBatch, key []string) (Counts, error) {
	if batch.Rows(records) == 0 {
		return Counts{}, w.store.Evolve(w.ctx, w.evolving().Evolutions)
	}
	ids, err := keyColumns(t, key)
	if err != nil {
		return Counts{}, err
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
		return Counts{}, err
	}
	given := givenBy(w.rows, t)
	if w.mode == Upsert && own && bytesOf(records) > w.store.ChunkBytes() {
		// The evolution is a separate edit, because the rows are written as parts, for the schema
		// that the table has after it.
		if err := w.store.Evolve(w.ctx, w.evolving().Evolutions); err != nil {
			return Counts{}, err
		}
		return w.insertMany(w.ctx, t, given, replaceRow, w.options, taking(records))
	}
	a, err := arrive(by, records, given, given, modeConflicts[w.mode])
	if err != nil {
		return Counts{}, err
	}
	defer a.release()
	partial := len(given) < len(t.Columns) || w.mode == Update
	if !own || partial && w.mode != Delete && (movesRow(t, given) || t.Condition() != "") {
		return w.merge(a, given)
	}
	return w.upsert(w.ctx, []*arrivals{a}, modeConflicts[w.mode], w.evolving(), nil)
}

// taking returns a function that calls its argument take with each of the records.
func taking(records []arrow.RecordBatch) func(take func(arrow.RecordBatch) error) error {
	return func(take func(arrow.RecordBatch) error) error {
		for _, rec := range records {
			if err := take(rec); err != nil {
				return err
			}
		}
		return nil
	}
}

func bytesOf(records []arrow.RecordBatch) int64 {
	n := int64(0)
	for _, rec := range records {
		n += batch.Bytes(rec)
	}
	return n
}

// keyColumns returns the ids of the columns with the names key, or of the primary key's columns if
// key is empty.
func keyColumns(t schema.Table, key []string) ([]base.ColumnID, error) {
	if len(key) == 0 && len(t.PrimaryKey) == 0 {
		return nil, base.Errorf(base.Invalid, "table %s has no primary key", t.QualifiedName()).WithHint("name the columns that rows are found by: key=a,b")
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

// isKey reports whether the named columns are the primary key. No names stand for the primary key.
func isKey(t schema.Table, named []string) bool {
	ids, err := keyColumns(t, named)
	return err == nil && sameColumns(ids, t.PrimaryKey)
}

func sameColumns(a, b []base.ColumnID) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// checkKeyValues returns an error if a row has NULL in a key column. NULL is not equal to anything.
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

// merge makes the change as a MERGE INTO. This is needed for keys that are not the table's primary
// key, and for rows that must be stored in another place. A key column that was not sent has its
// default in the rows, and is used like the other key columns.
func (w *write) merge(a *arrivals, given []schema.Column) (Counts, error) {
	t := a.table
	const target, arrived = "scoter_target", "scoter_arrived"
	column := func(alias string, c schema.Column) string { return alias + "." + schema.Quote(c.Name) }
	var on, set, names, values []string
	for _, c := range t.Columns {
		switch {
		case slices.Contains(t.PrimaryKey, c.ID):
			on = append(on, column(target, c)+" = "+column(arrived, c))
		case contains(given, c.ID):
			set = append(set, schema.Quote(c.Name)+" = "+column(arrived, c))
		default:
			continue
		}
		names, values = append(names, schema.Quote(c.Name)), append(values, column(arrived, c))
	}
	sql := fmt.Sprintf("MERGE INTO %s AS %s USING %s AS %s ON %s", t.QuotedName(), target, arrivedTable, arrived, strings.Join(on, " AND "))
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
		return Counts{}, base.Errorf(base.Internal, "%s: %w", sql, err)
	}
	x := &execution{Mutator: w.Mutator, ctx: w.ctx, req: Request{Database: t.Database}, c: &clauses{statement: statements[0]}, options: w.evolving()}
	k := x.newKeeper(t)
	defer k.release()
	if err := k.add(a.rows); err != nil {
		return Counts{}, err
	}
	x.transient = k.transient(arrivedTable)
	result, err := x.changeRows(x.merge)
	if err != nil {
		return Counts{}, err
	}
	return result.Counts, nil
}
