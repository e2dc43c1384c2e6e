package stream

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// Messages is the name of the table under which queries read the records of a batch.
const Messages = "messages"

// Planner runs and analyzes queries. Package query implements it.
type Planner interface {
	// Collect runs a query and returns its whole result, as one or more batches. The caller
	// releases the batches.
	Collect(ctx context.Context, r sqlquery.Request) ([]arrow.RecordBatch, error)
	// Parse returns an Invalid error if the SQL text is not a query. It does not check whether the
	// tables in it exist.
	Parse(ctx context.Context, sql string) error
	// SplitAggregate divides a query with aggregates into two queries. One computes states
	// (intermediate results of the aggregates) of the table messages, which are stored in the given
	// table. The other merges these states into the result. The error is Invalid for a query that
	// cannot be divided.
	SplitAggregate(ctx context.Context, sql, messages, table string) (sqlquery.SplitAggregate, error)
	// Lineage analyzes a query over a batch of records, the table messages. It returns queries that
	// also show from which record each row was made. The error is Invalid if a row is not made of a
	// single record, or if the row's key is not computed from that record.
	Lineage(ctx context.Context, sql, messages string, k sqlquery.KeyColumns) (sqlquery.Lineage, error)
}

// overMessages returns a query that reads a batch of records as the table "messages".
func overMessages(sql, database string, messages *snapshot.Table) sqlquery.Request {
	return sqlquery.Request{SQL: sql, Database: database, Transient: &sqlquery.Transient{Name: Messages, Table: messages}}
}

// described is the query of a target (a table that the source fills), rewritten so that its columns
// have the types in which they are stored.
type described struct {
	// messages are the columns that the table "messages" had when the query was rewritten.
	messages []schema.Column
	sql      string
	// table is the table that stores the query's result. It is created if it is missing.
	table schema.Table
	// SplitAggregate has the two queries into which the query of a view is divided. It is set only
	// if the target (a table that the source fills) is a view.
	sqlquery.SplitAggregate
	name engine.TableName // the name of the target (a table that the source fills)
	// unknownColumns is not nil if the query names fields whose type no message has told yet. The
	// query reads NULL in place of these fields. The map is then true for the columns of the result
	// whose type is unknown for this reason.
	unknownColumns map[string]bool
}

// describedKey is the key under which a source caches a described: the rewritten query of a target
// (a table that the source fills).
type describedKey struct {
	name  engine.TableName
	view  bool
	query string
}

func (t target) key() describedKey { return describedKey{t.Name, t.View, t.Query} }

// query runs the query of a target (a table that the source fills) over a batch of messages, and
// returns the result. It also returns the rewritten query, which says which table must be created
// if it is missing.
func (s *source) query(ctx context.Context, t target, messages *batchTable) ([]arrow.RecordBatch, described, error) {
	run := func(sql string) ([]arrow.RecordBatch, error) {
		return s.manager.planner.Collect(ctx, overMessages(sql, s.name.Database, messages.snapshot()))
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
	// A table that the query reads may have changed since the query was rewritten.
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

// checkQueries returns an Unavailable error if a query of the source fails for every batch of
// records, for example because a table that it reads was dropped. The records then wait until the
// cause is fixed.
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
			// The query has not run successfully so far. So it may fail because it names a column
			// that no message has had yet.
			var more bool
			all, more = withMissing(all, t.Query, err)
			lacks = lacks || more
		}
		if lacks && isRecordError(err) {
			// Run the query again with added columns in place of those whose type is unknown so
			// far. If the query then succeeds, or fails with a different message, these columns are
			// the cause of the error. The error ends once messages have these columns.
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

// checkQuery describes the query of a target (a table that the source fills) over a table of
// messages that has no rows, and returns the error of the query.
func (s *source) checkQuery(ctx context.Context, t target, messages schema.Table) error {
	result, err := s.manager.planner.Collect(ctx, overMessages("DESCRIBE "+t.Query, s.name.Database, &snapshot.Table{Schema: messages}))
	releaseBatches(result)
	return err
}

// firstLine returns the first line of an error of DuckDB. The later lines suggest similar names.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// describe runs DESCRIBE for the query of a target (a table that the source fills). It returns the
// table that can store the query's result, and the query with casts to types that Arrow and Parquet
// can hold.
func (s *source) describe(ctx context.Context, t target, run func(string) ([]arrow.RecordBatch, error)) (d described, err error) {
	table, query := schema.Table{Database: t.Name.Database, Schema: t.Name.Schema, Name: t.Name.Name}, t.Query
	if t.View {
		table.Name += statesSuffix
		if d.SplitAggregate, err = s.manager.planner.SplitAggregate(ctx, t.Query, Messages, table.QuotedName()); err != nil {
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

// castOf returns an SQL expression that converts a column to the type in which it is stored. The
// expression fails if the column's type is not the described type any more, for example because a
// joined table was changed. Without this check, the cast might round values. DuckDB knows both
// types when it plans the query, so at run time only the cast remains.
func castOf(quoted, described string, stored schema.Type) string {
	// DESCRIBE reports INTEGER for a column of type NULL, so the two types count as equal here.
	const null, told = `"NULL"`, "INTEGER"
	return fmt.Sprintf("CASE WHEN replace(typeof(%[1]s), %[2]s, '%[3]s') = %[4]s THEN CAST(%[1]s AS %[5]s) ELSE error(%[6]s) END AS %[1]s", quoted,
		schema.QuoteString(null), told, schema.QuoteString(strings.ReplaceAll(described, null, told)), stored.StorageSQL(),
		schema.QuoteString("column "+quoted+" had type "+described+" and has a different type now"))
}

// make creates the tables and views that the described (rewritten) queries fill, if they are
// missing.
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
