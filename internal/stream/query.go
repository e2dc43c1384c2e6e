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

// Messages is the name by which queries read the rows of a batch as a table.
const Messages = "messages"

// Select is a query over a batch. The query reads the batch as the table Messages. If that is nil,
// the query reads only other tables.
type Select struct {
	SQL      string
	Database string // where names of other tables are looked up
	Messages *snapshot.Table
	// Target, if not 0, is the offset in SQL where the name of the table Messages begins. The table
	// then also has the columns scoter_source and scoter_ordinal, which are the row addresses.
	Target int
}

// Planner runs queries. It is the part of package query that streams need.
type Planner interface {
	// Collect returns the whole result of a query as at least one batch. The caller releases the
	// batches.
	Collect(ctx context.Context, s Select) ([]arrow.RecordBatch, error)
	// Parse returns an Invalid error if the text is not a query. It does not check whether the
	// tables exist.
	Parse(ctx context.Context, sql string) error
	// SplitAggregate divides an aggregating query into queries that store intermediate results in
	// table (states), and merge them. The error is Invalid for a query that cannot be divided.
	SplitAggregate(ctx context.Context, sql, table string) (SplitAggregate, error)
	// Lineage says which columns of a query's result are taken from the record that the row was
	// made of. The error is Invalid if a row is not made of a single record, or if its key does not
	// come from that record.
	Lineage(ctx context.Context, sql string, k KeyColumns) (Lineage, error)
}

// KeyColumns is what Planner.Lineage must know about a target: the columns of its key, its version
// column, and the columns of messages that they may come from. It has the fields of the type of
// this name in package query.
type KeyColumns struct {
	Key         []string
	Version     string
	Metadata    []string
	RecordPlace []string
}

// Lineage is the result of Planner.Lineage. It has the fields of the type of this name in package
// query.
type Lineage struct {
	RowsSQL, KeysSQL string
	Filters          bool
}

// SplitAggregate is the result of Planner.SplitAggregate. It has the fields of the type of this
// name in package query.
type SplitAggregate struct {
	StatesSQL, MergedSQL, PreviousMerged string
	JoinExpressions, GroupColumns        []string
}

// described is a target's query, rewritten so that its columns have the types that are stored.
type described struct {
	messages []schema.Column // the columns of Messages for which the query was described
	sql      string
	// table is the table that stores the query's rows. It is created if it is missing.
	table schema.Table
	// Division is set if the target is a view.
	SplitAggregate
	name engine.TableName // of the target
	// unknownColumns is set if the query names fields whose type no message has told yet. The query
	// reads NULL for them. untold has the columns of the result whose type is unknown because of
	// that.
	unknownColumns map[string]bool
}

// describedKey is the key under which a source caches the description of a target's query.
type describedKey struct {
	name  engine.TableName
	view  bool
	query string
}

func (t target) key() describedKey { return describedKey{t.Name, t.View, t.Query} }

