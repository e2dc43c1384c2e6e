package stream

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Messages is the name under which a table's query finds the rows of a batch.
const Messages = "messages"

// Select is a query over a batch, which is its table Messages, or, without one, over tables only.
type Select struct {
	SQL      string
	Database string // in which names of other tables are looked up
	Messages *snapshot.Table
	// Target, if not 0, is the offset in SQL of the name of Messages, whose rows come with their addresses then: in the columns
	// scoter_source and scoter_ordinal.
	Target int
}

// Planner runs queries: package query, as streams need it.
type Planner interface {
	// Collect returns all of a query's result, at least one batch, which the caller releases.
	Collect(ctx context.Context, s Select) ([]arrow.RecordBatch, error)
	// Parse returns an Invalid error for a text that is no query, whatever tables there are.
	Parse(ctx context.Context, sql string) error
	// Merging divides a query that aggregates, with a table for the states. The error is Invalid for a query that cannot
	// be divided.
	Merging(ctx context.Context, sql, table string) (Division, error)
	// Lineage tells which columns of a query's result are of the record that each row comes of. The
	// error is Invalid if the rows are not those of single records, or the key is not.
	Lineage(ctx context.Context, sql string, k Keyed) (Lineage, error)
}

// Keyed is query.Keyed.
type Keyed struct {
	Key     []string
	Version string
	Of      []string
	Place   []string
}

// Lineage is query.Lineage.
type Lineage struct {
	Rows, Keys string
	Filters    bool
}

// Division is query.Division.
type Division struct {
	States, Merged, Older string
	Joined, Groups        []string
}

// described is a query, written so that its columns come as they are stored.
type described struct {
	messages []schema.Column // that it was described for
	sql      string
	table    schema.Table     // that takes its rows, to be made if it is missing
	Division                  // of a target that is a view
	name     engine.TableName // of the target
	// untold is not nil if the query names what no message told the type of, which is NULL. It says
	// which columns of the result are of an unknown type because of that.
	untold map[string]bool
}

// describedKey names what a source has described.
type describedKey struct {
	name  engine.TableName
	view  bool
	query string
}

func (t target) key() describedKey { return describedKey{t.Name, t.View, t.Query} }

// query runs a table's query over a batch. It returns the query's description as well: what is to be made if it
// is missing.
func (s *source) query(ctx context.Context, t target, messages *transient) ([]arrow.RecordBatch, described, error) {
	run := func(sql string) ([]arrow.RecordBatch, error) {
		return s.manager.planner.Collect(ctx, Select{SQL: sql, Database: s.name.Database, Messages: messages.snapshot()})
	}
	if t.columns != nil {
		if t.Query = pathQuery(messages.table, t.columns, t.Metadata, t.primary); t.Query == "" {
			return nil, described{}, nil
		}
	}
	key := t.key()
	known, ok := s.described.Load(key)
	if !ok || !slices.EqualFunc(known.(described).messages, messages.table.Columns, sameAs) {
		d, err := s.describe(ctx, t, run)
		if err != nil && ofMessage(err) && !t.View {
			d, err = s.describeUntold(ctx, t, messages.table, run, err)
		}
		if err != nil {
			return nil, described{}, err
		}
		d.messages = messages.table.Columns
		known = d
		s.described.Store(key, d)
	}
	d := known.(described)
	result, err := run(d.sql)
	if d.untold != nil && err == nil {
		return withoutNulls(result, d.untold), d, nil
	}
	if !ok || err == nil || base.KindOf(err) != base.Invalid {
		return result, d, err
	}
	// A table that it reads may be another one by now.
	again, describeErr := s.describe(ctx, t, run)
	if describeErr != nil || again.sql == d.sql {
		return nil, d, err
	}
	again.messages = d.messages
	s.described.Store(key, again)
	result, err = run(again.sql)
	return result, again, err
}

// sameAs reports whether two columns are the same to a query.
func sameAs(a, b schema.Column) bool { return a.Name == b.Name && a.Type.Equal(b.Type) }

