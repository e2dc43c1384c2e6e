package emit

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Style is the form of placeholders in SQL that a database driver needs.
type Style int

// These are the forms of placeholders.
const (
	// Question is `?` for each occurrence of a parameter (SQLite).
	Question Style = iota
	// QuestionJDBC is like Question, but a `?` that is an operator in the SQL is written `??` (the
	// PostgreSQL JDBC driver).
	QuestionJDBC
	// Dollar is a numbered placeholder for each parameter, such as `$1`. All occurrences of a
	// parameter share it (DuckDB; pg and pgx for PostgreSQL).
	Dollar
	// Percent is a named placeholder for each parameter, such as `%(p1)s`. All occurrences of a
	// parameter share it (psycopg). If there are parameters, every other `%` in the SQL is doubled.
	Percent
	// DollarText is like Dollar, but only numbers, text and bytes are bound as themselves. Nested
	// values are bound as JSON, and all other values as text that the statement casts. The reason
	// is the driver duckdb-go: it binds timestamps in the session's time zone, refuses decimals and
	// intervals, and cannot bind a list that contains a NULL.
	DollarText
	// Wire is like Dollar, for Scoter's HTTP interface. That interface accepts only JSON's numbers,
	// strings and booleans. So all other values, including bytes, are bound as text that the
	// statement casts.
	Wire
)

// SQL is the text of a query with the placeholders of one style.
type SQL struct {
	Text string
	// Binds are the parameters to bind, as indices in Query.Params, in the order in which the
	// driver takes their values. For the style Question there is one for each occurrence of a
	// parameter, and for the other styles one for each parameter.
	Binds []int
}

// Render returns the SQL text of a query: its segments joined, with placeholders in the given style
// for its parameters.
func Render(q *ir.Query, style Style) SQL {
	var b strings.Builder
	var binds []int
	for i, s := range q.Segments {
		switch s.Kind {
		case ir.ParamRef:
			p := ""
			switch style {
			case Dollar, DollarText, Wire:
				p = "$" + strconv.Itoa(s.Param+1)
			case Percent:
				p = fmt.Sprintf("%%(p%d)s", s.Param+1)
			default:
				binds = append(binds, s.Param)
				p = "?"
			}
			t := q.Params[s.Param].Type
			switch {
			case (style == DollarText || style == Wire) && Nested(t):
				p = "CAST(CAST(" + p + " AS JSON) AS " + t.Native + ")"
			case (style == DollarText || style == Wire) && AsText(t) || style == Wire && t.Kind == ir.Blob:
				p = "CAST(" + p + " AS " + t.Native + ")"
			case s.Cast && t.Native != "" && style != Question:
				// On SQLite there is no cast. SQLite needs no types, and its casts would change
				// values.
				p = "CAST(" + p + " AS " + t.Native + ")"
			}
			if strings.HasPrefix(p, "CAST") && i+1 < len(q.Segments) {
				if next := strings.TrimLeft(q.Segments[i+1].Text, " \t\r\n"); strings.HasPrefix(next, "[") || strings.HasPrefix(next, ".") {
					// PostgreSQL needs the parentheses if the SQL accesses an element or field of
					// the value.
					p = "(" + p + ")"
				}
			}
			if text := b.String(); text != "" && wordByte(text[len(text)-1]) {
				p = " " + p
			}
			b.WriteString(p)
		case ir.Code:
			text := s.Text
			if style == QuestionJDBC {
				text = strings.ReplaceAll(text, "?", "??")
			}
			b.WriteString(escapePercent(q, style, text))
		default:
			b.WriteString(escapePercent(q, style, s.Text))
		}
	}
	if style == Dollar || style == DollarText || style == Wire || style == Percent {
		for i := range q.Params {
			binds = append(binds, i)
		}
	}
	return SQL{Text: b.String(), Binds: binds}
}

// Nested reports whether values of a type contain other values, as lists, structs and maps do.
func Nested(t ir.Type) bool {
	return t.Kind == ir.List || t.Kind == ir.Array || t.Kind == ir.StructKind || t.Kind == ir.Map
}

