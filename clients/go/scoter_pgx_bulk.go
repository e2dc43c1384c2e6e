package scoter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// scPgxBulk describes a bulk operation on a table of PostgreSQL.
type scPgxBulk[T any] struct {
	name string
	// table is the table's name as SQL. target is this name followed by the columns to write.
	table, target string
	// unnest is the operation as a single statement that takes one array per column. It is "" if
	// there is no such statement.
	unnest string
	// stage is the name of a temporary table into which the rows are written. These statements run
	// in this order: create creates it, dedupe removes all but the last of several rows with the
	// same key, apply changes the target table, and drop drops the temporary table. dedupe is "" if
	// repeated keys do not matter.
	stage, create, dedupe, apply, drop string
	// values returns the values of a row as text, or nil for NULL.
	values func(T) []any
	// columns are the columns of a row. They write its values in the binary form of COPY.
	columns []scCopyColumn[T]
}

// scCopyColumn is a column whose values are written in the binary form of PostgreSQL's COPY.
type scCopyColumn[T any] struct {
	name string
	// kind is the kind of value that the server's type must be able to read. It is "" if the column
	// has no binary form.
	kind          string
	required, key bool
	put           func(o *scCopy, t *scServed, r *T)
}

// PostgresRoute is one of the ways in which a bulk operation can write rows. If the user chooses
// none, the number of rows decides. If an operation or a type does not support the chosen way, the
// next one in this list is used.
type PostgresRoute string

const (
	// PostgresUnnest means that rows are written by one statement with an array per column. It
	// takes the fewest round trips.
	PostgresUnnest PostgresRoute = "unnest"
	// PostgresBinary means that rows are written by COPY in its binary form.
	PostgresBinary PostgresRoute = "binary"
	// PostgresText means that rows are written by COPY in its text form.
	PostgresText PostgresRoute = "text"
)

// These are numbers of values (rows times columns) up to which a single statement takes less time
// than COPY. The first is for operations without a temporary table, the second for those with one.
// `scoter-bench bulk` measures them.
const (
	scPgxUnnestInsert = 1600
	scPgxUnnestStaged = 8000
)

// scPgxWrite runs a bulk operation, and returns the number of changed rows. Either all rows are
// written, or none.
func scPgxWrite[T any](ctx context.Context, rt *scPgx, b scPgxBulk[T], rows iter.Seq2[T, error]) (n int64, err error) {
	err = scObserve(ctx, rt.observer, b.name, func() (int64, error) {
		w := &scPgxWriter[T]{ctx: ctx, rt: rt, bulk: b}
		if err = w.choose(); err == nil {
			n, err = w.run(rows)
		}
		return n, err
	})
	return n, err
}

// scPgxWriter is a bulk operation that is running.
type scPgxWriter[T any] struct {
	ctx  context.Context
	rt   *scPgx
	bulk scPgxBulk[T]
	// few has the rows so far, as long as a single statement can still write them. The field most
	// is the maximum number of rows for that.
	few  []T
	most int
	// conn is the connection on which rows are copied, and end ends the transaction on it. Both are
	// nil until the COPY begins.
	conn    *pgx.Conn
	end     func(error) error
	plan    *scCopyPlan
	out     scCopy
	copying *scPgxCopying
	// number is the number of rows that were copied so far.
	number int64
	// keys finds out whether a key occurs twice. It is nil in two cases: repeated keys do not
	// matter, or they cannot be found out. In the second case, the statement dedupe always runs.
	keys *scKeySet
	key  scCopy
}

// choose decides up to how many rows are written by a single statement, and sets the field most.
func (w *scPgxWriter[T]) choose() error {
	switch route := PostgresRoute(w.rt.route); {
	case route == PostgresBinary, route == PostgresText:
	case route != "" && route != PostgresUnnest:
		return fmt.Errorf("%s: there is no route %q", w.bulk.name, w.rt.route)
	case w.bulk.unnest == "":
	case route == PostgresUnnest:
		w.most = math.MaxInt
	case w.bulk.stage == "":
		w.most = scPgxUnnestInsert / len(w.bulk.columns)
	default:
		w.most = scPgxUnnestStaged / len(w.bulk.columns)
	}
	return nil
}

