// Package mutate runs the statements that change data or definitions. It reads their clauses, lets
// DuckDB compute every expression, and passes rows and schemas to the engine.
//
// DuckDB's own catalog stays empty. Where DuckDB's parser or binder has to check a definition,
// mutate creates a temporary table and drops it afterwards.
package mutate

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// Store has the methods of the engine with which statements read and change tables.
type Store interface {
	Lookup(database, schema, name string) (schema.Table, error)
	HasSchema(database, schema string) bool
	HasDatabase(database string) bool

	CreateDatabase(ctx context.Context, name string, ifNotExists bool) error
	DropDatabase(ctx context.Context, name string, cascade bool) error
	CreateSchema(ctx context.Context, database, name string, ifNotExists bool) error
	DropSchema(ctx context.Context, database, name string, cascade bool) error
	CreateTable(ctx context.Context, t schema.Table, ifNotExists bool) (schema.Table, error)
	AlterTable(ctx context.Context, id base.TableID, change func(schema.Table) (schema.Table, error)) (schema.Table, error)
	ChangeToDouble(ctx context.Context, id base.TableID, column string) error
	DropTable(ctx context.Context, id base.TableID) error
	Truncate(ctx context.Context, id base.TableID) (removed *snapshot.Snapshot, err error)
	PutView(ctx context.Context, v catalog.View, replace bool) error
	Views() []catalog.View
	RetypeView(ctx context.Context, v catalog.View) error
	DropView(ctx context.Context, name catalog.ViewName, ifExists bool) error
	Load(ctx context.Context, t schema.Table, o engine.LoadOptions) (*engine.Load, error)
	Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (engine.Result, error)
	Conform(ctx context.Context, rows engine.TableRows, o engine.AppendOptions) (schema.Table, *engine.Evolution, []arrow.RecordBatch, error)
	ConformBatch(ctx context.Context, in arrow.RecordBatch, t schema.Table, first int64, whole bool) (arrow.RecordBatch, error)
	Plan(ctx context.Context, rows engine.TableRows, o engine.AppendOptions) (schema.Table, *engine.Evolution, error)
	Evolve(ctx context.Context, evolutions []engine.Evolution) error
	Snapshot(ids ...base.TableID) (*snapshot.Snapshot, error)
	DeduplicatedSnapshot(ctx context.Context, ids ...base.TableID) (*snapshot.Snapshot, error)
	DeduplicatedSnapshotAs(ctx context.Context, evolutions []engine.Evolution, ids ...base.TableID) (*snapshot.Snapshot, error)
	DeleteSuperseded(ctx context.Context, id base.TableID) error
	NewReservation() *engine.Reservation
	RunOnce(ctx context.Context, o engine.AppendOptions, run func(engine.AppendOptions) (engine.Result, error)) (engine.Result, error)
	Commit(ctx context.Context, s *snapshot.Snapshot, changes []engine.Change, o engine.AppendOptions) (engine.Result, error)
	LockTables(ctx context.Context, beforeWait engine.BeforeLockWait, tables ...base.TableID) (release func(), err error)
	ShareTables(ctx context.Context, beforeWait engine.BeforeLockWait, tables ...base.TableID) (release func(), err error)
	Flush(ctx context.Context) error
	ChunkBytes() int64
	Keys() *keys.Finder
	FitsPatch(bytes int64) bool
}

// Rewriter applies a change by rewriting the parts that have the changed rows. Package merge
// implements it.
type Rewriter interface {
	Mutate(ctx context.Context, s *snapshot.Snapshot, c engine.Change, o engine.AppendOptions) error
	Retype(ctx context.Context, from, to schema.Table, column base.ColumnID, alias, value string) error
}

// Planner runs SELECT texts over the store's tables. Package query implements it.
type Planner interface {
	// Select runs a query. Positions in errors refer to the query's text.
	Select(ctx context.Context, s Select) (Rows, error)
	// Find runs a query as Select does. The query finds the rows of the table at s.Target that a
	// statement changes, and its result has the addresses of these rows.
	Find(ctx context.Context, s Select) (Found, error)
	// Columns returns the names of a query's result columns. It does not run the query.
	Columns(ctx context.Context, s Select) ([]string, error)
}

// Select is one query.
type Select struct {
	SQL       string
	Args      []any
	Database  string
	ReadFiles bool
	Transient *Transient
	// Defines, if not nil, is the view that this query will define. The query must not read it.
	Defines *catalog.ViewName
	// Target is the byte offset in SQL at which the name of a table is. The query can read the
	// addresses of that table's rows in the columns scoter_source and scoter_ordinal.
	Target int
	// Rows, if not nil, are the only rows of the target table that the query sees. Then the query
	// must not name other tables.
	Rows *KeyRows
	// Evolutions are changes of the schemas of tables. They will be committed with the rows of the
	// statement. The query sees the tables with these changes.
	Evolutions []engine.Evolution
}