// AsText reports whether values of a type are bound as text in the style DollarText. The type must
// not be nested.
func AsText(t ir.Type) bool {
	switch t.Kind {
	case ir.Decimal, ir.UUID, ir.Interval, ir.Date, ir.Time, ir.TimeTZ, ir.Timestamp, ir.TimestampTZ, ir.Uint64, ir.Int128, ir.Uint128:
		return t.Native != ""
	}
	return false
}

// OnlyFromText reports whether DuckDB 1.5.5 can make a value of a type only from text, and not from
// any other value that drivers can bind. For example, it cannot make a BIGNUM, which has no
// precision, from a DECIMAL, or a TIME_NS from a TIME.
func OnlyFromText(t ir.Type) bool {
	return t.Kind == ir.Decimal && t.Precision == 0 || t.Native == "TIME_NS"
}

// wordByte reports whether the character c can be part of a word. A placeholder directly after such
// a character may be read as a part of the word: `id=$1` is valid, `LIMIT$1` is not.
func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func escapePercent(q *ir.Query, style Style, text string) string {
	if style == Percent && len(q.Params) > 0 {
		return strings.ReplaceAll(text, "%", "%%")
	}
	return text
}

// Bulk is the SQL text of one bulk operation on a table. Columns are the columns of the rows that
// the operation takes, in the order of the rows' values. They are indices in the Columns of the
// table.
type Bulk struct {
	Op      ir.Op
	Columns []int
	// Target is the table's SQL name followed by the columns to write, such as `app.tasks (a, b)`.
	Target string
	// Row is the statement that writes one row, with `?` placeholders (SQLite). RowOrder is the
	// order in which the statement takes the values, as indices in Columns.
	Row      string
	RowOrder []int
	// TempTable is the name of a temporary table. An update, delete or upsert on DuckDB and
	// PostgreSQL first fills it with the rows. The other fields are SQL statements, which are run
	// in this order:
	//  1. Create creates the temporary table, which is then filled.
	//  2. Deduplicate removes all but the last of several rows with the same key.
	//  3. Apply makes the changes in the target table.
	//  4. Drop drops the temporary table.
	TempTable, Create, Deduplicate, Apply, Drop string
}

// MultiRow splits the statement that writes one row into the text before the placeholders of the
// row and the text behind them. A generator can put the placeholders of several rows between the
// two texts, to write these rows with one statement. ok is false if the operation has no such
// statement.
func (b Bulk) MultiRow() (before, behind string, ok bool) {
	before, behind, ok = strings.Cut(b.Row, "("+strings.Repeat("?, ", len(b.Columns)-1)+"?)")
	return before, behind, ok && strings.HasSuffix(before, " VALUES ")
}