func (w *scPgxWriter[T]) run(rows iter.Seq2[T, error]) (_ int64, err error) {
	err = errScPanicked
	defer func() {
		if w.copying != nil {
			w.copying.abort()
		}
		if w.end != nil {
			if ended := w.end(err); err == nil {
				err = ended
			}
		}
	}()
	var row T // one variable for all rows, because the columns refer to its memory
	for r, err := range rows {
		if err != nil {
			return 0, err
		}
		if w.copying == nil && len(w.few) < w.most {
			w.few = append(w.few, r)
			continue
		}
		if w.copying == nil {
			if err := w.start(); err != nil {
				return 0, err
			}
		}
		row = r
		if err := w.add(&row); err != nil {
			return 0, err
		}
	}
	if w.copying == nil {
		if w.most > 0 {
			n, err := w.unnest()
			var refused *pgconn.PgError
			if err != errScNull && !errors.As(err, &refused) || w.ctx.Err() != nil {
				return n, err
			}
			// Nothing was written. The rows are now written with COPY. It fails too, but its error
			// names the row.
		}
		if err := w.start(); err != nil {
			return 0, err
		}
	}
	copying := w.copying
	w.copying = nil
	n, failed := copying.finish(w.out.buf, w.plan.types != nil)
	switch {
	case failed != nil:
		return 0, w.named(failed)
	case w.bulk.stage == "":
		return n, nil
	}
	return w.apply()
}

var scArrayEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// unnest writes the rows by a single statement, with an array per column. It returns the number of
// changed rows.
func (w *scPgxWriter[T]) unnest() (int64, error) {
	arrays := make([][]byte, len(w.bulk.columns))
	for i, r := range w.few {
		for at, v := range w.bulk.values(r) {
			separator := byte(',')
			if i == 0 {
				separator = '{'
			}
			arrays[at] = append(arrays[at], separator)
			switch text, ok := v.(string); {
			case ok:
				arrays[at] = append(append(append(arrays[at], '"'), scArrayEscapes.Replace(text)...), '"')
			case w.bulk.columns[at].required:
				return 0, errScNull // COPY reports this error with the row
			default:
				arrays[at] = append(arrays[at], "NULL"...)
			}
		}
	}
	args := make([]any, len(arrays))
	for i, array := range arrays {
		if args[i] = "{}"; array != nil {
			args[i] = string(append(array, '}'))
		}
	}
	conn := w.rt.inside()
	if conn == nil {
		tag, err := w.rt.db.Exec(w.ctx, w.bulk.unnest, args...)
		return tag.RowsAffected(), err
	}
	batch := &pgx.Batch{}
	var n int64
	batch.Queue("SAVEPOINT scoter")
	batch.Queue(w.bulk.unnest, args...).Exec(func(tag pgconn.CommandTag) error {
		n = tag.RowsAffected()
		return nil
	})
	batch.Queue("RELEASE SAVEPOINT scoter")
	err := conn.SendBatch(w.ctx, batch).Close()
	if err != nil {
		scPgxBack(w.ctx, conn)
	}
	return n, err
}

