// Package query runs SELECT statements. It finds the tables that a statement names with DuckDB's
// parser, takes a snapshot of them, replaces the names by relations, and streams DuckDB's result.
// It never changes data.
package query

import (
	"context"
	"errors"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// Store provides the tables and views that queries read. The engine implements it.
type Store interface {
	// Lookup returns a table, or a NotFound error.
	Lookup(database, schema, name string) (schema.Table, error)
	// LookupView returns a view, or a NotFound error.
	LookupView(database, schema, name string) (catalog.View, error)
	// HasSchema and HasDatabase report whether there is such a schema or database. They decide
	// whether a.b means table b of schema a, or table b of database a.
	HasSchema(database, schema string) bool
	HasDatabase(database string) bool
	// DeduplicatedSnapshotAs returns a deduplicated snapshot of some tables. If evolutions (changes
	// of schemas) are given, the tables have the schemas that these will make.
	DeduplicatedSnapshotAs(ctx context.Context, evolutions []engine.Evolution, tables ...base.TableID) (*snapshot.Snapshot, error)
	// PartsSnapshot returns a snapshot of a table's parts, without the rows in memory.
	PartsSnapshot(ctx context.Context, table base.TableID) (*snapshot.Snapshot, error)
}

// System provides the system tables, such as scoter.tables, which SHOW and information_schema also
// read.
type System interface {
	// Relation returns the SQL query that stands for a system table, or false if there is no such
	// table. database is the current database of the statement. The table shows paths of the
	// server's files only if admin is set.
	Relation(schema, name, database string, admin bool) (sql string, ok bool, err error)
}

// Runner runs queries. It is safe for concurrent use.
type Runner struct {
	pool    *duck.Pool
	store   Store
	system  System
	overlay *overlay.Overlay
	cache   *analyses
}

// NewRunner returns a runner.
func NewRunner(pool *duck.Pool, store Store, system System, o *overlay.Overlay) *Runner {
	return &Runner{pool: pool, store: store, system: system, overlay: o, cache: newAnalyses()}
}

// Result is the result of one query. It holds a connection of DuckDB and a snapshot, so the caller
// must close it.
type Result struct {
	rows    *duck.Result
	schema  *arrow.Schema
	close   func()
	pool    *duck.Pool
	conn    *duck.Conn
	binding *binding
	Stats   Stats
}

// Stats says how many rows a query had to read at most, and how long it took to plan.
type Stats struct {
	Parts, PrunedParts int
	// RowsRead is the number of rows in the parts and memtables that pruning did not leave out.
	RowsRead int64
	Planning time.Duration
}

// Schema returns the columns of the result.
func (r *Result) Schema() *arrow.Schema { return r.schema }

// Next returns the next batch, or io.EOF. The caller releases the batch.
func (r *Result) Next(ctx context.Context) (arrow.RecordBatch, error) {
	rec, err := r.rows.Next(ctx)
	if err == nil && r.schema != r.rows.Schema() {
		rec = withSchema(rec, r.schema)
	}
	return rec, err
}

// Snapshot returns the snapshot that the query reads. The snapshot is empty if the query reads no
// table. It is valid until Close.
func (r *Result) Snapshot() *snapshot.Snapshot {
	if r.binding.snapshot == nil {
		return snapshot.New(0, nil, func() {})
	}
	return r.binding.snapshot
}

// ReadDependencies returns the tables and columns that decide which rows the query returns. The
// committer compares them with later changes. For the table at sqlquery.Request.Target it returns
// single columns. Any other table counts as a whole.
func (r *Result) ReadDependencies() []engine.ReadDependency { return r.binding.readDependencies() }

// OthersWaiting reports whether other queries wait for a slot (the right to run as one of
// max_queries).
func (r *Result) OthersWaiting() bool { return r.pool.OthersWaiting() }

// Yield gives the query's slot (its right to run as one of max_queries) to another query, while
// this query waits for the reader of its result. The argument since is the time at which the wait
// began. See duck.Pool. Yield must not be called after Close.
func (r *Result) Yield(since time.Time) error { return r.pool.Yield(r.conn, since) }

// Close ends the query and releases its resources. It may be called more than once.
func (r *Result) Close() {
	if r.close != nil {
		r.close()
		r.close = nil
	}
}

// Select runs a query, as Run does.
func (r *Runner) Select(ctx context.Context, req sqlquery.Request) (sqlquery.Rows, error) {
	return r.Find(ctx, req)
}

// Find runs a query, as Run does.
func (r *Runner) Find(ctx context.Context, req sqlquery.Request) (sqlquery.Found, error) {
	result, err := r.Run(ctx, req)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// Collect runs a query and returns its whole result, as one or more batches. The caller releases
// the batches.
func (r *Runner) Collect(ctx context.Context, req sqlquery.Request) (all []arrow.RecordBatch, err error) {
	rows, err := r.Run(ctx, req)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	err = sqlquery.Each(ctx, rows, func(rec arrow.RecordBatch) error {
		rec.Retain()
		all = append(all, rec)
		return nil
	})
	if err != nil {
		for _, rec := range all {
			rec.Release()
		}
		return nil, err
	}
	if len(all) == 0 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, rows.Schema())
		defer b.Release()
		all = append(all, b.NewRecordBatch())
	}
	return all, nil
}