// BulkSQL returns the SQL of the bulk operation op on table t for an engine. An appender and an
// insert write directly into the table, without a temporary table.
func BulkSQL(e ir.Engine, t *ir.Table, op ir.Op) Bulk {
	b := Bulk{Op: op}
	switch op {
	case ir.OpUpdate:
		b.Columns = append(append([]int{}, t.Key...), t.Set...)
	case ir.OpDelete:
		b.Columns = t.Key
	default:
		b.Columns = t.Insert
	}
	name := func(i int) string { return t.Columns[i].SQLName }
	list := func(at []int, f func(int) string, sep string) string {
		var parts []string
		for _, i := range at {
			parts = append(parts, f(i))
		}
		return strings.Join(parts, sep)
	}
	columns := list(b.Columns, name, ", ")
	b.Target = t.SQLName + " (" + columns + ")"
	same := func(left, right func(int) string) func(int) string {
		return func(i int) string { return equal(e, t.Columns[i].Nullable, left(i), right(i)) }
	}
	conflict := " ON CONFLICT (" + list(t.Key, name, ", ") + ") DO NOTHING"
	if len(t.Set) > 0 {
		conflict = " ON CONFLICT (" + list(t.Key, name, ", ") + ") DO UPDATE SET " +
			list(t.Set, func(i int) string { return name(i) + " = excluded." + name(i) }, ", ")
	}
	if e == ir.SQLite {
		mark := func(int) string { return "?" }
		for i := range b.Columns {
			b.RowOrder = append(b.RowOrder, i)
		}
		insert := "INSERT INTO " + b.Target + " VALUES (" + list(b.Columns, mark, ", ") + ")"
		where := " WHERE " + list(t.Key, same(name, mark), " AND ")
		switch op {
		case ir.OpUpdate:
			b.Row = "UPDATE " + t.SQLName + " SET " + list(t.Set, func(i int) string { return name(i) + " = ?" }, ", ") + where
			b.RowOrder = append(b.RowOrder[len(t.Key):], b.RowOrder[:len(t.Key)]...)
		case ir.OpDelete:
			b.Row = "DELETE FROM " + t.SQLName + where
		case ir.OpUpsert:
			b.Row = insert + conflict
		default:
			b.Row = insert
		}
		return b
	}
	if op == ir.OpAppender || op == ir.OpInsert || e == ir.Scoter {
		return b
	}
	b.TempTable = "_scoter_" + t.Name.Snake() + "_" + string(op)
	stage := `"` + b.TempTable + `"`
	of := func(alias string) func(int) string {
		return func(i int) string { return alias + "." + name(i) }
	}
	match := list(t.Key, same(of("t"), of("s")), " AND ")
	b.Create = "CREATE TEMP TABLE " + stage + " AS SELECT " + columns + " FROM " + t.SQLName + " LIMIT 0"
	b.Drop = "DROP TABLE " + stage
	position := "rowid"
	if e == ir.Postgres {
		position = "ctid"
	}
	keys := list(t.Key, name, ", ")
	b.Deduplicate = "DELETE FROM " + stage + " AS t USING (SELECT " + keys + ", max(" + position + ") AS \"_scoter_last\" FROM " + stage +
		" GROUP BY " + keys + " HAVING count(*) > 1) AS s WHERE " + match + " AND t." + position + " < s.\"_scoter_last\""
	switch op {
	case ir.OpUpdate:
		b.Apply = "UPDATE " + t.SQLName + " AS t SET " + list(t.Set, func(i int) string { return name(i) + " = s." + name(i) }, ", ") +
			" FROM " + stage + " AS s WHERE " + match
	case ir.OpDelete:
		b.Apply = "DELETE FROM " + t.SQLName + " AS t USING " + stage + " AS s WHERE " + match
	case ir.OpUpsert:
		b.Apply = "INSERT INTO " + b.Target + " SELECT " + columns + " FROM " + stage + conflict
		if e == ir.DuckDB {
			// DuckDB runs a MERGE as a join, which needs no index. INSERT ... ON CONFLICT would
			// look up each row in an index.
			b.Apply = "MERGE INTO " + t.SQLName + " AS t USING " + stage + " AS s ON " + match
			if len(t.Set) > 0 {
				b.Apply += " WHEN MATCHED THEN UPDATE SET " + list(t.Set, func(i int) string { return name(i) + " = s." + name(i) }, ", ")
			}
			b.Apply += " WHEN NOT MATCHED THEN INSERT (" + columns + ") VALUES (" + list(b.Columns, of("s"), ", ") + ")"
		}
	}
	return b
}

// RowsPath returns the path of the URL for a bulk operation in Scoter's HTTP interface, without the
// prefix /api/v1/tables/{database}/.
func RowsPath(t *ir.Table, op ir.Op) string {
	table := t.Table
	if t.Schema != "" && t.Schema != "main" {
		table = t.Schema + "." + t.Table
	}
	path := url.PathEscape(table) + "/rows?create=false"
	if op == ir.OpAppender || op == ir.OpInsert {
		return path + "&mode=insert"
	}
	var key []string
	for _, i := range t.Key {
		key = append(key, t.Columns[i].Name.Original)
	}
	return path + "&mode=" + string(op) + "&key=" + url.QueryEscape(strings.Join(key, ","))
}

