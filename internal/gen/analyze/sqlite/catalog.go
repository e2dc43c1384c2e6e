package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

func literalText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// table returns what the catalog says about a table or view. It returns nil if the table does not
// exist or cannot be read.
func (e *Engine) table(schema, name string) *tableInfo {
	key := strings.ToLower(schema + "." + name)
	if t, ok := e.tables[key]; ok {
		return t
	}
	e.tables[key] = nil // found while it is read, if a view refers to itself
	t, err := e.readTable(schema, name)
	if err != nil {
		return nil
	}
	e.tables[key] = t
	return t
}

func (e *Engine) readTable(schema, name string) (*tableInfo, error) {
	where := " WHERE lower(name) = lower(" + literalText(name) + ")"
	if schema != "" {
		where += " AND lower(schema) = lower(" + literalText(schema) + ")"
	}
	// SQLite searches temp first, then main, then the attached databases.
	list, err := e.rows("SELECT schema, name, type, wr, strict FROM pragma_table_list"+where+" ORDER BY schema = 'temp' DESC, schema = 'main' DESC LIMIT 1", 5)
	if err != nil {
		return nil, err
	}
	t := &tableInfo{schema: schema, name: name, generated: map[string]bool{}}
	kind, withoutRowid, strict := "virtual", false, false
	if len(list) == 1 {
		t.schema, t.name, kind, withoutRowid, strict = list[0][0], list[0][1], list[0][2], list[0][3] == "1", list[0][4] == "1"
	}
	argument := "(" + literalText(t.name) + ")"
	if t.schema != "" {
		argument = "(" + literalText(t.name) + ", " + literalText(t.schema) + ")"
	}
	rows, err := e.rows("SELECT name, type, \"notnull\", coalesce(dflt_value, ''), pk, hidden FROM pragma_table_xinfo"+argument+" ORDER BY cid", 6)
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("no table %s: %w", name, err)
	}
	keys := 0
	for _, r := range rows {
		if r[4] != "0" {
			keys++
		}
	}
	// A column that is declared as INTEGER PRIMARY KEY is the rowid, unless there is an index for
	// it (as with DESC).
	indexes, err := e.rows("SELECT count(*) FROM pragma_index_list"+argument+" WHERE origin = 'pk'", 1)
	if err != nil {
		return nil, err
	}
	alias := keys == 1 && !withoutRowid && kind == "table" && indexes[0][0] == "0"
	t.view = kind == "view"
	t.rowid = kind == "table" && !withoutRowid
	for _, r := range rows {
		raw := rawColumn{name: r[0], typ: r[1], notNull: r[2] == "1" && kind == "table", def: r[3]}
		if _, err := fmt.Sscan(r[4], &raw.key); err != nil {
			return nil, err
		}
		if _, err := fmt.Sscan(r[5], &raw.hidden); err != nil {
			return nil, err
		}
		raw.rowidAlias = alias && raw.key == 1 && strings.EqualFold(raw.typ, "INTEGER")
		if raw.hidden == 1 {
			t.hidden++
		} else if t.hidden > 0 {
			return nil, fmt.Errorf("table %s: hidden columns are not last", name)
		}
		t.generated[raw.name] = raw.hidden >= 2
		t.raw = append(t.raw, raw)
		t.columns = append(t.columns, output{name: raw.name, value: value{
			typ: declared(raw.typ), nullable: !raw.notNull && !raw.rowidAlias, exact: raw.rowidAlias || strict,
			origin: &[3]string{t.schema, t.name, raw.name},
		}})
	}
	if t.view {
		e.viewColumns(t)
	}
	return t, nil
}

// viewColumns finds which columns of the view t can be NULL, by analysing the view's query. If that
// is not possible, all columns stay nullable.
func (e *Engine) viewColumns(t *tableInfo) {
	for i := range t.columns {
		t.columns[i].origin = nil
	}
	rows, err := e.rows("SELECT sql FROM "+e.Quote(t.schema)+".sqlite_schema WHERE type = 'view' AND lower(name) = lower("+literalText(t.name)+")", 1)
	if err != nil || len(rows) != 1 {
		return
	}
	tree, err := parse(afterAs(rows[0][0]))
	if err != nil || tree.sel == nil {
		return
	}
	w := &walker{table: e.table, nullableParam: func(int) bool { return true }, in: func(int) bool { return false }, numericComparisons: map[*expr]bool{}}
	columns := w.statement(tree)
	if len(columns) != len(t.columns) {
		return
	}
	for i, c := range columns {
		c.name = t.columns[i].name
		t.columns[i] = c
	}
}