// checkQueries returns an error of kind Unavailable if a query fails whatever the records are, because of a table that it
// reads, say: then records wait until that has changed.
func (s *source) checkQueries(ctx context.Context, p *plan) error {
	known := s.messages.Load()
	if known == nil {
		return nil
	}
	for _, t := range p.targets {
		if t.Query == "" {
			continue
		}
		err := s.checkQuery(ctx, t, *known)
		if err == nil {
			continue
		}
		all, lacks := s.unknown.in(*known)
		if _, before := s.bound.Load(t.Name); !before && !p.format.Known() {
			// Nobody knows which columns messages will have. A query that has had all of its own does not lack them now.
			var more bool
			all, more = withMissing(all, t.Query, err)
			lacks = lacks || more
		}
		if lacks && ofMessage(err) {
			// One that fails otherwise, or not at all, where messages have what no value told the type of yet, fails by theirs, and not for ever.
			again := s.checkQuery(ctx, t, all)
			switch {
			case again == nil, ofMessage(again) && firstLine(again) != firstLine(err):
				continue
			case !ofMessage(again):
				err = again
			}
		}
		if ofMessage(err) {
			return base.Errorf(base.Unavailable, "query of table %q: %w", t.Name.Name, err)
		}
		return err
	}
	return nil
}

// checkQuery returns what a target's query fails with over a table of messages without a row.
func (s *source) checkQuery(ctx context.Context, t target, messages schema.Table) error {
	result, err := s.manager.planner.Collect(ctx, Select{SQL: "DESCRIBE " + t.Query, Database: s.name.Database, Messages: &snapshot.Table{Schema: messages}})
	releaseBatches(result)
	return err
}

// firstLine returns what an error of DuckDB's says, without the names that it suggests.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// describe returns the query's table, and the query with casts to what Arrow and Parquet can hold.
func (s *source) describe(ctx context.Context, t target, run func(string) ([]arrow.RecordBatch, error)) (d described, err error) {
	table, query := schema.Table{Database: t.Name.Database, Schema: t.Name.Schema, Name: t.Name.Name}, t.Query
	if t.View {
		table.Name += statesSuffix
		if d.Division, err = s.manager.planner.Merging(ctx, t.Query, table.QuotedName()); err != nil {
			return d, err
		}
		query = d.States
	}
	result, err := run("DESCRIBE " + query)
	if err != nil {
		return d, err
	}
	defer releaseBatches(result)
	var casts []string
	for _, rec := range result {
		for i := range int(rec.NumRows()) {
			name := strings.Clone(rec.Column(0).ValueStr(i))
			typ, err := schema.Parse(rec.Column(1).ValueStr(i))
			if err != nil {
				return d, base.Wrap(err, "column %q", name)
			}
			table.Columns = append(table.Columns, schema.Column{Name: name, Type: typ})
			quoted := schema.Quote(name)
			casts = append(casts, castOf(quoted, strings.Clone(rec.Column(1).ValueStr(i)), typ))
		}
	}
	d.table, d.name = table, t.Name
	// By names, which still are of the same columns if others come between them.
	d.sql = fmt.Sprintf("SELECT %s FROM (%s) AS result", strings.Join(casts, ", "), query)
	return d, nil
}

// castOf returns the expression of a column as it is stored. It is an error for another type than the one that the column had when it was described, as after a
// change of a table that the query joins: the cast might round. Both types are constants to DuckDB, which plans the cast alone.
func castOf(quoted, described string, stored schema.Type) string {
	// DESCRIBE tells INTEGER of what is NULL.
	const null, told = `"NULL"`, "INTEGER"
	return fmt.Sprintf("CASE WHEN replace(typeof(%[1]s), %[2]s, '%[3]s') = %[4]s THEN CAST(%[1]s AS %[5]s) ELSE error(%[6]s) END AS %[1]s", quoted,
		schema.QuoteString(null), told, schema.QuoteString(strings.ReplaceAll(described, null, told)), stored.StorageSQL(),
		schema.QuoteString("column "+quoted+" was of type "+described+", and is of another one"))
}

// make makes the tables and views that are missing.
func (m *Manager) make(ctx context.Context, all []described) error {
	for _, d := range all {
		t := d.table
		if len(t.Columns) == 0 {
			continue // no message told a type yet
		}
		if _, err := m.store.Lookup(t.Database, t.Schema, t.Name); err == nil {
			if err := m.makeView(ctx, d); err != nil {
				return err
			}
			continue
		}
		if err := m.store.CreateDatabase(ctx, t.Database, true); err != nil {
			return err
		}
		if err := m.store.CreateSchema(ctx, t.Database, t.Schema, true); err != nil {
			return err
		}
		if _, err := m.store.CreateTable(ctx, t, true); err != nil {
			return err
		}
		if err := m.makeView(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// EmptyBatch returns a batch of a schema without rows, which is the result of a query that
// found none.
func EmptyBatch(s *arrow.Schema) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	return b.NewRecordBatch()
}
