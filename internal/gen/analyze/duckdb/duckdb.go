//go:build cgo

package duckdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	native "github.com/duckdb/duckdb-go-bindings"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Engine is an in-memory DuckDB database, on which queries are analysed.
type Engine struct {
	db      *database
	version string
	// columns says which table columns are never NULL. The key is {catalog, schema, table, column}.
	// The map is nil until it is needed for the first time.
	columns map[[4]string]bool
	// enums has the enum types of the database. The key is the list of their labels as text, and
	// the value is {schema, name}. It is nil until it is needed.
	enums map[string][2]string
}

// Open opens an empty in-memory DuckDB database.
func Open() (*Engine, error) {
	db, err := openDatabase()
	if err != nil {
		return nil, err
	}
	e := &Engine{db: db}
	rows, err := db.strings("SELECT version()")
	if err == nil {
		// DuckDB gives the position of an error only if it writes errors as JSON.
		err = db.exec("SET errors_as_json = true")
	}
	if err != nil {
		db.close()
		return nil, fmt.Errorf("set up DuckDB: %w", err)
	}
	e.version = rows[0]
	return e, nil
}

// Version returns DuckDB's version, for example "v1.5.6".
func (e *Engine) Version() string { return e.version }

// Close closes the database, which removes it, because it is in memory.
func (e *Engine) Close() error {
	e.db.close()
	return nil
}

// refused converts an error of DuckDB about the SQL text sql into an analyze.SQLError. DuckDB
// writes such errors as JSON.
func refused(err error, sql string) error {
	text := err.Error()
	start := strings.IndexByte(text, '{')
	var answer struct {
		Type       string `json:"exception_type"`
		Message    string `json:"exception_message"`
		Position   string `json:"position"`
		Candidates string `json:"candidates"`
	}
	if start < 0 || json.Unmarshal([]byte(text[start:]), &answer) != nil {
		return &analyze.SQLError{Message: text, Offset: -1}
	}
	out := &analyze.SQLError{Offset: -1}
	message, rest, _ := strings.Cut(answer.Message, "\n")
	out.Message = message
	if position, err := strconv.Atoi(answer.Position); err == nil {
		if out.Offset = position; answer.Type == "Parser" {
			// Positions are in characters if they come from DuckDB's parser, and in bytes if they
			// come from its binder.
			out.Offset = byteOffset(sql, position)
		}
	}
	if first, _, _ := strings.Cut(answer.Candidates, ","); first != "" {
		out.Hint = "did you mean " + strings.Trim(strings.TrimSpace(first), `"`) + "?"
	} else if line, _, _ := strings.Cut(strings.TrimSpace(rest), "\n"); line != "" {
		out.Hint = line
	}
	return out
}

