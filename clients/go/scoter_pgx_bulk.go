package scoter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// scPgxBulk describes a bulk operation on a table.
type scPgxBulk[T any] struct {
	name string
	// table is the table in SQL, target with its columns.
	table, target string
	// row is the statement of one row.
	row string
	// stage, create, dedupe, apply and drop are set when a temporary table is
	// filled and then applied; dedupe only if a key that comes twice matters.
	stage, create, dedupe, apply, drop string
	// values are those of a row as text, nil for NULL.
	values func(T) []any
	// columns are the same in COPY's binary form.
	columns []scCopyColumn[T]
}

// scCopyColumn is a column in COPY's binary form.
type scCopyColumn[T any] struct {
	name string
	// kind is what the server's type must read, "" if there is no binary form.
	kind          string
	required, key bool
	put           func(o *scCopy, t *scServed, r *T)
}

// scPgxFew is up to how many rows are written by a statement each, all sent at
// once: COPY and a temporary table take more round trips.
const scPgxFew = 32

// scPgxWrite runs a bulk operation in one transaction.
func scPgxWrite[T any](ctx context.Context, rt *scPgx, b scPgxBulk[T], rows iter.Seq2[T, error]) (n int64, err error) {
	err = scObserve(ctx, rt.observer, b.name, func() (int64, error) {
		return n, rt.transaction(ctx, func(conn *pgx.Conn) (err error) {
			w := &scPgxWriter[T]{ctx: ctx, conn: conn, bulk: b}
			n, err = w.run(rows)
			return err
		})
	})
	return n, err
}

// scPgxWriter is one bulk operation under way.
type scPgxWriter[T any] struct {
	ctx  context.Context
	conn *pgx.Conn
	bulk scPgxBulk[T]
	plan *scCopyPlan
	out  scCopy
	// number counts the rows.
	number int64
	// keys are those of the rows if it matters that one comes twice.
	keys *scKeySet
	key  scCopy
}

func (w *scPgxWriter[T]) run(rows iter.Seq2[T, error]) (int64, error) {
	few := make([]T, 0, scPgxFew)
	var copying *scPgxCopying
	defer func() {
		if copying != nil {
			copying.abort()
		}
	}()
	var row T // one place for all rows: what is written points to it
	for r, err := range rows {
		if err != nil {
			return 0, err
		}
		if copying == nil && len(few) < scPgxFew {
			few = append(few, r)
			continue
		}
		if copying == nil {
			if copying, err = w.start(few); err != nil {
				return 0, err
			}
		}
		row = r
		if err := w.add(copying, &row); err != nil {
			return 0, err
		}
	}
	if copying == nil {
		if w.distinct(few) {
			return w.statements(few)
		}
		var err error
		if copying, err = w.start(few); err != nil {
			return 0, err
		}
	}
	c := copying
	copying = nil
	n, err := c.finish(w.out.buf, w.plan.types != nil)
	switch {
	case err != nil:
		return 0, w.named(err)
	case w.bulk.stage == "":
		return n, nil
	}
	return w.apply()
}

// distinct reports whether no two rows have one key, or it does not matter.
func (w *scPgxWriter[T]) distinct(rows []T) bool {
	if w.bulk.dedupe == "" || len(rows) < 2 {
		return true
	}
	seen := map[string]bool{}
	for i := range rows {
		w.key.buf = w.key.buf[:0]
		for _, c := range w.bulk.columns {
			if !c.key {
				continue
			}
			switch c.kind {
			case "bool", "int16", "int32", "int64", "uuid", "date", "enum":
				c.put(&w.key, nil, &rows[i])
			default:
				return false // whether two texts, or two moments to be rounded, are one key is known to the server alone
			}
		}
		if seen[string(w.key.buf)] {
			return false
		}
		seen[string(w.key.buf)] = true
	}
	return w.key.err == nil
}

// statements runs a statement per row.
func (w *scPgxWriter[T]) statements(rows []T) (n int64, err error) {
	batch := &pgx.Batch{}
	for i, r := range rows {
		values := w.bulk.values(r)
		for at, c := range w.bulk.columns {
			if c.required && values[at] == nil {
				return 0, &RowError{w.bulk.name, int64(i + 1), c.name, errScNull}
			}
		}
		batch.Queue(w.bulk.row, values...)
	}
	results := w.conn.SendBatch(w.ctx, batch)
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	for i := range rows {
		tag, err := results.Exec()
		if err != nil {
			var server *pgconn.PgError
			// A table that is not what it was is no row's fault.
			if errors.As(err, &server) && !strings.HasPrefix(server.Code, "42") {
				return 0, &RowError{w.bulk.name, int64(i + 1), server.ColumnName, scPgxDetailed(server)}
			}
			return 0, fmt.Errorf("%s: %w", w.bulk.name, err)
		}
		n += tag.RowsAffected()
	}
	return n, nil
}

// start begins to copy into the table or a temporary one.
func (w *scPgxWriter[T]) start(rows []T) (*scPgxCopying, error) {
	conn, table, target := w.conn.PgConn(), w.bulk.table, w.bulk.target
	// To explain an INSERT takes its lock and asks for no other right: the columns stay as they are.
	before := "EXPLAIN INSERT INTO " + target + " VALUES (" + strings.Repeat("DEFAULT, ", len(w.bulk.columns)-1) + "DEFAULT)"
	if w.bulk.stage != "" {
		table, before = `"`+w.bulk.stage+`"`, w.bulk.create
		target = table
	}
	var err error
	if w.plan, err = scPlanCopy(w.ctx, conn, before, table, w.bulk.columns); err != nil {
		return nil, fmt.Errorf("%s: %w", w.bulk.name, err)
	}
	if w.bulk.dedupe != "" && w.plan.canonical && w.plan.types != nil {
		w.keys = newScKeySet()
	}
	sql := "COPY " + target + " FROM STDIN"
	if w.plan.types != nil {
		sql += " BINARY"
		w.out.buf = append(w.out.buf, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	}
	copying := scStartCopying(w.ctx, conn, sql)
	for i := range rows {
		if err := w.add(copying, &rows[i]); err != nil {
			copying.abort()
			return nil, err
		}
	}
	return copying, nil
}

// add writes a row.
func (w *scPgxWriter[T]) add(to *scPgxCopying, row *T) error {
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
	if w.out.buf, ok = to.send(w.out.buf); !ok {
		_, err := to.wait()
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

// apply changes the table by the rows of the temporary one.
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

// refused finds the row of the temporary table whose key the server refuses.
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
	// Rows are numbered before repeated ones are removed. If the key's expressions are of columns that the rows do not have, there is no row to name.
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

// named is the server's error with the row that it tells.
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