// afterAs returns the query in the text of CREATE VIEW name [(columns)] AS query.
func afterAs(sql string) string {
	depth := 0
	for _, t := range sqlfile.Tokenize(ir.SQLite, sql, 0) {
		switch {
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		case depth == 0 && t.Is("as"):
			return sql[t.End():]
		}
	}
	return ""
}

// Tables returns the names of the tables and views that the method Table can find.
func (e *Engine) Tables(context.Context) ([]string, error) {
	rows, err := e.rows("SELECT name FROM pragma_table_list WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1", 1)
	var out []string
	for _, r := range rows {
		out = append(out, r[0])
	}
	return out, err
}

// suggestColumn adds a suggestion to r, if r is an error about an unknown column and an existing
// column has a similar name.
func (e *Engine) suggestColumn(r *analyze.SQLError) {
	_, name, found := strings.Cut(r.Message, "no such column: ")
	if !found {
		return
	}
	rows, err := e.rows("SELECT DISTINCT c.name FROM pragma_table_list t, pragma_table_info(t.name, t.schema) c WHERE t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'", 1)
	if err != nil {
		return // then the error has no suggestion
	}
	var names []string
	for _, row := range rows {
		names = append(names, row[0])
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[dot+1:]
	}
	if near := base.Nearest(name, names); near != "" {
		r.Hint = "did you mean " + near + "?"
	}
}

// Table describes a table by its name, [schema.]name.
func (e *Engine) Table(_ context.Context, name []string) (*analyze.TableInfo, error) {
	schema := ""
	if len(name) > 1 {
		schema = name[len(name)-2]
	}
	t := e.table(schema, name[len(name)-1])
	if t == nil || t.schema == "" {
		return nil, nil
	}
	info := &analyze.TableInfo{Schema: t.schema, Name: t.name, SQLName: e.Quote(t.name), View: t.view}
	if schema != "" {
		info.SQLName = e.Quote(t.schema) + "." + info.SQLName
	}
	primary := map[int]int{} // index of the column at each position of the primary key
	for i, raw := range t.raw {
		if raw.hidden == 1 {
			continue
		}
		c := analyze.TableColumnInfo{
			Name: raw.name, Type: declared(raw.typ), Nullable: t.columns[i].nullable, Default: raw.def, HasDefault: raw.def != "", PrimaryKey: raw.key > 0,
		}
		switch {
		case raw.rowidAlias:
			c.Generated, c.HasDefault = ir.IdentityByDefault, true
		case raw.hidden == 2:
			c.Generated = ir.GeneratedVirtual
		case raw.hidden == 3:
			c.Generated = ir.GeneratedStored
		}
		if raw.key > 0 {
			primary[raw.key] = i
		}
		info.Columns = append(info.Columns, c)
	}
	if len(primary) > 0 {
		info.HasPrimary = true
		var key []int
		for k := 1; k <= len(primary); k++ {
			key = append(key, primary[k])
		}
		info.Unique = append(info.Unique, key)
	}
	argument := "(" + literalText(t.name) + ", " + literalText(t.schema) + ")"
	rows, err := e.rows("SELECT name FROM pragma_index_list"+argument+" WHERE \"unique\" AND NOT partial AND origin <> 'pk' ORDER BY seq DESC", 1)
	if err != nil {
		return nil, fmt.Errorf("read indexes of %s: %w", t.name, err)
	}
	for _, row := range rows {
		columns, err := e.rows("SELECT cid FROM pragma_index_info("+literalText(row[0])+", "+literalText(t.schema)+") ORDER BY seqno", 1)
		if err != nil {
			return nil, fmt.Errorf("read index %s: %w", row[0], err)
		}
		var unique []int
		for _, c := range columns {
			var id int
			if _, err := fmt.Sscan(c[0], &id); err != nil {
				return nil, fmt.Errorf("read index %s: %w", row[0], err)
			}
			unique = append(unique, id)
		}
		expressions := false
		for _, id := range unique {
			expressions = expressions || id < 0
		}
		if !expressions {
			info.Unique = append(info.Unique, unique)
		}
	}
	return info, nil
}