// StagedInsert returns the SQL of an insert into a table of DuckDB that writes only some of its
// columns. It uses a temporary table that has only these columns, because DuckDB's appender must be
// given every column of its table.
func StagedInsert(t *ir.Table, op ir.Op) Bulk {
	b := BulkSQL(ir.DuckDB, t, op)
	b.TempTable = "_scoter_" + t.Name.Snake() + "_" + string(op)
	stage := `"` + b.TempTable + `"`
	columns := b.Target[len(t.SQLName)+2 : len(b.Target)-1]
	b.Create = "CREATE TEMP TABLE " + stage + " AS SELECT " + columns + " FROM " + t.SQLName + " LIMIT 0"
	b.Apply = "INSERT INTO " + b.Target + " SELECT " + columns + " FROM " + stage
	b.Drop = "DROP TABLE " + stage
	return b
}

// ColumnsAsText returns the SQL of a query in DuckDB's dialect, changed so that columns of the
// given kinds are returned as text.
func ColumnsAsText(q *Query, kinds ...ir.Kind) string {
	return columnsAsText(q, func(t ir.Type) bool { return slices.Contains(kinds, t.Kind) })
}

// TextSQL returns the SQL of a query in DuckDB's dialect, changed so that columns of the given
// kinds are returned as text. The kinds in the parameter named inside become text only where they
// are part of other values, such as elements of a list. The exception are values that contain a
// type without a name (UNION, VARIANT), which do not change.
func (p *Plan) TextSQL(q *Query, inside []ir.Kind, kinds ...ir.Kind) string {
	return columnsAs(q, func(name string, t ir.Type) string {
		if Nested(t) && p.anyType(t, func(t ir.Type) bool { return slices.Contains(inside, t.Kind) }) && !p.anyType(t, p.hasNoTypeName) {
			return "CAST(" + name + " AS " + p.withText(t, inside...) + ")"
		}
		return asText(name, t, slices.Contains(kinds, t.Kind))
	})
}

// CheckText checks the columns with values of the given kind in a plan's queries. The language can
// only read such values as text. CheckText returns an Invalid error if a query cannot be changed to
// return text. That is so for statements that cannot be wrapped in a SELECT, and for values that
// contain a type without a name (UNION, VARIANT). wrapped reports whether the generator wraps a
// query in a SELECT.
func (p *Plan) CheckText(language string, kind ir.Kind, wrapped func(*Query) bool) error {
	for _, q := range p.Queries {
		for _, c := range q.Columns {
			nameless := Nested(c.Type) && p.anyType(c.Type, p.hasNoTypeName)
			if !p.containsKind(c.Type, kind) || wrapped(q) && !nameless {
				continue
			}
			err := base.Errorf(base.Invalid, "query %s: column %s has type %s, which %s cannot read correctly", q.Name.Original, c.Name.Original, c.Type.Native, language)
			if nameless {
				return err.WithHint("return the text of the UNION or VARIANT, CAST(... AS VARCHAR)")
			}
			return err.WithHint("return CAST(%s AS %s) AS %s", ir.QuoteName(c.Name.Original), p.withText(c.Type, kind), ir.QuoteName(c.Name.Original))
		}
	}
	return nil
}

// hasNoTypeName reports whether t is a type whose full name DuckDB does not show (UNION, VARIANT).
// SQL cannot cast to such a type, or to a type that contains it.
func (p *Plan) hasNoTypeName(t ir.Type) bool { return t.Kind == ir.Any }

// nameFields changes a query in DuckDB's dialect so that all fields of structs in its result have
// names. The fields of row(...) have none, but drivers return fields by name. The error is Invalid
// for a statement that cannot be wrapped in a SELECT.
func (p *Plan) nameFields(q *Query) error {
	if p.Module.Engine != ir.DuckDB && p.Module.Engine != ir.Scoter {
		return nil
	}
	unnamed := func(t ir.Type) bool {
		return p.anyType(t, func(t ir.Type) bool {
			return t.Kind == ir.StructKind && slices.ContainsFunc(p.Module.Struct(t.Ref).Fields, func(f ir.Field) bool { return f.Unnamed })
		})
	}
	for _, c := range q.Columns {
		switch {
		case !unnamed(c.Type):
		case q.Statement != ir.StatementSelect || p.anyType(c.Type, p.hasNoTypeName):
			return base.Errorf(base.Invalid, "query %s: column %s is of type %s, whose fields have no names", q.Name.Original, c.Name.Original, c.Type.Native).
				WithHint("give every field a name: {'a': ..., 'b': ...} in place of row(...)")
		}
	}
	q.SQL.Text = columnsAs(q, func(name string, t ir.Type) string {
		if !unnamed(t) {
			return ""
		}
		return "CAST(" + name + " AS " + p.withText(t) + ")"
	})
	return nil
}

