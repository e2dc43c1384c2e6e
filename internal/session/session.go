// Package session executes SQL texts. It splits a text into statements, and passes each one to the
// package that runs statements of its kind. The server, the command line and embedded use all
// execute SQL with it.
package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/query"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/write"
)

// Role says what a caller may do. Each role includes the permissions of the roles before it.
type Role uint8

const (
	// Nobody has no permissions at all.
	Nobody Role = iota
	// Reader may run queries.
	Reader
	// Writer may also change rows, tables and databases.
	Writer
	// Admin may also read files and see the server's internal state.
	Admin
)

// Request is one or more statements, separated by semicolons.
type Request struct {
	SQL string
	// Args are the arguments of the parameters: positional ones, or one map[string]any of named
	// ones. Arguments are allowed only with a single statement.
	Args     []any
	Database string
	Role     Role
	// Options have the idempotency key of the request. Only a single statement that changes rows
	// needs one.
	Options engine.AppendOptions
}

// Answer is the result of the last statement of a request. The caller must close it.
type Answer struct {
	// Rows are the rows of the result. It is nil for a statement without a result.
	Rows sqlquery.Rows
	// Verb is the keyword of the statement in upper case, such as SELECT.
	Verb string
	// Changes says that the statement changes data. If it is true, Counts says how many rows it
	// changed.
	Changes bool
	Counts  engine.Counts
	Stats   query.Stats
	query   *query.Result // the query that returns Rows; nil if the statement changes data
	close   func()
}

// OthersWaiting reports whether other queries wait until the answer's query gives up its slot (its
// right to run as one of max_queries).
func (a *Answer) OthersWaiting() bool { return a.query != nil && a.query.OthersWaiting() }

// Yield lets another query begin while this answer is still being sent. The caller calls it if the
// reader of the answer has been slow since the given time. If the result must end now, Yield
// returns the reason, and nil otherwise.
func (a *Answer) Yield(since time.Time) error {
	if a.query == nil {
		return nil
	}
	return a.query.Yield(since)
}

// Close frees the query's connection, snapshot and rows.
func (a *Answer) Close() {
	if a.close != nil {
		a.close()
		a.close = nil
	}
}

// Executor executes requests. It is safe for concurrent use.
type Executor struct {
	query      *query.Runner
	statements *Statements
	written    [ways]atomic.Int64
}

// way is an interface through which clients write rows, such as HTTP or SQL.
type way int

const (
	byHTTP way = iota // byHTTP: requests with rows, and loads in this process
	bySQL
	byKafka
	ways
)

// Written returns the number of rows that were inserted, updated or deleted so far, by interface:
// http (requests with rows), sql or kafka.
func (x *Executor) Written() map[string]int64 {
	return map[string]int64{"http": x.written[byHTTP].Load(), "sql": x.written[bySQL].Load(), "kafka": x.written[byKafka].Load()}
}

// count adds the rows that a request changed to the totals that Written returns. It adds nothing
// for a request that repeats an earlier one, because that changed nothing.
func (x *Executor) count(w way, c engine.Counts) {
	if !c.Replayed {
		x.written[w].Add(c.Rows())
	}
}

// New returns an executor.
func New(q *query.Runner, m *Statements) *Executor { return &Executor{query: q, statements: m} }

