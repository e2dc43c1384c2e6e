package analyze

import (
	"context"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// describeTable asks the engine for the table that a TABLE or WRITE block names, and stores it in
// the result. Errors in the block are added to list.
func (r *Result) describeTable(ctx context.Context, engine Engine, b *sqlfile.Block, list *diag.List) error {
	parts := tableName(r.input.Engine, b)
	info, err := engine.Table(ctx, parts)
	if err != nil {
		return err
	}
	if info == nil {
		d := list.Add(b.NameErrorf(diag.UnknownTable, "table %s does not exist", strings.Join(parts, ".")))
		names, err := engine.Tables(ctx)
		if err != nil {
			return err
		}
		if near := base.Nearest(parts[len(parts)-1], names); near != "" {
			d.Suggest("did you mean %s?", near)
		} else if len(names) > 0 && len(names) <= 20 {
			d.Suggest("available: %s", strings.Join(names, ", "))
		}
		return nil
	}
	if len(b.Ops) == 0 {
		return nil // the error was in the header, and was reported before
	}
	t := &table{info: info}
	t.spec.Ops = b.Ops
	index := map[string]int{}
	var names []string
	for i, c := range info.Columns {
		index[strings.ToLower(c.Name)] = i
		names = append(names, c.Name)
		if c.Generated == ir.NotGenerated || c.Generated == ir.IdentityByDefault {
			t.spec.Insert = append(t.spec.Insert, i)
		}
	}
	if len(b.InsertColumns) > 0 && !r.insertColumns(b, t, index, names, list) {
		return nil
	}
	if needsKey(b.Ops) && !r.key(b, t, index, names, list) {
		return nil
	}
	if r.input.Engine == ir.Scoter && strings.Contains(info.Schema+info.Name, ".") {
		list.Add(b.NameErrorf(diag.UnknownTable, "rows of a table with a dot in its name, %s, cannot be sent", info.SQLName).Suggest("rename it"))
		return nil
	}
	if len(t.spec.Insert) == 0 {
		list.Add(b.NameErrorf(diag.UnknownTable, "%s has no column that can be written", info.Name))
		return nil
	}
	seen := map[string]string{}
	for _, n := range names {
		key := ir.NewName(n).Key()
		if other, taken := seen[key]; taken {
			list.Add(b.NameErrorf(diag.DuplicateColumn, "the columns %s and %s of %s become the same name in code", other, n, info.Name).
				Suggest("rename one of them, or write through a view"))
		}
		seen[key] = n
	}
	r.tables[b] = t
	return nil
}

// insertColumns finds the columns that columns(...) in a block's header lists. All other columns of
// the table must have a default or be nullable, because inserts leave them out.
func (r *Result) insertColumns(b *sqlfile.Block, t *table, index map[string]int, names []string, list *diag.List) bool {
	named := map[int]bool{}
	for _, name := range b.InsertColumns {
		i, ok := listed(b, t.info, "columns", b.InsertOffset, name, index, named, names, list)
		if !ok {
			return false
		}
		if !slices.Contains(t.spec.Insert, i) {
			list.Add(b.Errorf(diag.BadKey, b.InsertOffset, b.InsertOffset+7, "column %s of %s cannot be inserted: it is always generated", name, t.info.Name))
			return false
		}
	}
	for _, i := range t.spec.Insert {
		if c := t.info.Columns[i]; !named[i] && !c.Nullable && !c.HasDefault {
			list.Add(b.Errorf(diag.BadKey, b.InsertOffset, b.InsertOffset+7, "columns(...) lacks %s, which is not null and has no default", c.Name).
				Suggest("add it"))
			return false
		}
	}
	t.spec.Insert = slices.DeleteFunc(t.spec.Insert, func(i int) bool { return !named[i] })
	return true
}

func needsKey(ops []ir.Op) bool {
	for _, op := range ops {
		if op == ir.OpUpdate || op == ir.OpDelete || op == ir.OpUpsert {
			return true
		}
	}
	return false
}

func has(ops []ir.Op, want ir.Op) bool {
	for _, op := range ops {
		if op == want {
			return true
		}
	}
	return false
}

// key finds the columns that key(...) in a block's header lists. Without key(...), it finds the
// columns of the primary key.
func (r *Result) key(b *sqlfile.Block, t *table, index map[string]int, names []string, list *diag.List) bool {
	info := t.info
	if len(b.Key) == 0 {
		if !info.HasPrimary {
			list.Add(b.NameErrorf(diag.BadKey, "%s has no primary key, so %s cannot tell which rows to change", info.Name, b.Name).
				Suggest("name the columns: key(column, ...)"))
			return false
		}
		t.spec.Key = info.Unique[0]
	}
	inKey := map[int]bool{}
	for _, name := range b.Key {
		i, ok := listed(b, info, "key", b.KeyOffset, name, index, inKey, names, list)
		if !ok {
			return false
		}
		t.spec.Key = append(t.spec.Key, i)
	}
	for _, i := range t.spec.Key {
		inKey[i] = true
	}
	for _, u := range info.Unique {
		if len(u) == len(inKey) && all(u, inKey) {
			t.spec.KeyUnique = true
		}
	}
	for _, i := range t.spec.Insert {
		if !inKey[i] && len(b.SetColumns) == 0 {
			t.spec.Set = append(t.spec.Set, i)
		}
	}
	inSet := map[int]bool{}
	for _, name := range b.SetColumns {
		i, ok := listed(b, info, "set", b.SetOffset, name, index, inSet, names, list)
		if !ok {
			return false
		}
		if g := info.Columns[i].Generated; inKey[i] || g != ir.NotGenerated && g != ir.IdentityByDefault {
			list.Add(b.Errorf(diag.BadKey, b.SetOffset, b.SetOffset+3, "column %s of %s cannot be set: it is %s", name, info.Name,
				map[bool]string{true: "in the key", false: "always generated"}[inKey[i]]))
			return false
		}
		t.spec.Set = append(t.spec.Set, i)
	}
	at, to := b.NameOffset, b.NameOffset+len(b.Name)
	if b.KeyOffset > 0 {
		at, to = b.KeyOffset, b.KeyOffset+3
	}
	for _, name := range keyNames(info, t.spec.Key) {
		if r.input.Engine == ir.Scoter && strings.Contains(name, ",") {
			list.Add(b.Errorf(diag.BadKey, at, to, "a column with a comma in its name, %s, cannot be in a key", name).Suggest("rename it"))
			return false
		}
	}
	if b.Kind == sqlfile.Table {
		// The block has `:write`, which means every operation that the table supports.
		t.spec.Ops = nil
		for _, op := range b.Ops {
			upsert := r.canUpsert(t) && allInserted(info, t.spec.Key) && r.setsAll(t)
			if op == ir.OpUpsert && !upsert || op == ir.OpUpdate && len(t.spec.Set) == 0 || r.rowid(t, op) != "" {
				continue
			}
			t.spec.Ops = append(t.spec.Ops, op)
		}
		return true
	}
	for _, op := range b.Ops {
		if name := r.rowid(t, op); name != "" {
			list.Add(b.NameErrorf(diag.BadKey, "the %s of %s takes the column %s, which hides DuckDB's own", op, info.Name, name).
				Suggest("rename the column, or leave %s out", op))
			return false
		}
	}
	if has(b.Ops, ir.OpUpsert) && !r.canUpsert(t) {
		d := list.Add(b.Errorf(diag.BadKey, at, to, "an upsert needs a primary key or unique constraint on exactly its key"))
		d.Suggest("add UNIQUE (%s) to %s, or leave upsert out", strings.Join(keyNames(info, t.spec.Key), ", "), info.Name)
		return false
	}
	if has(b.Ops, ir.OpUpsert) && len(b.InsertColumns) > 0 {
		for _, i := range slices.Concat(t.spec.Key, t.spec.Set) {
			if !slices.Contains(t.spec.Insert, i) {
				list.Add(b.Errorf(diag.BadKey, b.InsertOffset, b.InsertOffset+7, "columns(...) lacks %s, which the upsert needs", info.Columns[i].Name).Suggest("add it"))
				return false
			}
		}
	}
	if has(b.Ops, ir.OpUpsert) && !allInserted(info, t.spec.Key) {
		list.Add(b.Errorf(diag.BadKey, at, to, "an upsert cannot write its key: %s is always generated", strings.Join(keyNames(info, t.spec.Key), ", ")).
			Suggest("declare it GENERATED BY DEFAULT, or use another key"))
		return false
	}
	if has(b.Ops, ir.OpUpsert) && !r.setsAll(t) {
		list.Add(b.Errorf(diag.BadKey, b.SetOffset, b.SetOffset+3, "an upsert of Scoter sets every column that is not in the key").
			Suggest("remove set(...), or remove upsert"))
		return false
	}
	if len(t.spec.Set) == 0 && has(b.Ops, ir.OpUpdate) {
		list.Add(b.Errorf(diag.BadKey, at, to, "every column of %s is in the key: nothing is left to update", info.Name).
			Suggest("leave update out"))
		return false
	}
	return true
}

// listed finds a column of the table by a name that key(...) or set(...) lists. It reports an error
// if the column does not exist, or if the map seen already has its index.
func listed(b *sqlfile.Block, info *TableInfo, word string, at int, name string, index map[string]int, seen map[int]bool, names []string, list *diag.List) (int, bool) {
	i, ok := index[strings.ToLower(name)]
	if ok && !seen[i] {
		seen[i] = true
		return i, true
	}
	what := "column %s does not exist in %s"
	if ok {
		what = "column %s of %s is in the " + word + " twice"
	}
	d := list.Add(b.Errorf(diag.BadKey, at, at+len(word), what, name, info.Name))
	if near := base.Nearest(name, names); near != "" && !ok {
		d.Suggest("did you mean %s?", near)
	}
	return 0, false
}

// canUpsert reports whether the engine can find existing rows by the columns of the block's key.
// Most engines need a unique constraint for that; DuckDB's MERGE does not.
func (r *Result) canUpsert(t *table) bool {
	return t.spec.KeyUnique || r.input.Engine == ir.DuckDB
}

// rowid returns the name of a column that prevents the operation op on DuckDB, or "" if there is
// none. For such an operation, generated code fills a temporary table with the operation's rows. It
// needs DuckDB's rowid in this table, to know which of several rows with the same key came last. A
// column named rowid would hide it.
func (r *Result) rowid(t *table, op ir.Op) string {
	columns := t.spec.Key
	switch {
	case r.input.Engine != ir.DuckDB || !needsKey([]ir.Op{op}):
		return ""
	case op == ir.OpUpdate:
		columns = slices.Concat(t.spec.Key, t.spec.Set)
	case op == ir.OpUpsert:
		columns = t.spec.Insert
	}
	for _, name := range keyNames(t.info, columns) {
		if strings.EqualFold(name, "rowid") {
			return name
		}
	}
	return ""
}

// setsAll reports whether an upsert is possible with the columns in the block's set(...). Scoter's
// upsert sets every column of the rows, so there set(...) must not leave out columns. Other engines
// can set some of the columns.
func (r *Result) setsAll(t *table) bool {
	return r.input.Engine != ir.Scoter || len(t.spec.Set)+len(t.spec.Key) >= len(t.spec.Insert)
}

// allInserted reports whether an insert writes all of the given columns of the table.
func allInserted(info *TableInfo, columns []int) bool {
	for _, i := range columns {
		if g := info.Columns[i].Generated; g != ir.NotGenerated && g != ir.IdentityByDefault {
			return false
		}
	}
	return true
}

func all(columns []int, in map[int]bool) bool {
	for _, c := range columns {
		if !in[c] {
			return false
		}
	}
	return true
}

func keyNames(info *TableInfo, key []int) []string {
	var out []string
	for _, i := range key {
		out = append(out, info.Columns[i].Name)
	}
	return out
}

// tableName returns the parts of the table's name in a TABLE or WRITE block. The name is in the
// body of the block, or else in its header.
func tableName(engine ir.Engine, b *sqlfile.Block) []string {
	tokens := b.Body
	if len(tokens) == 0 {
		tokens = sqlfile.Tokenize(engine, b.Name, 0)
	}
	var parts []string
	for _, t := range tokens {
		if t.Kind == sqlfile.Word || t.Kind == sqlfile.Ident {
			parts = append(parts, t.Unquote())
		}
	}
	return parts
}