// containsKind reports whether type t is of the given kind, or contains a type of that kind.
func (p *Plan) containsKind(t ir.Type, kind ir.Kind) bool {
	return p.anyType(t, func(t ir.Type) bool { return t.Kind == kind })
}

// PythonSQL returns the SQL of a query in DuckDB's dialect for Python. It is changed so that
// intervals are returned as text, and so are dates and timestamps that are part of other values.
// All other dates and timestamps cause an error if they are infinite: the driver would convert them
// to the first or last value of Python's type, which cannot be distinguished from a real value.
func (p *Plan) PythonSQL(q *Query) string {
	return columnsAs(q, func(name string, t ir.Type) string {
		switch {
		case t.Kind == ir.Interval:
			return asText(name, t, true)
		case isDay(t.Kind):
			return "CASE WHEN NOT isfinite(" + name + ") THEN error(CAST(" + name + " AS VARCHAR) || ' is not a day or moment of Python') ELSE " + name + " END"
		case p.containsKind(t, ir.Interval) || p.anyType(t, func(t ir.Type) bool { return isDay(t.Kind) }) && !p.anyType(t, p.hasNoTypeName):
			return "CAST(" + name + " AS " + p.withText(t, ir.Interval, ir.Date, ir.Timestamp, ir.TimestampTZ) + ")"
		}
		return ""
	})
}

func isDay(k ir.Kind) bool { return k == ir.Date || k == ir.Timestamp || k == ir.TimestampTZ }