// Execute runs the statements of a request in order. Each statement is committed on its own. It
// returns the answer of the last one. If one of several statements fails, the error says which one,
// and the statements before it stay committed.
func (x *Executor) Execute(ctx context.Context, req Request) (*Answer, error) {
	statements, err := sqltoken.Statements(req.SQL)
	if err != nil {
		return nil, err
	}
	switch {
	case len(statements) == 0:
		return nil, base.Errorf(base.Invalid, "no statement")
	case len(statements) > 1 && len(req.Args) > 0:
		return nil, base.Errorf(base.Invalid, "parameters need a single statement, not %d", len(statements))
	case len(statements) > 1 && req.Options.IdempotencyKey != "":
		return nil, base.Errorf(base.Invalid, "an idempotency key needs a single statement, not %d", len(statements)).WithHint("each statement is a separate change: send each statement with its own key")
	}
	for i, s := range statements {
		started := time.Now()
		answer, err := x.one(ctx, req, s)
		if err != nil {
			return nil, Locate(err, s, i, len(statements))
		}
		if i == len(statements)-1 {
			answer.Verb = s.Verb()
			if answer.Stats.Planning == 0 {
				answer.Stats.Planning = time.Since(started)
			}
			return answer, nil
		}
		if answer.Rows != nil {
			err = sqlquery.Discard(ctx, answer.Rows)
		}
		answer.Close()
		if err != nil {
			return nil, Locate(err, s, i, len(statements))
		}
	}
	panic("unreachable")
}

// Append adds rows to tables: all of them or none.
func (x *Executor) Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (engine.Counts, error) {
	if err := checkReserved(tables); err != nil {
		return engine.Counts{}, err
	}
	counts, err := x.statements.Append(ctx, tables, o)
	x.count(byHTTP, counts)
	return counts, err
}

// Fits returns nil if Append would accept the rows now: see write.Writer.Check.
func (x *Executor) Fits(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	if err := checkReserved(tables); err != nil {
		return err
	}
	return x.statements.Check(ctx, tables, o)
}

// Pieces splits rows into groups that have the same columns and are appended one after the other:
// see write.Writer.Pieces.
func (x *Executor) Pieces(ctx context.Context, rows engine.TableRows, o engine.AppendOptions) (pieces []engine.TableRows, release func(), err error) {
	return x.statements.Pieces(ctx, rows, o)
}

func checkReserved(tables []engine.TableRows) error {
	for _, rows := range tables {
		if err := schema.CheckReserved(rows.Table.Database, rows.Table.Schema); err != nil {
			return err
		}
	}
	return nil
}

// Write inserts, updates or deletes rows of a table. The argument key has the names of the columns
// by which existing rows are found. See write.Writer.Write.
func (x *Executor) Write(ctx context.Context, rows engine.TableRows, mode write.Mode, key []string, o engine.AppendOptions) (engine.Counts, error) {
	if err := schema.CheckReserved(rows.Table.Database, rows.Table.Schema); err != nil {
		return engine.Counts{}, err
	}
	counts, err := x.statements.Write(ctx, rows, mode, key, o)
	x.count(byHTTP, counts)
	return counts, err
}

// Locate converts the position of an error in the statement s to a position in the text of all
// statements. i is the index of the statement, and n the number of statements. If n is above 1, the
// error also says which statement failed.
func Locate(err error, s sqltoken.Statement, i, n int) error {
	e := new(base.Error)
	if errors.As(err, &e) && e.Position > 0 {
		err = e.At(e.Position + s.Offset)
	}
	if n > 1 {
		return base.Wrap(err, "statement %d of %d", i+1, n)
	}
	return err
}