// start begins a COPY into the table or into a temporary table, and copies the rows that were
// collected so far.
func (w *scPgxWriter[T]) start() (err error) {
	if w.conn, w.end, err = w.rt.begin(w.ctx); err != nil {
		return err
	}
	conn, table, target := w.conn.PgConn(), w.bulk.table, w.bulk.target
	// EXPLAIN INSERT takes the same lock as an INSERT, and needs only the rights that the INSERT
	// needs. While the lock is held, the columns of the table cannot change.
	before := "EXPLAIN INSERT INTO " + target + " VALUES (" + strings.Repeat("DEFAULT, ", len(w.bulk.columns)-1) + "DEFAULT)"
	if w.bulk.stage != "" {
		table, before = `"`+w.bulk.stage+`"`, w.bulk.create
		target = table
	}
	if w.plan, err = scPlanCopy(w.ctx, conn, before, table, w.bulk.columns); err != nil {
		return fmt.Errorf("%s: %w", w.bulk.name, err)
	}
	if w.rt.route == string(PostgresText) {
		w.plan = &scCopyPlan{}
	}
	if w.bulk.dedupe != "" && w.plan.canonical && w.plan.types != nil {
		w.keys = newScKeySet()
	}
	sql := "COPY " + target + " FROM STDIN"
	if w.plan.types != nil {
		sql += " BINARY"
		w.out.buf = append(w.out.buf, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	}
	w.copying = scStartCopying(w.ctx, conn, sql)
	for i := range w.few {
		if err := w.add(&w.few[i]); err != nil {
			return err
		}
	}
	w.few = nil
	return nil
}

// add copies one row.
func (w *scPgxWriter[T]) add(row *T) error {
	w.number++
	if w.plan.types == nil {
		if err := w.addText(*row); err != nil {
			return err
		}
	} else {
		w.out.int16(int16(len(w.bulk.columns)))
		for i, c := range w.bulk.columns {
			start := len(w.out.buf)
			c.put(&w.out, w.plan.types[i], row)
			if w.out.err != nil {
				return &RowError{w.bulk.name, w.number, c.name, w.out.err}
			}
			if c.required && len(w.out.buf) == start+4 && bytes.Equal(w.out.buf[start:], []byte{255, 255, 255, 255}) {
				return &RowError{w.bulk.name, w.number, c.name, errScNull}
			}
		}
		if w.keys != nil {
			w.key.buf = w.key.buf[:0]
			for i, c := range w.bulk.columns {
				if c.key {
					c.put(&w.key, w.plan.types[i], row)
				}
			}
			w.keys.add(w.key.buf)
		}
	}
	if len(w.out.buf) < scCopyPortion {
		return nil
	}
	var ok bool
	if w.out.buf, ok = w.copying.send(w.out.buf); !ok {
		_, err := w.copying.wait()
		return w.named(err)
	}
	return nil
}

var scCopyEscapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func (w *scPgxWriter[T]) addText(row T) error {
	for i, v := range w.bulk.values(row) {
		if i > 0 {
			w.out.buf = append(w.out.buf, '\t')
		}
		switch text, ok := v.(string); {
		case ok:
			w.out.buf = append(w.out.buf, scCopyEscapes.Replace(text)...)
		case w.bulk.columns[i].required:
			return &RowError{w.bulk.name, w.number, w.bulk.columns[i].name, errScNull}
		default:
			w.out.buf = append(w.out.buf, `\N`...)
		}
	}
	w.out.buf = append(w.out.buf, '\n')
	return nil
}

// apply changes the target table by the rows of the temporary table. It returns the number of
// changed rows.
func (w *scPgxWriter[T]) apply() (int64, error) {
	sql := "SAVEPOINT scoter_apply; "
	if w.bulk.dedupe != "" && (w.keys == nil || w.keys.repeated) {
		sql += w.bulk.dedupe + "; "
	}
	results, err := w.conn.PgConn().Exec(w.ctx, sql+w.bulk.apply).ReadAll()
	if err != nil {
		return 0, w.refused(err)
	}
	n := results[len(results)-1].CommandTag.RowsAffected()
	_, err = w.conn.PgConn().Exec(w.ctx, "RELEASE SAVEPOINT scoter_apply; "+w.bulk.drop).ReadAll()
	return n, err
}

var (
	scPgxLine = regexp.MustCompile(`(?s)COPY .*?, line (\d+)(?:, column ([^\n]*?))?(?:: |$)`)
	scPgxKey  = regexp.MustCompile(`(?s)^Key \((.*?)\)=\((.*)\) (?:already exists|is not present|is still referenced|conflicts)`)
)

// refused returns the error for a statement that the server refused. If the server names a key, the
// error names the row of the temporary table with this key.
func (w *scPgxWriter[T]) refused(err error) error {
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return fmt.Errorf("%s: %w", w.bulk.name, err)
	}
	key := scPgxKey.FindStringSubmatch(server.Detail)
	if key == nil {
		return w.named(err)
	}
	text := strings.ReplaceAll(key[2], "'", "''")
	// Rows are numbered as they were before those with repeated keys were removed. The key may
	// consist of expressions over columns that the rows do not have; then the row is not named.
	rows, search := scSimple(w.ctx, w.conn.PgConn(), "ROLLBACK TO SAVEPOINT scoter_apply; SELECT max(_scoter_row) FROM (SELECT row_number() OVER (ORDER BY ctid) AS _scoter_row, * FROM \""+
		w.bulk.stage+"\") AS s WHERE concat_ws(', ', "+key[1]+") = '"+text+"'")
	if search != nil || len(rows) != 1 || rows[0][0] == "" {
		return w.named(err)
	}
	n, parse := strconv.ParseInt(rows[0][0], 10, 64)
	if parse != nil {
		return w.named(err)
	}
	return &RowError{w.bulk.name, n, "", scPgxDetailed(server)}
}

// named returns the server's error err. If the server says in which row it occurred, the error
// names the row.
func (w *scPgxWriter[T]) named(err error) error {
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return fmt.Errorf("%s: %w", w.bulk.name, err)
	}
	line := scPgxLine.FindStringSubmatch(server.Where)
	if line == nil {
		return fmt.Errorf("%s: %w", w.bulk.name, scPgxDetailed(server))
	}
	n, parse := strconv.ParseInt(line[1], 10, 64)
	if parse != nil {
		return fmt.Errorf("%s: %w", w.bulk.name, scPgxDetailed(server))
	}
	column := server.ColumnName
	if column == "" {
		column = line[2]
	}
	return &RowError{w.bulk.name, n, column, scPgxDetailed(server)}
}

func scPgxDetailed(err *pgconn.PgError) error {
	if err.Detail == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, err.Detail)
}
