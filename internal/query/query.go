// Package query runs SELECT statements. It finds the tables that a statement names with DuckDB's
// parser, takes a snapshot of them, replaces the names by relations, and streams DuckDB's result.
// It changes nothing.
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

// Store provides tables and views. The engine implements it.
type Store interface {
	// Lookup returns a table, or a NotFound error.
	Lookup(database, schema, name string) (schema.Table, error)
	// LookupView returns a view, or a NotFound error.
	LookupView(database, schema, name string) (catalog.View, error)
	// HasSchema and HasDatabase decide the meaning of a name of two parts.
	HasSchema(database, schema string) bool
	HasDatabase(database string) bool
	// SettledAs returns a deduplicated snapshot of tables, as they are now or as the evolutions
	// will make them.
	SettledAs(ctx context.Context, evolutions []engine.Evolution, tables ...base.TableID) (*snapshot.Snapshot, error)
	// Stored returns a snapshot of the parts of a table. It holds no rows in memory.
	Stored(ctx context.Context, table base.TableID) (*snapshot.Snapshot, error)
}

// System provides the system tables (scoter.tables and so on). SHOW and information_schema read
// them too.
type System interface {
	// Relation returns the query text for a system table, or false if there is none of that name.
	// database is the current database of the statement. Paths of the server's files are shown only
	// if admin is set.
	Relation(schema, name, database string, admin bool) (sql string, ok bool, err error)
}

// Request is one SELECT with its permissions.
type Request struct {
	SQL      string
	Args     []any  // see duck.Stmt.Bind
	Database string // the current database, for unqualified names
	// ReadFiles permits read_csv and similar functions. It is for administrators.
	ReadFiles bool
	// Transient, if not nil, is a table that exists only for this statement. It hides other tables
	// of the same name.
	Transient *Transient
	// Defines, if not nil, is the view that this query will define. The query may not read it.
	Defines *catalog.ViewName
	// Target, if not 0, is the offset in SQL of the name of one table. The query can read the
	// addresses of that table's rows in two more columns, scoter_source and scoter_ordinal.
	Target int
	// Rows, if not nil, are the only rows of the target that the query sees. The target is then the
	// query's only table.
	Rows *Located
	// Evolutions are changes of tables' schemas that will be committed with the statement of the
	// query. The query sees the tables as they will be.
	Evolutions []engine.Evolution
	// Portion, if not nil, restricts one of the query's tables to the parts of one partition.
	Portion *Portion
}

// Located are some rows of a table in a snapshot. The plan of a query over them is cached: DuckDB
// plans it once for each connection, text and version of the table.
type Located struct {
	Snapshot *snapshot.Snapshot // the query takes its own reference
	Rows     overlay.Rows
}

// Portion selects the parts of one partition of a table, without the rows in memory.
type Portion struct {
	Table     base.TableID
	Partition string
}

// Transient is a table of rows in memory.
type Transient struct {
	Name     string // the name in the query, which may be schema.name
	Rows     *snapshot.Table
	InMemory bool // see overlay.RelationOptions
	// Database, schema and name with which columns may be qualified, whatever the alias; nil for
	// none.
	Path []string
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

// Result is the result of one request. It holds a connection and a snapshot, so the caller must
// close it.
type Result struct {
	rows    *duck.Result
	schema  *arrow.Schema
	close   func()
	pool    *duck.Pool
	conn    *duck.Conn
	binding *binding
	Stats   Stats
}

// Stats says how much a query had to read at most, and how long it took to plan.
type Stats struct {
	Parts, PrunedParts int
	RowsRead           int64 // rows in the parts and memtables that were not pruned
	Planning           time.Duration
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

// Snapshot returns the snapshot that the query reads. It is empty if the query reads no table. It
// is valid until Close.
func (r *Result) Snapshot() *snapshot.Snapshot {
	if r.binding.snapshot == nil {
		return snapshot.New(0, nil, func() {})
	}
	return r.binding.snapshot
}

// Reads returns the tables and columns that decide which rows the query returns. For the request's
// Target these are single columns. Any other table counts as a whole.
func (r *Result) Reads() []engine.Read { return r.binding.reads() }

// Wanted reports whether other queries are waiting for a slot.
func (r *Result) Wanted() bool { return r.pool.Wanted() }

// Yield gives the query's slot to another query while this one waits for its reader. See duck.Pool.
// The result must not be closed.
func (r *Result) Yield(since time.Time) error { return r.pool.Yield(r.conn, since) }

// Close ends the query and releases its resources. It may be called more than once.
func (r *Result) Close() {
	if r.close != nil {
		r.close()
		r.close = nil
	}
}

// Run starts a SELECT. The query ends when ctx ends or when the result is closed. A statement that
// is not a SELECT is an Invalid error.
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
		result.rows.Gather() // the statement changes rows only after it has found all of them
	}
	result.Stats, result.binding = b.stats, b
	if len(b.analysis.names) > 0 {
		result.schema = renamedSchema(b.analysis.names, result.schema)
	}
	return result, nil
}

// prepare plans a statement over a snapshot. The returned binding holds the snapshot.
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

// Parse returns an Invalid error for a text that is not a query. It does not look up tables.
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

// columnsWith returns the result columns of a statement with these arguments. The type of a column
// may depend on the value of an argument. DuckDB reads no rows for this.
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

// start executes the binding's statement. The binding is released when the result is closed, or on
// an error.
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