func (x *Executor) one(ctx context.Context, req Request, s sqltoken.Statement) (*Answer, error) {
	verb := s.Verb()
	if i := sqltoken.Explained(s.Tokens); i > 0 {
		explained := s.From(i)
		if clause.CanExplain(explained) {
			return x.explain(ctx, req, s, i)
		}
		if verb = explained.Verb(); refusals[verb] == "" {
			verb = "EXPLAIN"
		}
	}
	switch verb {
	case "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "CREATE", "DROP", "ALTER", "PAUSE", "RESUME", "REPLAY":
		if req.Role < Writer {
			return nil, base.Errorf(base.Forbidden, "%s needs the role writer", verb)
		}
		if req.Role < Admin && clause.IsSource(s) {
			return nil, base.Errorf(base.Forbidden, "%s SOURCE needs the role admin: a source reads files and connects to other machines", verb).
				WithHint("scoter token NAME --role admin creates a token, and prints the lines for the settings file; or define the source there, as [[source]]")
		}
		if req.Role < Admin && clause.IsExport(s) {
			return nil, base.Errorf(base.Forbidden, "%s EXPORT needs the role admin: an export writes files and connects to other machines", verb).
				WithHint("scoter token NAME --role admin creates a token, and prints the lines for the settings file")
		}
		result, err := x.statements.Execute(ctx, s, statement.Request{Args: req.Args, Database: req.Database, ReadFiles: req.Role >= Admin, Options: req.Options})
		if err != nil {
			return nil, err
		}
		x.count(bySQL, result.Counts)
		return &Answer{Rows: result.Rows, Changes: true, Counts: result.Counts, close: result.Close}, nil
	}
	if hint, refused := refusals[verb]; refused {
		return nil, base.Errorf(base.Forbidden, "%s is not allowed", verb).WithHint("%s", hint).At(1)
	}
	if req.Role < Reader {
		return nil, base.Errorf(base.Forbidden, "a query needs the role reader")
	}
	rows, err := x.query.Run(ctx, sqlquery.Request{SQL: s.Text, Args: req.Args, Database: req.Database, ReadFiles: req.Role >= Admin})
	if err != nil {
		return nil, err
	}
	return &Answer{Rows: rows, Stats: rows.Stats, query: rows, close: rows.Close}, nil
}

// explain returns the plan of a statement that changes rows, for EXPLAIN. The explained statement
// begins with the i-th token of s.
func (x *Executor) explain(ctx context.Context, req Request, s sqltoken.Statement, i int) (*Answer, error) {
	if req.Role < Reader {
		return nil, base.Errorf(base.Forbidden, "EXPLAIN needs the role reader")
	}
	explained := s.From(i)
	if at := slices.IndexFunc(s.Tokens[:i], func(t sqltoken.Token) bool { return t.Is("ANALYZE") }); at > 0 {
		return nil, base.Errorf(base.Invalid, "EXPLAIN ANALYZE of %s is not supported: it would make the change to measure it", explained.Verb()).At(s.Tokens[at].Start + 1).
			WithHint("EXPLAIN gives the plan; run the statement to see how long it takes")
	}
	rows, err := x.statements.Explain(ctx, s.Text[:explained.Offset], explained, statement.Request{Args: req.Args, Database: req.Database, ReadFiles: req.Role >= Admin})
	if err != nil {
		return nil, Locate(err, explained, 0, 1)
	}
	return &Answer{Rows: rows, close: rows.Close}, nil
}

// refusals has the statements of DuckDB that Scoter does not support, by their first word, and for
// each a hint about the alternative.
var refusals = func() map[string]string {
	out := map[string]string{}
	for words, hint := range map[string]string{
		"COPY EXPORT":                           "ask for the result in the format you need (?format=parquet), or use scoter sql --output",
		"IMPORT LOAD INSTALL":                   "load files with scoter load or over HTTP; extensions are not loaded at run time",
		"ATTACH DETACH":                         "create databases with CREATE DATABASE",
		"SET RESET PRAGMA":                      "settings belong to the server: see scoter config, and scoter.settings in SQL",
		"BEGIN START COMMIT END ROLLBACK ABORT": "every statement is a separate transaction; MERGE INTO and INSERT ... ON CONFLICT change several rows at once",
		"USE":                                   "name the database in the request (?database=) or qualify the table: database.table",
		"CALL CHECKPOINT FORCE VACUUM ANALYZE":  "Scoter does its own upkeep: see scoter.merges and scoter.parts",
		"PREPARE EXECUTE DEALLOCATE":            "send parameters with the statement: {\"sql\": ..., \"params\": [...]}",
		"COMMENT GRANT REVOKE":                  "Scoter has no comments on tables, and permissions belong to tokens",
	} {
		for _, w := range strings.Fields(words) {
			out[w] = hint
		}
	}
	return out
}()