// KeyRows are the rows of one table in a snapshot that an index found for a key. Key has the value
// of each column of the key, as an array of length 1.
type KeyRows struct {
	Snapshot  *snapshot.Snapshot
	Addresses []base.RowAddress
	Key       map[base.ColumnID]arrow.Array
	// Constants are additional columns that the query sees in each of these rows.
	Constants []ConstantColumn
}

// ConstantColumn is a column that has the same value in every row of a query. Value is an array of
// length 1.
type ConstantColumn struct {
	Name  string
	Type  schema.Type
	Value arrow.Array
}

// Transient is a table that exists only for one query.
type Transient struct {
	Name  string // the table's name as schema.name; users have no tables in that schema
	Table *snapshot.Table
	// InMemory says that the query sees only the rows of memtables, and the rows with patches. It
	// does not see the rows whose values are all in parts.
	InMemory bool
	// Path, if not nil, is the database, schema and name of a table. The query may qualify the
	// columns of the transient table with it, as if it were that table.
	Path []string
}

// Rows is a result that is being read. The caller must close it.
type Rows interface {
	Schema() *arrow.Schema
	// Next returns the next batch, or io.EOF at the end. The caller releases the batch.
	Next(ctx context.Context) (arrow.RecordBatch, error)
	Close()
}

// Found is the result of a query that finds rows of a table. It has the addresses of the rows.
type Found interface {
	Rows
	// Snapshot returns the snapshot in which the rows were found. It is valid until Close.
	Snapshot() *snapshot.Snapshot
	ReadDependencies() []engine.ReadDependency
}

