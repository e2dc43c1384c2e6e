// Package query runs SELECT statements: it lets DuckDB's parser find the tables that a
// statement names, takes a snapshot of them, puts their relations in place of the names
// and streams what DuckDB answers. It changes nothing.
package query

import (
	"context"
	"errors"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/fewrows"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Store is where tables and views come from: the engine.
type Store interface {
	// Lookup returns a table, or a NotFound error.
	Lookup(database, schema, name string) (schema.Table, error)
	// LookupView returns a view, or a NotFound error.
	LookupView(database, schema, name string) (catalog.View, error)
	// HasSchema and HasDatabase tell how a name of two parts is meant.
	HasSchema(database, schema string) bool
	HasDatabase(database string) bool
	// SettledAs returns tables as they are at one moment, or become by evolutions, with one row for each key.
	SettledAs(ctx context.Context, evolutions []engine.Evolution, tables ...base.TableID) (*snapshot.Snapshot, error)
	// Stored returns what the parts of a table hold, without keeping what is in memory.
	Stored(ctx context.Context, table base.TableID) (*snapshot.Snapshot, error)
}

// System gives the system tables (scoter.tables and so on) and what SHOW and
// information_schema are answered from.
type System interface {
	// Relation returns the query text for a system table, or false if there is none of that name.
	// Database is the one the statement runs in. Administrators alone are shown paths of the
	// server's files.
	Relation(schema, name, database string, admin bool) (sql string, ok bool, err error)
}

// Request is one SELECT with what it may do.
type Request struct {
	SQL      string
	Args     []any  // see duck.Stmt.Bind
	Database string // that unqualified names are looked up in
	// ReadFiles lets the statement call read_csv and its like: for administrators.
	ReadFiles bool
	// Transient, if set, is a table that exists for this statement alone and hides any other
	// that it names like that.
	Transient *Transient
	// Defines, if not nil, is the view that the query is to be, which it may not read.
	Defines *catalog.ViewName
	// Target, if not 0, is the offset in SQL of the name of a table whose rows come with their
	// addresses: two more columns, scoter_source and scoter_ordinal.
	Target int
	// Rows, if not nil, are all that the query sees of the target, which is its only table.
	Rows *Located
	// Evolutions are what tables become by the statement that the query is of: it sees them so.
	Evolutions []engine.Evolution
	// Portion, if not nil, is all that the query sees of one of its tables.
	Portion *Portion
}

// Located are some rows of a table in a snapshot. A query over them finds its plan made: DuckDB plans it once for
// each connection, text and version of the table.
type Located struct {
	Snapshot *snapshot.Snapshot // the query takes a reference of its own
	Rows     overlay.Rows
}

// Portion is what the parts of one partition of a table hold, without the rows that are in memory.
type Portion struct {
	Table     base.TableID
	Partition string
}

// Transient is a table of rows in memory.
type Transient struct {
	Name     string // with its schema, if the query calls it so: schema.name
	Rows     *snapshot.Table
	InMemory bool     // see overlay.RelationOptions
	Path     []string // database, schema and name that columns may be qualified with, whatever the alias; nil for none
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

// Result is the answer to one request. Close it: it holds a connection and a snapshot.
type Result struct {
	rows    *duck.Result
	schema  *arrow.Schema
	close   func()
	pool    *duck.Pool
	conn    *duck.Conn
	binding *binding
	Stats   Stats
}

// Stats says what a query had to read at most, and how long it took until its first row.
type Stats struct {
	Parts, PrunedParts int
	RowsRead           int64 // in the parts and memtables that could not be left out
	Planning           time.Duration
}

// Schema returns the columns.
func (r *Result) Schema() *arrow.Schema { return r.schema }

// Next returns the next batch, which the caller releases, or io.EOF.
func (r *Result) Next(ctx context.Context) (arrow.RecordBatch, error) {
	rec, err := r.rows.Next(ctx)
	if err == nil && r.schema != r.rows.Schema() {
		rec = withSchema(rec, r.schema)
	}
	return rec, err
}

// Snapshot returns what the query reads, which may be no table. It is valid until Close.
func (r *Result) Snapshot() *snapshot.Snapshot {
	if r.binding.snapshot == nil {
		return snapshot.New(0, nil, func() {})
	}
	return r.binding.snapshot
}

// Reads returns what of its tables decides which rows the query gives. Of the request's Target
// these are columns, of every other table everything.
func (r *Result) Reads() []engine.Read { return r.binding.reads() }

// Wanted reports whether other queries wait for the place of this one.
func (r *Result) Wanted() bool { return r.pool.Wanted() }

// Yield lets another query begin while this one waits for its reader: see duck.Pool. The result
// must not be closed.
func (r *Result) Yield(since time.Time) error { return r.pool.Yield(r.conn, since) }

// Close ends the query and gives back what it held. It may be called more than once.
func (r *Result) Close() {
	if r.close != nil {
		r.close()
		r.close = nil
	}
}

// Run starts a SELECT. The context ends it, until the result is closed. A statement
// that is no SELECT is Invalid.
func (r *Runner) Run(ctx context.Context, req Request) (*Result, error) {
	started := time.Now()
	if !r.store.HasDatabase(req.Database) {
		return nil, base.Errorf(base.NotFound, "database %q does not exist", req.Database).WithHint("SHOW DATABASES lists those that do")
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

func (r *Runner) runOn(ctx context.Context, conn *duck.Conn, req Request) (*Result, error) {
	stmt, b, err := r.prepare(ctx, conn, req)
	if err != nil {
		return nil, err
	}
	result, err := b.start(ctx, stmt)
	if err != nil {
		return nil, b.positioned(err)
	}
	if req.Target != 0 {
		result.rows.Gather() // nothing is changed before all rows are found
	}
	result.Stats, result.binding = b.stats, b
	if len(b.analysis.names) > 0 {
		result.schema = renamedSchema(b.analysis.names, result.schema)
	}
	return result, nil
}

// prepare plans a statement over a snapshot, which the returned binding holds.
func (r *Runner) prepare(ctx context.Context, conn *duck.Conn, req Request) (*duck.Stmt, *binding, error) {
	a, err := r.cache.get(conn, req.SQL, req.ReadFiles)
	if errors.Is(err, duck.ErrNotSelect) {
		a, err = r.analyzePivots(ctx, conn, req)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(a.bitstrings) > 0 {
		if a, err = r.withBounds(ctx, conn, req, a); err != nil {
			return nil, nil, err
		}
	}
	b := &binding{runner: r, conn: conn, req: req, analysis: a}
	prepare := conn.Prepare
	if !a.files && (len(a.tables) == 0 || req.Rows != nil) {
		prepare = conn.PrepareCached
	}
	if len(a.tables) == 0 && req.Portion == nil {
		b.sql = a.text
		stmt, err := prepare(b.sql)
		return stmt, b, b.positioned(err)
	}
	if b.sql, err = b.bind(ctx); err != nil {
		b.release()
		return nil, nil, relocated(err, func(at int) int { return unexpanded(a.expanded, at) })
	}
	stmt, err := prepare(b.sql)
	if err != nil {
		b.release()
		return nil, nil, b.positioned(err)
	}
	return stmt, b, nil
}

// Parse returns an Invalid error for a text that is no query, whatever tables there are.
func (r *Runner) Parse(ctx context.Context, sql string) error {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer r.pool.Release(conn)
	_, err = conn.ParseSelect(sql)
	return err
}

// Columns returns the names of a SELECT's result columns, without running it.
func (r *Runner) Columns(ctx context.Context, req Request) ([]string, error) {
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
			return nil, b.positioned(err)
		}
	}
	renamed(b.analysis.names, columns)
	return columns, nil
}

// columnsWith returns the columns that a statement has with these arguments: the type of one may be known by its value alone.
// DuckDB reads nothing for it.
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

// start executes the binding's statement, and releases the binding at its end, whatever it is.
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
	located := b.req.Rows
	switch {
	case len(b.req.Args) > 0:
		return stmt.Start(ctx)
	case located != nil:
		return fewrows.Start(ctx, stmt, len(located.Rows.Addresses))
	case len(b.analysis.tables) == 0:
		return fewrows.Start(ctx, stmt, 0)
	default:
		return stmt.Start(ctx)
	}
}