// Run starts a SELECT. The query ends when ctx is done or the result is closed. A statement that is
// not a SELECT is an Invalid error.
func (r *Runner) Run(ctx context.Context, req sqlquery.Request) (*Result, error) {
	started := time.Now()
	if !r.store.HasDatabase(req.Database) {
		return nil, base.Errorf(base.NotFound, "database %q does not exist", req.Database).WithHint("SHOW DATABASES lists the databases")
	}
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	result, err := r.runOn(ctx, conn, req)
	if err != nil {
		r.pool.Release(conn)
		return nil, err
	}
	release := result.close
	result.close = func() {
		release()
		r.pool.Release(conn)
	}
	result.pool, result.conn = r.pool, conn
	result.Stats.Planning = time.Since(started)
	return result, nil
}

func (r *Runner) runOn(ctx context.Context, conn *duck.Conn, req sqlquery.Request) (*Result, error) {
	stmt, b, err := r.prepare(ctx, conn, req)
	if err != nil {
		return nil, err
	}
	result, err := b.start(ctx, stmt)
	if err != nil {
		return nil, b.withUserPosition(err)
	}
	if req.Target != 0 {
		// The statement finds all its rows before it changes a row. So the batches may be joined to
		// full ones, although this delays the first of them.
		result.rows.FullBatches()
	}
	result.Stats, result.binding = b.stats, b
	if len(b.analysis.names) > 0 {
		result.schema = renamedSchema(b.analysis.names, result.schema)
	}
	return result, nil
}

// prepare plans a statement over a snapshot. It returns the binding that holds the snapshot. The
// caller releases that binding.
func (r *Runner) prepare(ctx context.Context, conn *duck.Conn, req sqlquery.Request) (*duck.Stmt, *binding, error) {
	a, err := r.cache.get(conn, req.SQL, req.ReadFiles)
	if errors.Is(err, duck.ErrNotSelect) {
		a, err = r.analyzePivots(ctx, conn, req)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(a.bitstringCalls) > 0 {
		if a, err = r.withBounds(ctx, conn, req, a); err != nil {
			return nil, nil, err
		}
	}
	b := &binding{runner: r, conn: conn, req: req, analysis: a}
	prepare := conn.Prepare
	if !a.files && (len(a.tables) == 0 || req.Located != nil) {
		prepare = conn.PrepareCached
	}
	if len(a.tables) == 0 && req.Partition == nil {
		b.sql = a.text
		stmt, err := prepare(b.sql)
		return stmt, b, b.withUserPosition(err)
	}
	if b.sql, err = b.bind(ctx); err != nil {
		b.release()
		return nil, nil, withPosition(err, func(at int) int { return originalOffset(a.expanded, at) })
	}
	stmt, err := prepare(b.sql)
	if err != nil {
		b.release()
		return nil, nil, b.withUserPosition(err)
	}
	return stmt, b, nil
}

// Parse returns an Invalid error if the text is not a query. It does not check whether the query's
// tables exist.
func (r *Runner) Parse(ctx context.Context, sql string) error {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer r.pool.Release(conn)
	_, err = conn.ParseSelect(sql)
	return err
}

// Columns returns the names of a SELECT's result columns. It does not run the query.
func (r *Runner) Columns(ctx context.Context, req sqlquery.Request) ([]string, error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer r.pool.Release(conn)
	stmt, b, err := r.prepare(ctx, conn, req)
	if err != nil {
		return nil, err
	}
	defer b.release()
	defer stmt.Close()
	columns, known := stmt.Columns()
	if !known {
		if columns, err = columnsWith(ctx, conn, b.sql, req.Args); err != nil {
			return nil, b.withUserPosition(err)
		}
	}
	renamed(b.analysis.names, columns)
	return columns, nil
}

// columnsWith returns the names and types of a statement's result columns. It needs the arguments,
// because the type of a column may depend on the value of an argument. DuckDB reads no rows for
// this.
func columnsWith(ctx context.Context, conn *duck.Conn, sql string, args []any) ([]string, error) {
	stmt, err := conn.Prepare("SELECT * FROM (" + sql + "\n) LIMIT 0")
	if err != nil {
		return nil, err
	}
	if err := stmt.Bind(args); err != nil {
		stmt.Close()
		return nil, err
	}
	rows, err := stmt.Start(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns := make([]string, rows.Schema().NumFields())
	for i, f := range rows.Schema().Fields() {
		columns[i] = f.Name
	}
	return columns, nil
}

// start executes the statement. After an error it releases the binding. Otherwise the binding is
// released when the result is closed.
func (b *binding) start(ctx context.Context, stmt *duck.Stmt) (*Result, error) {
	rows, err := b.execute(ctx, stmt)
	if err != nil {
		b.release()
		return nil, err
	}
	return &Result{rows: rows, schema: rows.Schema(), close: func() { rows.Close(); b.release() }}, nil
}

func (b *binding) execute(ctx context.Context, stmt *duck.Stmt) (*duck.Result, error) {
	if err := stmt.Bind(b.req.Args); err != nil {
		stmt.Close()
		return nil, err
	}
	located := b.req.Located
	switch {
	case len(b.req.Args) > 0:
		return stmt.Start(ctx)
	case located != nil:
		return stmt.StartInline(ctx, len(located.Addresses))
	case len(b.analysis.tables) == 0:
		return stmt.StartInline(ctx, 0)
	default:
		return stmt.Start(ctx)
	}
}