// byteOffset returns the size in bytes of the first characters of a text. characters is their
// number.
func byteOffset(text string, characters int) int {
	for i := range text {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(text)
}

// Exec runs one statement of the user's schema, such as CREATE TABLE.
func (e *Engine) Exec(_ context.Context, sql string) error {
	e.columns, e.enums = nil, nil
	if err := e.db.exec(sql); err != nil {
		return refused(err, sql)
	}
	return nil
}

// Applied returns no migration ids, because no migration was applied to a new database.
func (e *Engine) Applied(context.Context, string) (map[string]bool, error) { return nil, nil }

func placeholder(i int) string { return "$" + strconv.Itoa(i+1) }

// Describe finds the parameters and result columns of a statement. It prepares the statement and
// does not run it.
func (e *Engine) Describe(_ context.Context, s *analyze.Statement) (*analyze.Description, error) {
	render := placeholder
	sql := s.Render(render)
	p, err := e.db.prepare(sql)
	if err != nil {
		return nil, e.refusedStatement(err, s, sql)
	}
	if len(p.params) != len(s.Params) {
		return nil, &analyze.SQLError{Message: fmt.Sprintf("the statement has %d parameters, %d with a @set", len(p.params), len(s.Params)), Offset: -1,
			Hint: "write ${name} instead of ? and give every name a @set line"}
	}
	d := &analyze.Description{}
	if d.Params, err = e.params(s, p); err != nil {
		return nil, err
	}
	if unknown(p.params) {
		// DuckDB does not know the columns until all parameters have types. So the statement is
		// prepared again, with a cast around each parameter.
		render = func(i int) string {
			return "CAST(" + placeholder(i) + " AS " + d.Params[i].Type.Native + ")"
		}
		sql = s.Render(render)
		if p, err = e.db.prepare(sql); err != nil {
			return nil, e.refusedStatement(err, s, sql)
		}
	}
	bySample := columnsUnknown(p)
	if bySample {
		// DuckDB knows the columns of a table function only if its arguments have values. So the
		// statement is prepared with the sample values in place of its parameters.
		sampled := s.Render(func(i int) string { return "CAST(" + sampleText(s.Params[i]) + " AS " + d.Params[i].Type.Native + ")" })
		if p, err = e.db.prepare(sampled); err != nil {
			return nil, e.refusedStatement(err, s, sampled)
		}
	}
	d.Statement, d.ReadOnly = class(p.statement)
	returning := returningClause(sql)
	if s.Verb == ir.VerbExec || d.Statement == ir.StatementDDL || d.Statement != ir.StatementSelect && d.Statement != ir.StatementOther && returning == "" {
		return d, nil
	}
	found, err := e.nullability(s, d.Statement, sql, returning)
	if err != nil {
		return nil, err
	}
	if bySample || found.known && len(found.list) != len(p.columns) {
		found = columns{}
	}
	quotedNames := map[string]bool{}
	for _, t := range sqlfile.Tokenize(ir.DuckDB, sql, 0) {
		if t.Kind == sqlfile.Ident {
			quotedNames[t.Unquote()] = true
		}
	}
	for i, t := range p.columns {
		c := analyze.ColumnInfo{Name: p.names[i], Nullable: found.at(i).nullable, Origin: found.at(i).origin}
		if c.Type, err = e.named(t); err != nil {
			return nil, err
		}
		plain := c.Origin != nil && c.Origin.Column == c.Name
		c.Unnamed = !plain && !quotedNames[c.Name] && strings.ContainsAny(c.Name, "()+-*/ '[]{}=<>|.,:")
		d.Columns = append(d.Columns, c)
	}
	return d, nil
}

func (e *Engine) refusedStatement(err error, s *analyze.Statement, sql string) error {
	out := refused(err, sql)
	var r *analyze.SQLError
	if !errors.As(out, &r) {
		return out
	}
	if strings.Contains(r.Message, "prepare multiple statements") {
		r.Message = "the columns of this statement depend on the data"
		r.Hint = "name the values that become columns: PIVOT t ON c IN ('a', 'b') USING sum(x)"
		return r
	}
	if r.Offset >= 0 {
		// The engine's position is in the text with the casts. This text differs from sql only in
		// the casts around parameters that have no type. If such a cast fails, no position in sql
		// is right, and min only keeps the offset within sql.
		r.Offset = s.Origin(min(r.Offset, len(sql)), placeholder)
	}
	return r
}

// columnsUnknown reports whether DuckDB could not determine the columns of a prepared statement.
// Then DuckDB reports a single column named "unknown".
func columnsUnknown(p *prepared) bool {
	return len(p.params) > 0 && len(p.columns) == 1 && p.names[0] == "unknown" && p.columns[0].Kind == ir.Any
}

func unknown(params []*analyze.Type) bool {
	for _, p := range params {
		if p == nil {
			return true
		}
	}
	return false
}

// params finds the type of each parameter of statement s. It takes the first of these types that
// exists:
//
//   - the type that DuckDB infers from the whole statement
//   - the type that DuckDB infers from a single occurrence of the parameter
//   - the type of the sample value
func (e *Engine) params(s *analyze.Statement, p *prepared) ([]analyze.ParamInfo, error) {
	var out []analyze.ParamInfo
	for i, sample := range s.Params {
		var t *analyze.Type
		cast := false
		if i < len(p.params) {
			t = p.params[i]
		}
		if t == nil {
			cast = true
			t = e.typeFromOccurrences(s, i)
		}
		if t == nil {
			t = e.fromSample(sample)
		}
		if t == nil {
			text := analyze.Plain(ir.Text, "VARCHAR")
			t = &text
		}
		named, err := e.named(*t)
		if err != nil {
			return nil, err
		}
		out = append(out, analyze.ParamInfo{Type: named, Cast: cast})
	}
	return out, nil
}

// typeFromOccurrences asks DuckDB for the type of a parameter from a single occurrence of it. It
// tries one occurrence after the other. In the SQL of a try, NULL replaces all other parameters and
// occurrences. For the list of an IN, it asks for the type of one element. The result is nil if no
// occurrence tells the type.
func (e *Engine) typeFromOccurrences(s *analyze.Statement, param int) *analyze.Type {
	in := s.Params[param].In
	for n := range s.Occurrences()[param] {
		single := *s
		single.Pieces = append([]sqlfile.Piece{}, s.Pieces...)
		seen := 0
		sql := single.Render(func(i int) string {
			if i == param {
				if seen++; seen-1 == n {
					if in {
						return "[$1]"
					}
					return "$1"
				}
			}
			return "NULL"
		})
		p, err := e.db.prepare(sql)
		if err != nil || len(p.params) != 1 || p.params[0] == nil {
			continue
		}
		t := *p.params[0]
		if in {
			t = analyze.ListOf(t, t.Native+"[]", false)
		}
		return &t
	}
	return nil
}

// fromSample returns the type of a parameter's sample value, or nil if it has none. The SQL of the
// sample is prepared but not executed. A decimal literal such as 0.5 becomes DOUBLE, because its
// own type, DECIMAL(2,1), would truncate other values.
func (e *Engine) fromSample(sample analyze.Sample) *analyze.Type {
	if sample.Null {
		return nil
	}
	p, err := e.db.prepare("SELECT " + sampleText(sample))
	if err != nil || len(p.columns) != 1 || p.columns[0].Kind == ir.Any {
		return nil
	}
	return &p.columns[0]
}

// sampleText returns a sample value as an SQL expression.
func sampleText(sample analyze.Sample) string {
	switch {
	case sample.Null:
		return "NULL"
	case sample.In:
		list := make([]string, len(sample.List))
		for i, v := range sample.List {
			list[i] = castDecimals(v)
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return castDecimals(sample.Value)
}

// castDecimals returns an SQL expression that casts a decimal literal to DOUBLE. It returns all
// other expressions, such as casts, unchanged.
func castDecimals(value string) string {
	tokens := slices.DeleteFunc(sqlfile.Tokenize(ir.DuckDB, value, 0), sqlfile.Token.Trivia)
	if len(tokens) == 2 && (tokens[0].Text == "-" || tokens[0].Text == "+") {
		tokens = tokens[1:]
	}
	if len(tokens) != 1 || tokens[0].Kind != sqlfile.Number || !strings.Contains(tokens[0].Text, ".") {
		return value
	}
	return "CAST(" + tokens[0].Text + " AS DOUBLE)"
}

// class converts DuckDB's type of a statement to a class such as INSERT, and says whether
// statements of this type are read-only.
func class(t native.StatementType) (class ir.Statement, readOnly bool) {
	switch t {
	case native.StatementTypeSelect:
		return ir.StatementSelect, true
	case native.StatementTypeInsert:
		return ir.StatementInsert, false
	case native.StatementTypeUpdate:
		return ir.StatementUpdate, false
	case native.StatementTypeDelete:
		return ir.StatementDelete, false
	case native.StatementTypeCreate, native.StatementTypeAlter, native.StatementTypeDrop, native.StatementTypeCreateFunc:
		return ir.StatementDDL, false
	case native.StatementTypeExplain:
		return ir.StatementOther, true
	}
	return ir.StatementOther, false
}

// returningClause returns the text after the keyword RETURNING in a statement, or "" if there is
// none. It ignores a RETURNING inside of parentheses.
func returningClause(sql string) string {
	depth := 0
	for _, t := range sqlfile.Tokenize(ir.DuckDB, sql, 0) {
		switch {
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		case depth == 0 && t.Is("returning"):
			return sql[t.End():]
		}
	}
	return ""
}

// target returns the name of the table that a statement changes, with its alias, as it is written
// in the statement.
func target(sql string) string {
	tokens := sqlfile.Tokenize(ir.DuckDB, sql, 0)
	depth := 0
	for i, t := range tokens {
		switch t.Text {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth > 0 || !t.Is("into") && !t.Is("update") && !t.Is("from") {
			continue
		}
		start := t.End()
		for _, u := range tokens[i+1:] {
			if u.Text == "(" || u.Kind == sqlfile.Word && endOfTarget[strings.ToLower(u.Text)] {
				return sql[start:u.Start]
			}
		}
		return ""
	}
	return ""
}

var endOfTarget = map[string]bool{
	"set": true, "values": true, "select": true, "where": true, "using": true, "returning": true, "default": true, "by": true, "with": true, "from": true, "on": true,
}

// nullability finds which columns of a statement's result can be NULL. It uses the logical plan of
// the statement. For a change with a RETURNING clause, it uses the plan of SELECT <returning> FROM
// <table>, because RETURNING returns rows of the changed table.
func (e *Engine) nullability(s *analyze.Statement, statement ir.Statement, sql, returning string) (columns, error) {
	if returning != "" {
		sql = "SELECT " + returning + " FROM " + target(sql)
	} else if statement != ir.StatementSelect {
		return columns{}, nil
	}
	answer, err := e.db.strings("SELECT CAST(json_serialize_plan('" + strings.ReplaceAll(sql, "'", "''") + "', optimize := false) AS VARCHAR)")
	if err != nil || len(answer) != 1 {
		// DuckDB has no plan for some statements. Then nothing is known about their columns.
		return columns{}, nil
	}
	root, err := parsePlan(answer[0])
	if err != nil || root == nil {
		return columns{}, err
	}
	if e.columns == nil {
		if err := e.loadColumns(); err != nil {
			return columns{}, err
		}
	}
	p := &plan{
		ctes: map[string]columns{},
		notNull: func(catalog, schema, table, column string) bool {
			return e.columns[[4]string{catalog, schema, table, column}]
		},
		nullableParam: func(n int) bool {
			return n < 1 || n > len(s.Params) || s.Params[n-1].Nullable
		},
	}
	return p.operator(root), nil
}

// loadColumns reads from DuckDB's catalog which table columns are never NULL, and stores them.
func (e *Engine) loadColumns() error {
	rows, err := e.db.strings(`SELECT CAST(to_json([database_name, schema_name, table_name, column_name]) AS VARCHAR) FROM duckdb_columns() WHERE NOT is_nullable AND NOT internal`)
	if err != nil {
		return fmt.Errorf("read columns: %w", err)
	}
	e.columns = map[[4]string]bool{}
	for _, row := range rows {
		var key [4]string
		if err := json.Unmarshal([]byte(row), &key); err != nil {
			return fmt.Errorf("read columns: %w", err)
		}
		e.columns[key] = true
	}
	return nil
}

// named returns type t with the names of its enums. DuckDB reports the type of a column with the
// labels of an enum, but without the enum's name. So named looks in the catalog for an enum with
// these labels. If two enums have the same labels, it uses the first one.
func (e *Engine) named(t analyze.Type) (analyze.Type, error) {
	if e.enums == nil {
		rows, err := e.db.strings(`SELECT CAST(to_json({schema: schema_name, name: type_name, labels: labels}) AS VARCHAR) FROM duckdb_types() WHERE logical_type = 'ENUM' AND NOT internal ORDER BY type_oid`)
		if err != nil {
			return t, fmt.Errorf("read enums: %w", err)
		}
		e.enums = map[string][2]string{}
		for _, row := range rows {
			var enum struct {
				Schema, Name string
				Labels       []string
			}
			if err := json.Unmarshal([]byte(row), &enum); err != nil {
				return t, fmt.Errorf("read enums: %w", err)
			}
			key := strings.Join(enum.Labels, "\x00")
			if _, taken := e.enums[key]; !taken {
				e.enums[key] = [2]string{enum.Schema, enum.Name}
			}
		}
	}
	return e.rename(t), nil
}

func (e *Engine) rename(t analyze.Type) analyze.Type {
	sub := func(p *analyze.Type) *analyze.Type {
		if p == nil {
			return nil
		}
		out := e.rename(*p)
		return &out
	}
	t.Elem, t.Key = sub(t.Elem), sub(t.Key)
	switch t.Kind {
	case ir.EnumKind:
		if name, ok := e.enums[strings.Join(t.Values, "\x00")]; ok {
			t.Name, t.Native = name[1], ir.QuoteName(name[1])
			if name[0] != "main" {
				t.Schema, t.Native = name[0], ir.QuoteName(name[0])+"."+t.Native
			}
		}
	case ir.List:
		t.Native = t.Elem.Native + "[]"
	case ir.Array:
		t.Native = fmt.Sprintf("%s[%d]", t.Elem.Native, t.Length)
	case ir.Map:
		t.Native = "MAP(" + t.Key.Native + ", " + t.Elem.Native + ")"
	case ir.StructKind:
		fields := append([]analyze.TypeField{}, t.Fields...)
		var parts []string
		for i := range fields {
			fields[i].Type = e.rename(fields[i].Type)
			parts = append(parts, strings.TrimSpace(quoteField(fields[i].Name)+" "+fields[i].Type.Native))
		}
		t.Fields = fields
		if t.Name == "" {
			t.Native = "STRUCT(" + strings.Join(parts, ", ") + ")"
		}
	}
	return t
}

// Type returns the type that the text names, in the spelling of DuckDB or of SQG (the generator
// that Scoter replaces). It implements analyze.Engine.
func (e *Engine) Type(_ context.Context, text string) (analyze.Type, error) {
	sql := "SELECT CAST(NULL AS " + text + ")"
	p, err := e.db.prepare(sql)
	if err != nil {
		return analyze.Type{}, refused(err, sql)
	}
	if len(p.columns) != 1 {
		return analyze.Type{}, &analyze.SQLError{Message: "not a type", Offset: -1}
	}
	return e.named(p.columns[0])
}