// each calls f with every batch of a result, until the end or an error.
func each(ctx context.Context, rows Rows, f func(arrow.RecordBatch) error) error {
	for {
		rec, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = f(rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
}

// Discard reads a result to its end and drops its rows.
func Discard(ctx context.Context, rows Rows) error {
	return each(ctx, rows, func(arrow.RecordBatch) error { return nil })
}

// Request is the context in which a statement runs: its arguments, database and permissions.
type Request struct {
	Args      []any
	Database  string
	ReadFiles bool
	// Options has the idempotency key of a statement that changes rows.
	Options engine.AppendOptions
}

// Counts are the numbers of rows that a statement inserted, updated and deleted.
type Counts = engine.Counts

// Result is the outcome of a statement. Rows is the result of RETURNING, or nil.
type Result struct {
	Counts Counts
	Rows   Rows
}

// Close releases the result's rows.
func (r *Result) Close() {
	if r.Rows != nil {
		r.Rows.Close()
	}
}

// Mutator runs statements. It is safe for concurrent use.
type Mutator struct {
	store   Store
	planner Planner
	pool    *duck.Pool
	memory  *memtable.Pool // memory is the budget for the rows over which RETURNING is evaluated.
	sources Sources
	exports Exports
	keys    *keys.Finder
	log     *slog.Logger

	rewriter Rewriter
	// updateMode is the mode of UPDATE, DELETE and MERGE statements without WITH (mode = ...).
	updateMode UpdateMode

	functions knownFunctions
}

// New returns a mutator. mode is the mode of UPDATE, DELETE and MERGE statements without WITH (mode
// = ...).
func New(store Store, planner Planner, pool *duck.Pool, memory *memtable.Pool, sources Sources, exports Exports, rewriter Rewriter, mode UpdateMode, log *slog.Logger) *Mutator {
	return &Mutator{store: store, planner: planner, pool: pool, memory: memory, sources: sources, exports: exports, keys: store.Keys(), log: log, rewriter: rewriter, updateMode: mode}
}

// Execute runs one statement that is not a query.
//
// If an earlier request had the same idempotency key, Execute does not run the statement again, and
// returns the counts of the first run. An idempotency key is an Invalid error for a statement that
// changes no rows or has a RETURNING clause, because its result could not be returned again.
func (m *Mutator) Execute(ctx context.Context, s sqltoken.Statement, req Request) (*Result, error) {
	if req.Options.IdempotencyKey == "" {
		return m.execute(ctx, s, req)
	}
	if !ChangesRows(s) {
		return nil, base.Errorf(base.Invalid, "%s takes no idempotency key", s.Verb()).WithHint("INSERT, UPDATE, DELETE and MERGE INTO take one")
	}
	returning := func(t sqltoken.Token) bool { return t.Depth == 0 && t.Is("RETURNING") }
	if i := slices.IndexFunc(s.Tokens, returning); i >= 0 {
		return nil, base.Errorf(base.Invalid, "a statement with an idempotency key cannot have RETURNING: a repetition could not return the rows").At(s.Tokens[i].Start + 1)
	}
	counts, err := m.idempotent(ctx, req.Options, func(o engine.AppendOptions) (Counts, error) {
		req.Options = o
		result, err := m.execute(ctx, s, req)
		if err != nil {
			return Counts{}, err
		}
		return result.Counts, nil
	})
	if err != nil {
		return nil, err
	}
	return &Result{Counts: counts}, nil
}

func (m *Mutator) execute(ctx context.Context, s sqltoken.Statement, req Request) (*Result, error) {
	x, err := m.begin(ctx, s, req)
	if err != nil {
		return nil, err
	}
	c := x.c
	if x.mode == Expression {
		if x.asked || s.Verb() == "UPDATE" {
			result, err := x.expressionUpdate()
			if x.asked || !errors.Is(err, errCannotBeStored) && !errors.Is(err, engine.ErrManyExpressions) {
				return result, err
			}
		}
		// The statement itself does not name a mode, and the mode in the settings is `expression`.
		// The setting applies only to statements that can be stored as expressions, so this
		// statement runs in the mode Auto.
		x.mode, c.at = Auto, 0
	}
	var counts Counts
	switch {
	case s.Verb() == "INSERT":
		// The error errStale means that the table's schema has changed. Then the rows are prepared
		// again for the new schema.
		for range maxAttempts {
			result, err := x.insert()
			if !errors.Is(err, errStale) {
				return result, err
			}
		}
		return nil, errStale
	case ChangesRows(s):
		return x.changeRows(x.rowPlan)
	case IsSourceStatement(s):
		counts, err = x.source()
	case IsExportStatement(s):
		err = x.export()
	case c.accept("CREATE"):
		counts, err = x.create()
	case c.accept("DROP"):
		err = x.drop()
	case c.accept("ALTER"):
		err = x.alter()
	case c.accept("TRUNCATE"):
		counts, err = x.truncate()
	default:
		err = base.Errorf(base.Invalid, "%s is not supported yet", s.Verb()).At(1)
	}
	if err != nil {
		return nil, err
	}
	return &Result{Counts: counts}, nil
}

// begin checks a statement's syntax and arguments. It returns the execution of the statement
// without its WITH (mode = ...) clause.
func (m *Mutator) begin(ctx context.Context, s sqltoken.Statement, req Request) (*execution, error) {
	x := &execution{Mutator: m, ctx: ctx, req: req, options: req.Options}
	if ChangesRows(s) && s.Verb() != "INSERT" {
		var err error
		if s, x.mode, x.asked, err = cutMode(s, m.updateMode); err != nil {
			return nil, err
		}
	}
	if err := m.checkSyntax(ctx, s); err != nil {
		return nil, err
	}
	if err := checkArguments(s.Tokens, req.Args); err != nil {
		return nil, err
	}
	s, err := withNames(s)
	if err != nil {
		return nil, err
	}
	x.c = &clauses{statement: s}
	return x, nil
}

// execution is one running statement.
type execution struct {
	*Mutator
	ctx   context.Context
	req   Request
	c     *clauses
	mode  UpdateMode // how the statement changes rows that are in parts
	asked bool       // whether the statement itself chose the mode
	// explain is EXPLAIN with its options, if the plan of the statement is requested. It is written
	// in front of the statement's query. It is empty if the statement is to be run.
	explain string
	options engine.AppendOptions // the options of the statement's commit
	// transient has the rows of a request without SQL. Scoter composes a statement for such a
	// request, which reads the rows from the table transient.
	transient *Transient
	scanning  bool // whether the rows of a key must be found by a scan, without an index
	// lastReads lists the tables that the last attempt to run the statement depended on.
	lastReads []base.TableID
}

// tableName resolves a dotted table name as queries do. a.b is table b of schema a if the current
// database has such a schema. Otherwise it is table b of database a.
func (x *execution) tableName(parts []string) (database, schemaName, name string) {
	switch len(parts) {
	case 1:
		return x.req.Database, "main", parts[0]
	case 2:
		if x.store.HasSchema(x.req.Database, parts[0]) || !x.store.HasDatabase(parts[0]) {
			return x.req.Database, parts[0], parts[1]
		}
		return parts[0], "main", parts[1]
	default:
		return parts[0], parts[1], parts[2]
	}
}

func (x *execution) lookup(parts []string) (schema.Table, error) {
	database, schemaName, name := x.tableName(parts)
	t, err := x.store.Lookup(database, schemaName, name)
	for _, v := range x.options.Evolutions {
		if err == nil && v.Table.ID == t.ID {
			t = v.Table
		}
	}
	if base.KindOf(err) == base.NotFound && schema.CheckReserved("", schemaName) != nil {
		return t, base.Errorf(base.Invalid, "the tables of schema %q are the system's: they can only be read", schemaName)
	}
	return t, err
}

// table parses a dotted name, and returns the table of that name, which must exist.
func (x *execution) table() (schema.Table, error) {
	place := x.c.at
	parts, err := x.c.name()
	if err != nil {
		return schema.Table{}, err
	}
	t, err := x.lookup(parts)
	return t, x.c.withPosition(err, place)
}

// selects returns a composed query for the planner. The query gets the arguments of the statement
// that it uses.
func (x *execution) selects(q *composedQuery) Select {
	return Select{SQL: q.String(), Args: q.arguments(x.req.Args), Database: x.req.Database, ReadFiles: x.req.ReadFiles}
}