// query runs a target's query over a batch, and returns the result. It also returns the query's
// description, which says which table must be created if it is missing.
func (s *source) query(ctx context.Context, t target, messages *batchTable) ([]arrow.RecordBatch, described, error) {
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
		if err != nil && isRecordError(err) && !t.View {
			d, err = s.describeWithNulls(ctx, t, messages.table, run, err)
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
	if d.unknownColumns != nil && err == nil {
		return hideNullColumns(result, d.unknownColumns), d, nil
	}
	if !ok || err == nil || base.KindOf(err) != base.Invalid {
		return result, d, err
	}
	// A table that the query reads may have changed since the query was described.
	again, describeErr := s.describe(ctx, t, run)
	if describeErr != nil || again.sql == d.sql {
		return nil, d, err
	}
	again.messages = d.messages
	s.described.Store(key, again)
	result, err = run(again.sql)
	return result, again, err
}

// sameAs reports whether two columns have the same name and type. A query cannot tell such columns
// apart.
func sameAs(a, b schema.Column) bool { return a.Name == b.Name && a.Type.Equal(b.Type) }

// checkQueries returns an Unavailable error if a query fails whatever the records are, for example
// because a table that it reads was dropped. The records then wait until the cause is fixed.
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
		all, lacks := s.unknown.addTo(*known)
		if _, before := s.bound.Load(t.Name); !before && !p.format.Known() {
			// The columns of future messages are unknown. But if a query once ran with all columns
			// that it names, a missing column is not the cause now.
			var more bool
			all, more = withMissing(all, t.Query, err)
			lacks = lacks || more
		}
		if lacks && isRecordError(err) {
			// Run the query again with added columns in place of those whose type is unknown so
			// far. If the query then succeeds, or fails with a different message, these columns are
			// the cause. The failure ends once messages have them.
			again := s.checkQuery(ctx, t, all)
			switch {
			case again == nil, isRecordError(again) && firstLine(again) != firstLine(err):
				continue
			case !isRecordError(again):
				err = again
			}
		}
		if isRecordError(err) {
			return base.Errorf(base.Unavailable, "query of table %q: %w", t.Name.Name, err)
		}
		return err
	}
	return nil
}

// checkQuery runs a target's query over a table of messages without rows, and returns the query's
// error.
func (s *source) checkQuery(ctx context.Context, t target, messages schema.Table) error {
	result, err := s.manager.planner.Collect(ctx, Select{SQL: "DESCRIBE " + t.Query, Database: s.name.Database, Messages: &snapshot.Table{Schema: messages}})
	releaseBatches(result)
	return err
}

// firstLine returns the first line of a DuckDB error. The lines after it suggest similar names.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// describe runs DESCRIBE for a target's query. It returns the table for the query's result, and the
// query with casts to types that Arrow and Parquet can hold.
func (s *source) describe(ctx context.Context, t target, run func(string) ([]arrow.RecordBatch, error)) (d described, err error) {
	table, query := schema.Table{Database: t.Name.Database, Schema: t.Name.Schema, Name: t.Name.Name}, t.Query
	if t.View {
		table.Name += statesSuffix
		if d.SplitAggregate, err = s.manager.planner.SplitAggregate(ctx, t.Query, table.QuotedName()); err != nil {
			return d, err
		}
		query = d.StatesSQL
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
	// Select columns by name, so that the result stays the same if the query returns more columns
	// later.
	d.sql = fmt.Sprintf("SELECT %s FROM (%s) AS result", strings.Join(casts, ", "), query)
	return d, nil
}

// castOf returns an expression that converts a column to the type in which it is stored. The
// expression fails if the column's type is not the described type any more, for example because a
// joined table was changed. Without that check, the cast might round. DuckDB knows both types when
// it plans, so at run time only the cast remains.
func castOf(quoted, described string, stored schema.Type) string {
	// DESCRIBE reports INTEGER for a column whose type is NULL, so compare as if the types were
	// equal.
	const null, told = `"NULL"`, "INTEGER"
	return fmt.Sprintf("CASE WHEN replace(typeof(%[1]s), %[2]s, '%[3]s') = %[4]s THEN CAST(%[1]s AS %[5]s) ELSE error(%[6]s) END AS %[1]s", quoted,
		schema.QuoteString(null), told, schema.QuoteString(strings.ReplaceAll(described, null, told)), stored.StorageSQL(),
		schema.QuoteString("column "+quoted+" was of type "+described+", and is of another one"))
}

// make creates the tables and views that are missing.
func (m *Manager) make(ctx context.Context, all []described) error {
	for _, d := range all {
		t := d.table
		if len(t.Columns) == 0 {
			continue // No message has told the type of a column yet.
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

// EmptyBatch returns a batch of a schema without rows. It is the result of a query that found
// nothing.
func EmptyBatch(s *arrow.Schema) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	return b.NewRecordBatch()
}
