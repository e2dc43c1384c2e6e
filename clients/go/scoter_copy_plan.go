package scoter

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// scCopyPlan says how the rows of a bulk operation are written to a table with COPY. The server is
// asked for the types of the columns every time. The table may have changed since the code was
// generated, and the server would read bytes of another type of the same size without an error.
type scCopyPlan struct {
	// types are the types of the columns. It is nil if one of them has no binary form; then rows
	// are written as text.
	types []*scServed
	// canonical means that two keys have equal bytes if the database regards them as equal.
	canonical bool
}

// scCopyType is the select list of a query over the server's catalog of types. Its columns are the
// fields of scServed. The receive function is NULL unless it is built into the server.
const scCopyType = "t.oid, CASE WHEN t.typreceive::oid < 16384 THEN t.typreceive::regproc::text END, t.typelem, t.typbasetype, t.typrelid"

// scCopyElements are the receive functions of types that are often elements of arrays. The key is
// the OID of the type, which never changes.
var scCopyElements = map[uint32]string{16: "boolrecv", 20: "int8recv", 21: "int2recv", 23: "int4recv", 25: "textrecv", 700: "float4recv", 701: "float8recv",
	1043: "varcharrecv", 1082: "date_recv", 1114: "timestamp_recv", 1184: "timestamptz_recv", 1700: "numeric_recv", 2950: "uuid_recv", 3802: "jsonb_recv"}

// scPlanCopy makes the plan for writing to a table. table is its name as SQL. In the same round
// trip, and before it asks for the types, scPlanCopy runs another statement: the argument before.
// This statement creates the table, or keeps it from changing.
func scPlanCopy[T any](ctx context.Context, conn *pgconn.PgConn, before, table string, columns []scCopyColumn[T]) (*scCopyPlan, error) {
	rows, err := scSimple(ctx, conn, before+"; SELECT a.attname, coalesce(l.collisdeterministic, true) AND "+
		"(a.atttypmod = -1 AND t.typbasetype = 0 OR t.typreceive = 'varcharrecv'::regproc), "+scCopyType+
		" FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation l ON l.oid = a.attcollation"+
		" WHERE a.attrelid = '"+strings.ReplaceAll(table, "'", "''")+"'::regclass AND a.attnum > 0 AND NOT a.attisdropped")
	if err != nil {
		return nil, err
	}
	plan := &scCopyPlan{canonical: true}
	lookup := scCopyLookup{conn, map[uint32]*scServed{}}
	for _, c := range columns {
		at := slices.IndexFunc(rows, func(r []string) bool { return r[0] == c.name })
		if at < 0 || c.kind == "" {
			return &scCopyPlan{}, nil
		}
		t := scReadServed(rows[at][2:])
		ok, err := lookup.fits(ctx, t, c.kind)
		if err != nil || !ok {
			return &scCopyPlan{}, err
		}
		plan.types = append(plan.types, t)
		if c.key && (rows[at][1] != "t" || !scCanonical(t.receive)) {
			plan.canonical = false
		}
	}
	return plan, nil
}

// scSimple runs SQL statements and returns the rows of the last one as text. NULL becomes "".
func scSimple(ctx context.Context, conn *pgconn.PgConn, sql string) ([][]string, error) {
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil || len(results) == 0 {
		return nil, err
	}
	var rows [][]string
	for _, r := range results[len(results)-1].Rows {
		row := make([]string, len(r))
		for i, v := range r {
			row[i] = string(v)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func scReadServed(row []string) *scServed {
	oid := func(s string) uint32 {
		n, _ := strconv.ParseUint(s, 10, 32) // cannot fail: the server printed the number
		return uint32(n)
	}
	return &scServed{oid: oid(row[0]), receive: row[1], elem: oid(row[2]), base: oid(row[3]), relation: oid(row[4])}
}

// scCopyLookup asks the server about types and the types inside of them. It remembers the answers,
// so that it asks about each type once.
type scCopyLookup struct {
	conn  *pgconn.PgConn
	known map[uint32]*scServed
}

func (l scCopyLookup) get(ctx context.Context, oid uint32) (*scServed, error) {
	if receive, ok := scCopyElements[oid]; ok {
		return &scServed{oid: oid, receive: receive}, nil
	}
	if t, ok := l.known[oid]; ok {
		return t, nil
	}
	rows, err := scSimple(ctx, l.conn, "SELECT "+scCopyType+" FROM pg_type t WHERE t.oid = "+strconv.FormatUint(uint64(oid), 10))
	if err != nil || len(rows) == 0 {
		return &scServed{}, err
	}
	l.known[oid] = scReadServed(rows[0])
	return l.known[oid], nil
}

// fits reports whether the server's type t can read values of a kind in binary form. It also finds
// the types inside of t. A kind is a key of scReceives. For an array it is `[]` for each dimension,
// followed by the kind of the elements. For a composite type it is the list of the kinds of its
// fields, in parentheses.
func (l scCopyLookup) fits(ctx context.Context, t *scServed, kind string) (bool, error) {
	switch {
	case t.receive == "domain_recv":
		base, err := l.get(ctx, t.base)
		if err != nil {
			return false, err
		}
		ok, err := l.fits(ctx, base, kind)
		// The values of a domain are written like those of the domain's base type.
		t.receive, t.elem, t.item, t.fields = base.receive, base.elem, base.item, base.fields
		return ok, err
	case strings.HasPrefix(kind, "["):
		if t.receive != "array_recv" {
			return false, nil
		}
		item, err := l.get(ctx, t.elem)
		if err != nil {
			return false, err
		}
		t.item = item
		return l.fits(ctx, item, strings.TrimLeft(kind, "[]"))
	case strings.HasPrefix(kind, "("):
		return l.fitsComposite(ctx, t, scKinds(kind[1:len(kind)-1]))
	}
	return slices.Contains(scReceives[kind], t.receive), nil
}

func (l scCopyLookup) fitsComposite(ctx context.Context, t *scServed, kinds []string) (bool, error) {
	if t.receive != "record_recv" || t.relation == 0 {
		return false, nil
	}
	rows, err := scSimple(ctx, l.conn, "SELECT "+scCopyType+" FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = "+
		strconv.FormatUint(uint64(t.relation), 10)+" AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum")
	if err != nil || len(rows) != len(kinds) {
		return false, err
	}
	t.fields = nil
	for i, kind := range kinds {
		field := scReadServed(rows[i])
		if ok, err := l.fits(ctx, field, kind); !ok {
			return false, err
		}
		t.fields = append(t.fields, field)
	}
	return true, nil
}
