// Package postgres describes queries for PostgreSQL 14 and later: it finds the types of their
// parameters and columns, and which columns can be NULL. It gets types with PREPARE, and
// nullability from PostgreSQL's parse tree. It executes the user's schema, and none of the queries.
// Everything runs in one transaction that is rolled back.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	// This driver exposes what the description of a query needs: the OIDs of the types of
	// parameters and results, the table columns that results come from, and the positions of
	// errors.
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Engine analyses statements on a PostgreSQL database. It works in one transaction, which is rolled
// back at the end.
type Engine struct {
	conn *pgx.Conn
	// server is the embedded PostgreSQL server, which Close stops. It is nil if the engine uses a
	// database of the user.
	server  *Server
	version string
	types   map[uint32]*pgType
	tables  map[uint32]*relation
	// names caches the names that the method catalogNames has read.
	names map[string]map[uint32]string
}

// Open connects to the PostgreSQL database at url and begins the transaction. If url is empty, it
// starts an embedded server.
func Open(ctx context.Context, url string) (*Engine, error) {
	e := &Engine{types: map[uint32]*pgType{}, tables: map[uint32]*relation{}, names: map[string]map[uint32]string{}}
	if url == "" {
		server, err := StartServer(ctx)
		if err != nil {
			return nil, err
		}
		e.server, url = server, server.URL()
	}
	if err := e.connect(ctx, url); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) connect(ctx context.Context, url string) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return base.Errorf(base.Invalid, "PostgreSQL URL: %w", err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	if e.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return base.Errorf(base.Unavailable, "connect to PostgreSQL: %w", err)
	}
	var number int
	if err := e.conn.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('server_version_num')::int`).Scan(&e.version, &number); err != nil {
		return fmt.Errorf("read the version: %w", err)
	}
	e.version, _, _ = strings.Cut(e.version, " ")
	if number < 140000 {
		return base.Errorf(base.Invalid, "PostgreSQL %s is too old: nullability needs 14 or later", e.version).
			WithHint("unset SCOTER_POSTGRES_URL to use the embedded one")
	}
	if _, err := e.conn.Exec(ctx, "BEGIN"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return nil
}

// identityQueries are queries whose results identify a database. The function Same prefers the
// first one, because it gives the same result on a replica as on its primary server. If a role may
// not run the first one, Same uses the second one.
var identityQueries = []string{
	`SELECT system_identifier || '/' || current_database() FROM pg_control_system()`,
	`SELECT extract(epoch FROM pg_postmaster_start_time()) || '/' || current_database()`,
}

// Same reports whether two URLs lead to the same PostgreSQL database.
func Same(ctx context.Context, a, b string) (same bool, err error) {
	for _, query := range identityQueries {
		var first, second string
		if first, err = identity(ctx, a, query); err == nil {
			second, err = identity(ctx, b, query)
		}
		var refused *pgconn.PgError
		if err == nil || !errors.As(err, &refused) {
			return first == second, err
		}
	}
	return false, err
}

func identity(ctx context.Context, url, query string) (id string, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", base.Errorf(base.Unavailable, "connect to PostgreSQL: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	if err = conn.QueryRow(ctx, query).Scan(&id); err != nil {
		return "", base.Errorf(base.Unavailable, "ask PostgreSQL which database it is: %w", err)
	}
	return id, nil
}

// Version returns PostgreSQL's version, for example "18.3".
func (e *Engine) Version() string { return e.version }

// Close rolls back the transaction, disconnects, and stops the embedded server.
func (e *Engine) Close() error {
	var err error
	if e.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if _, rollback := e.conn.Exec(ctx, "ROLLBACK"); rollback != nil && !e.conn.IsClosed() {
			err = fmt.Errorf("roll back: %w", rollback)
		}
		err = errors.Join(err, e.conn.Close(ctx))
		e.conn = nil
	}
	if e.server != nil {
		err = errors.Join(err, e.server.Close())
		e.server = nil
	}
	return err
}

// refused converts an error of the PostgreSQL server about a statement into an analyze.SQLError.
// text is the statement's SQL. Errors that are not from the server are returned unchanged.
func refused(err error, text string) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err
	}
	out := &analyze.SQLError{Message: pg.Message, Offset: -1, Hint: pg.Hint}
	if pg.Detail != "" {
		out.Message += " (" + pg.Detail + ")"
	}
	if pg.Position > 0 {
		out.Offset = byteOffset(text, int(pg.Position))
	}
	return out
}

// undetermined reports whether an error means that the server cannot determine the type of a
// parameter. param is the index of this parameter, counted from 0.
func undetermined(err error) (param int, ok bool) {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || pg.Code != "42P18" {
		return 0, false
	}
	_, after, _ := strings.Cut(pg.Message, "$")
	n := 0
	_, err = fmt.Sscanf(after, "%d", &n)
	return n - 1, err == nil && n > 0
}

// byteOffset converts a position in a text, counted in characters from 1, into an offset in bytes.
func byteOffset(text string, position int) int {
	for i := range text {
		if position--; position == 0 {
			return i
		}
	}
	return len(text)
}

// guarded sets a savepoint and then calls f, so that a refused statement does not end the
// transaction. If f fails, or if the argument keep is false, the changes that f made are rolled
// back.
func (e *Engine) guarded(ctx context.Context, keep bool, f func() error) error {
	if _, err := e.conn.Exec(ctx, "SAVEPOINT scoter"); err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	err := f()
	end := "ROLLBACK TO SAVEPOINT scoter; RELEASE SAVEPOINT scoter"
	if err == nil && keep {
		end = "RELEASE SAVEPOINT scoter"
	}
	if _, e := e.conn.Exec(ctx, end); e != nil {
		return fmt.Errorf("release savepoint: %w", errors.Join(e, err))
	}
	return err
}

// Exec runs one statement of the user's schema, such as CREATE TABLE.
func (e *Engine) Exec(ctx context.Context, sql string) error {
	e.types, e.tables, e.names = map[uint32]*pgType{}, map[uint32]*relation{}, map[string]map[uint32]string{}
	if slices.Contains([]string{"SAVEPOINT", "RELEASE", "ROLLBACK"}, firstWord(sql)) {
		// There must be no savepoint here: releasing it would also release the savepoints that the
		// schema sets.
		_, err := e.conn.PgConn().Exec(ctx, sql).ReadAll()
		return refused(err, sql)
	}
	return e.guarded(ctx, true, func() error {
		_, err := e.conn.PgConn().Exec(ctx, sql).ReadAll()
		var pg *pgconn.PgError
		// PostgreSQL uses this code if a statement cannot run in a transaction, such as CREATE
		// INDEX CONCURRENTLY.
		if errors.As(err, &pg) && pg.Code == "25001" {
			out := refused(err, sql).(*analyze.SQLError)
			out.Hint = "migrations run in one transaction"
			return out
		}
		return refused(err, sql)
	})
}

// Applied returns the ids of the project's migrations that the migration table records as applied.
// It returns none if there is no such table.
func (e *Engine) Applied(ctx context.Context, project string) (map[string]bool, error) {
	var exists bool
	if err := e.conn.QueryRow(ctx, `SELECT to_regclass('_sqg_migrations') IS NOT NULL`).Scan(&exists); err != nil || !exists {
		return nil, err
	}
	rows, err := e.conn.Query(ctx, `SELECT migration_id FROM _sqg_migrations WHERE project = $1`, project)
	if err != nil {
		return nil, err
	}
	applied := map[string]bool{}
	var id string
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error { applied[id] = true; return nil })
	return applied, err
}

func placeholder(i int) string { return fmt.Sprintf("$%d", i+1) }

// Describe finds the types of the parameters and columns of a statement with PREPARE. It finds out
// which columns can be NULL from the statement's parse tree.
func (e *Engine) Describe(ctx context.Context, s *analyze.Statement) (*analyze.Description, error) {
	sql := s.Render(placeholder)
	fail := func(err error) error {
		out := refused(err, sql)
		var r *analyze.SQLError
		if errors.As(out, &r) && r.Offset >= 0 {
			r.Offset = s.Origin(r.Offset, placeholder)
		}
		if i, ok := undetermined(err); ok && i < len(s.Params) && r != nil {
			for _, p := range slices.Backward(s.Pieces) {
				if p.Kind == ir.ParamRef && p.Param == i {
					r.Offset = p.Start
				}
			}
			r.Message = "neither the statement nor its sample tells the type of ${" + s.Params[i].Name + "}"
			r.Hint = "cast it: CAST(${" + s.Params[i].Name + "} AS text)"
		}
		return out
	}
	prepared, told, err := e.prepare(ctx, s, sql)
	if err != nil {
		return nil, fail(err)
	}
	d := &analyze.Description{Statement: ir.StatementOther}
	tree, err := e.tree(ctx, sql, prepared)
	if err != nil {
		return nil, fail(err)
	}
	w := &walker{engine: e, ctx: ctx, nullableParam: func(i int) bool { return i >= len(s.Params) || s.Params[i].Nullable }}
	var nullable []bool
	var dims map[int]int
	if tree != nil {
		if nullable, err = w.result(tree); err != nil {
			return nil, err
		}
		if dims, err = w.paramDimensions(tree); err != nil {
			return nil, err
		}
		if d.Statement, d.ReadOnly, err = e.statementClass(ctx, tree); err != nil {
			return nil, err
		}
	} else if class := firstWordClass(sql); class != "" {
		d.Statement = class
	}
	occurrences := s.Occurrences()
	for i, oid := range prepared.ParamOIDs {
		t, err := e.typ(ctx, oid, -1, dims[i])
		if err != nil {
			return nil, err
		}
		d.Params = append(d.Params, analyze.ParamInfo{Type: t, Cast: told || occurrences[i] > 1})
	}
	if s.Verb == ir.VerbExec {
		return d, nil
	}
	for i, f := range prepared.Fields {
		c := analyze.ColumnInfo{Name: f.Name, Unnamed: f.Name == "?column?", Nullable: true}
		dimensions := 0
		if f.TableOID != 0 && f.TableAttributeNumber > 0 {
			r, err := e.relation(ctx, f.TableOID)
			if err != nil {
				return nil, err
			}
			if a := r.attribute(int(f.TableAttributeNumber)); a != nil {
				c.Origin = &ir.Origin{Schema: r.schema, Table: r.name, Column: a.name}
				dimensions = a.dims
			}
		}
		if c.Type, err = e.typ(ctx, f.DataTypeOID, f.TypeModifier, dimensions); err != nil {
			return nil, err
		}
		if i < len(nullable) {
			c.Nullable = nullable[i]
		}
		d.Columns = append(d.Columns, c)
	}
	return d, nil
}

// prepare lets the server parse a statement and find its types. If the server cannot determine the
// type of a parameter (`$1 IS NULL` alone, `unnest($1)`), prepare tells the server the types of the
// parameters: those that unify finds, or else those of the sample values. The result told is true
// if prepare told the server any type. Drivers must then do the same.
func (e *Engine) prepare(ctx context.Context, s *analyze.Statement, sql string) (out *pgconn.StatementDescription, told bool, err error) {
	attempt := func(oids []uint32) error {
		return e.guarded(ctx, true, func() (err error) {
			out, err = e.conn.PgConn().Prepare(ctx, "", sql, oids)
			return err
		})
	}
	err = attempt(nil)
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || !slices.Contains([]string{"42P18", "42P08", "42725", "42804"}, pg.Code) {
		return out, false, err
	}
	oids, unified := e.unify(ctx, s)
	if unified != nil {
		return nil, false, unified
	}
	for i, p := range s.Params {
		if oids[i] == 0 {
			oids[i] = e.sampleType(ctx, p)
		}
	}
	if retry := attempt(oids); retry != nil {
		if errors.As(retry, &pg) && pg.Code == "42P18" {
			err = retry // retry is about a parameter whose sample has no type either
		}
		return nil, false, err
	}
	return out, true, nil
}

// unify finds the types of parameters that occur several times, if the server can tell the type
// from some occurrences and not from others (`$1 IS NULL OR id = $1`). It asks the server about a
// changed statement: every occurrence is a parameter of its own, except that occurrences whose type
// the server cannot tell are replaced by NULL. The result has the OID of a type for each parameter,
// or 0.
func (e *Engine) unify(ctx context.Context, s *analyze.Statement) ([]uint32, error) {
	oids := make([]uint32, len(s.Params))
	blocked := map[int]bool{} // occurrences without a type, by number
	total := 0
	for _, n := range s.Occurrences() {
		total += n
	}
	for range total {
		// For each occurrence of a parameter that is not replaced by NULL: params has the
		// parameter's index, and starts the byte offset in sql.
		var params, starts []int
		var occurrences []int
		sql, occurrence := "", 0
		for _, p := range s.Pieces {
			if p.Kind != ir.ParamRef {
				sql += p.Text
				continue
			}
			if blocked[occurrence] {
				sql += "NULL"
			} else {
				starts, params, occurrences = append(starts, len(sql)), append(params, p.Param), append(occurrences, occurrence)
				sql += placeholder(len(params) - 1)
			}
			occurrence++
		}
		var found []uint32
		err := e.guarded(ctx, true, func() error {
			d, err := e.conn.PgConn().Prepare(ctx, "", sql, nil)
			if err == nil {
				found = d.ParamOIDs
			}
			return err
		})
		var pg *pgconn.PgError
		if errors.As(err, &pg) {
			if i := errorParameter(pg, sql, starts); i >= 0 {
				blocked[occurrences[i]] = true
				continue
			}
		}
		if err != nil && pg == nil {
			return nil, err
		}
		for i, oid := range found {
			if oids[params[i]] == 0 {
				oids[params[i]] = oid
			}
		}
		break
	}
	return oids, nil
}

// errorParameter returns the index of the parameter that an error of the server is about, or -1.
// The server reports either a position, or the parameter's number in the message. starts are the
// byte offsets of the parameters in sql.
func errorParameter(pg *pgconn.PgError, sql string, starts []int) int {
	for i, start := range starts {
		if pg.Position > 0 && start == byteOffset(sql, int(pg.Position)) {
			return i
		}
	}
	if _, after, found := strings.Cut(pg.Message, "$"); found && pg.Position == 0 {
		n := 0
		if _, err := fmt.Sscanf(after, "%d", &n); err == nil && n >= 1 && n <= len(starts) {
			return n - 1
		}
	}
	return -1
}

// sampleType returns the OID of the type of a parameter's sample value, or 0 if the server cannot
// tell it.
func (e *Engine) sampleType(ctx context.Context, p analyze.Sample) uint32 {
	sample := p.Value
	if p.In {
		sample = "ARRAY[" + strings.Join(p.List, ", ") + "]"
	}
	var oid uint32
	err := e.guarded(ctx, true, func() error {
		d, err := e.conn.PgConn().Prepare(ctx, "", "SELECT "+sample, nil)
		if err == nil && len(d.Fields) == 1 {
			oid = d.Fields[0].DataTypeOID
		}
		return err
	})
	if err != nil || p.Null {
		return 0
	}
	return oid
}