// withText returns the name of a DuckDB type: t, with text in place of types of the given kinds. If
// t contains a type without a name (UNION, VARIANT), the name is not valid in a CAST.
func (p *Plan) withText(t ir.Type, kinds ...ir.Kind) string {
	if slices.Contains(kinds, t.Kind) {
		return "VARCHAR"
	}
	switch t.Kind {
	case ir.List:
		return p.withText(*t.Elem, kinds...) + "[]"
	case ir.Array:
		return p.withText(*t.Elem, kinds...) + "[" + strconv.Itoa(t.Length) + "]"
	case ir.Map:
		return "MAP(" + p.withText(*t.Key, kinds...) + ", " + p.withText(*t.Elem, kinds...) + ")"
	case ir.StructKind:
		var fields []string
		for _, f := range p.Module.Struct(t.Ref).Fields {
			fields = append(fields, ir.QuoteName(f.Name.Original)+" "+p.withText(f.Type, kinds...))
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	}
	return t.Native
}

// ArrowSQL returns the SQL of a query whose result is read as Arrow. Columns with types that DuckDB
// 1.5.5 cannot export exactly to Arrow are converted to text. These types are VARIANT, UNION, BIT,
// BIGNUM, a UHUGEINT above 2^127, and TIMETZ, which loses its offset.
func (p *Plan) ArrowSQL(q *Query) string {
	if p.Module.Engine != ir.DuckDB || !q.ReadOnly {
		return q.SQL.Text
	}
	return columnsAsText(q, p.arrowInexact)
}

// arrowUnsupported reports whether a query's result cannot be read as Arrow. That is so if the
// query changes rows and has a column that ArrowSQL would convert to text: a statement that changes
// rows cannot be wrapped in a SELECT.
func (p *Plan) arrowUnsupported(q *Query) bool {
	return p.Module.Engine == ir.DuckDB && !q.ReadOnly && slices.ContainsFunc(q.Columns, func(c ir.Column) bool { return p.arrowInexact(c.Type) })
}

func (p *Plan) arrowInexact(t ir.Type) bool {
	return p.anyType(t, func(t ir.Type) bool {
		return t.Kind == ir.Any || t.Kind == ir.TimeTZ || t.Kind == ir.Uint128 || t.Native == "BIT" || t.Native == "BIGNUM"
	})
}

// anyType reports whether f is true for type t or for at least one type inside of it.
func (p *Plan) anyType(t ir.Type, f func(ir.Type) bool) (found bool) {
	t.Walk(func(t ir.Type) {
		found = found || f(t) || t.Kind == ir.StructKind &&
			slices.ContainsFunc(p.Module.Struct(t.Ref).Fields, func(inner ir.Field) bool { return p.anyType(inner.Type, f) })
	})
	return found
}

// InnerTimestampsAsText returns the SQL of a query in DuckDB's dialect, changed so that timestamps
// inside of lists, structs and maps are returned as text. The exception are values that contain a
// type without a name (UNION, VARIANT), which do not change.
func (p *Plan) InnerTimestampsAsText(q *Query) string {
	return columnsAs(q, func(name string, t ir.Type) string {
		if Nested(t) && (p.containsKind(t, ir.TimestampTZ) || p.containsKind(t, ir.Timestamp)) && !p.anyType(t, p.hasNoTypeName) {
			return p.timestampsAsText(t, name, 1)
		}
		return ""
	})
}

// timestampsAsText returns a DuckDB expression that gives the same value as the SQL expression
// value, but with text in place of timestamps. t is the type of the value. Timestamps with a time
// zone are written in UTC: before time zones were introduced, local times had offsets with seconds,
// and DuckDB's text does not contain these seconds. depth is the number of lists around the value.
func (p *Plan) timestampsAsText(t ir.Type, value string, depth int) string {
	name := "v" + strconv.Itoa(depth)
	each := func(t ir.Type, list string) string {
		return "[" + p.timestampsAsText(t, name, depth+1) + " for " + name + " in " + list + "]"
	}
	orNull := func(expression string) string {
		return "CASE WHEN " + value + " IS NOT NULL THEN " + expression + " END"
	}
	switch t.Kind {
	case ir.Timestamp:
		return "CAST(" + value + " AS VARCHAR)"
	case ir.TimestampTZ:
		return "CASE WHEN isfinite(" + value + ") THEN CAST(make_timestamp(epoch_us(" + value + ")) AS VARCHAR) || '+00' ELSE CAST(" + value + " AS VARCHAR) END"
	case ir.List, ir.Array:
		return each(*t.Elem, value)
	case ir.Map:
		return orNull("map(" + each(*t.Key, "map_keys("+value+")") + ", " + each(*t.Elem, "map_values("+value+")") + ")")
	case ir.StructKind:
		var fields []string
		for _, f := range p.Module.Struct(t.Ref).Fields {
			field := "struct_extract(" + value + ", '" + strings.ReplaceAll(f.Name.Original, "'", "''") + "')"
			fields = append(fields, ir.QuoteName(f.Name.Original)+" := "+p.timestampsAsText(f.Type, field, depth))
		}
		return orNull("struct_pack(" + strings.Join(fields, ", ") + ")")
	}
	return value
}

func columnsAsText(q *Query, which func(ir.Type) bool) string {
	return columnsAs(q, func(name string, t ir.Type) string { return asText(name, t, which(t)) })
}

// asText returns an SQL expression that converts a column to text. name is the column's name, and t
// its type. If the argument text is false, the column is not to be converted, and asText returns
// "".
func asText(name string, t ir.Type, text bool) string {
	switch {
	case !text:
		return ""
	case t.Kind == ir.Blob:
		return `'\x' || hex(` + name + ")"
	}
	return "CAST(" + name + " AS VARCHAR)"
}

// columnsAs returns the SQL of a query, wrapped in a SELECT that replaces columns by expressions.
// The function named expression returns the SQL to put in place of a column, or "" if the column
// does not change.
func columnsAs(q *Query, expression func(name string, t ir.Type) string) string {
	var texts []string
	for _, c := range q.Columns {
		name := ir.QuoteName(c.Name.Original)
		if text := expression(name, c.Type); text != "" {
			texts = append(texts, text+" AS "+name)
		}
	}
	if len(texts) == 0 {
		return q.SQL.Text
	}
	return "SELECT * REPLACE (" + strings.Join(texts, ", ") + ") FROM (\n" + q.SQL.Text + "\n)"
}
