package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// step is one step of a list.
type step struct {
	kind    stepKind
	sql     string // of statements and queries; {t} stands for the table
	inModel string // the statement for the model, if it differs
	// returning means that the rows which the statement returns are compared. Its changed rows are
	// not counted.
	returning bool
	unread    bool // the table is not compared after this step
}

type stepKind uint8

const (
	changeStep stepKind = iota
	definitionStep
	queryStep
	flushStep
	mergeStep
	reopenStep
	readStep // begins to read; a later step continues
)

func (s step) model() string {
	if s.inModel != "" {
		return s.inModel
	}
	return s.sql
}

func (s step) String() string {
	switch s.kind {
	case flushStep:
		return "-- flush"
	case mergeStep:
		return "-- merge"
	case reopenStep:
		return "-- reopen"
	case readStep:
		return "-- begin to read"
	}
	return strings.ReplaceAll(s.sql, "{t}", "t") + ";"
}

// column is a column of the table in its current state.
type column struct {
	name   string
	kind   *kind
	placed bool // rows are sorted or partitioned by it: it cannot be dropped
	sorted bool
	parted bool
}

// generator makes one list.
type generator struct {
	*rand.Rand
	columns []column // except those of the key
	keyed   bool
	sharded bool // the key is id and shard, which is computed from id
	// onRead means that whole rows are inserted without looking up their keys. Replaced rows are
	// not counted.
	onRead  bool
	pending []step
	ids     int // the next id; all lower ids were used
	names   int // number of columns so far
}

const stepsPerList = 30

// generate returns the list of a seed.
func generate(seed int) []step {
	g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 11))}
	steps := []step{g.create()}
	steps = append(steps, g.insert())
	for len(steps) < stepsPerList {
		steps = append(steps, g.step())
	}
	return append(steps, step{kind: reopenStep})
}

func (g *generator) create() step {
	g.keyed = g.IntN(3) == 0
	g.onRead = g.keyed && g.IntN(2) == 0
	g.sharded = g.keyed && g.IntN(3) == 0
	definitions := []string{"id INTEGER NOT NULL"}
	switch {
	case g.sharded:
		definitions = append(definitions, "shard VARCHAR")
	case g.keyed:
		definitions[0] = "id INTEGER PRIMARY KEY"
	}
	for range 1 + g.IntN(6) {
		c := g.newColumn()
		definitions = append(definitions, c.name+" "+c.kind.sql)
		g.columns = append(g.columns, c)
	}
	if g.sharded {
		definitions = append(definitions, "PRIMARY KEY (shard, id)")
	}
	sql := "CREATE TABLE {t} (" + strings.Join(definitions, ", ") + ")"
	s := step{kind: definitionStep, sql: sql, inModel: sql}
	switch g.IntN(4) {
	case 0:
		s.sql += " SORTED BY (id)"
	case 1:
		if c := &g.columns[g.IntN(len(g.columns))]; c.kind.sortable {
			c.placed, c.sorted = true, true
			s.sql += fmt.Sprintf(" SORTED BY (%s, id DESC)", c.name)
		}
	case 2:
		for i, c := range g.columns {
			if c.kind.sql == "DATE" || c.kind.sql == "TIMESTAMP" {
				g.columns[i].placed, g.columns[i].parted = true, true
				s.sql += fmt.Sprintf(" PARTITIONED BY (year(%s))", c.name)
				break
			}
		}
	}
	if g.onRead {
		s.sql += mergeOnRead
	}
	return s
}

const mergeOnRead = " WITH (upsert = 'merge-on-read')"

// unread skips the comparison after some of the steps on a table that merges on read. Its rows are
// then deduplicated several steps at a time, or not at all.
func unread(r *rand.Rand, s step, onRead bool) step {
	s.unread = onRead && r.IntN(3) > 0
	return s
}

// uncounted marks a change whose number of rows differs from the model's, if so is set.
func uncounted(s step, so bool) step {
	if so {
		s.kind = definitionStep
	}
	return s
}

func (g *generator) newColumn() column {
	g.names++
	return column{name: fmt.Sprintf("c%d", g.names), kind: &kinds[g.IntN(len(kinds))]}
}

func (g *generator) column() column { return g.columns[g.IntN(len(g.columns))] }

func (g *generator) step() step {
	if len(g.pending) > 0 {
		s := g.pending[0]
		g.pending = g.pending[1:]
		return unread(g.Rand, s, g.onRead)
	}
	return unread(g.Rand, inSomeMode(g.Rand, g.anyStep()), g.onRead)
}

// inSomeMode adds a mode to some statements that change rows.
func inSomeMode(r *rand.Rand, s step) step {
	verb, _, _ := strings.Cut(s.sql, " ")
	if s.kind != queryStep && (verb == "UPDATE" || verb == "DELETE" || verb == "MERGE") && r.IntN(3) == 0 {
		s.inModel = s.model()
		s.sql += " WITH (mode = '" + []string{"rewrite", "rewrite", "patch", "auto", "expression", "expression", "expression", "expression"}[r.IntN(8)] + "')"
	}
	return s
}

func (g *generator) anyStep() step {
	switch n := g.IntN(100); {
	case n < 16:
		return g.insert()
	case n < 42:
		return g.update()
	case n < 50:
		return g.updateFrom()
	case n < 60:
		return g.delete()
	case n < 70:
		return g.merge()
	case n < 76:
		return g.alter()
	case n < 82:
		return step{kind: queryStep, sql: g.query()}
	case n < 90:
		return step{kind: flushStep}
	case n < 94:
		return step{kind: mergeStep}
	case n < 98:
		return step{kind: readStep}
	}
	return step{kind: reopenStep}
}

func (g *generator) insert() step {
	if g.keyed {
		return g.upsert()
	}
	if g.IntN(5) == 0 {
		g.ids += 1000 // more rows at once than lists of values have
		return step{sql: fmt.Sprintf("INSERT INTO {t} (id) SELECT i FROM range(%d, %d) AS r(i)", g.ids-1000, g.ids-1000+300*(1+g.IntN(3)))}
	}
	var rows []string
	for range 1 + g.IntN(12) {
		rows = append(rows, g.row(g.ids))
		g.ids++
	}
	return step{sql: "INSERT INTO {t} VALUES " + strings.Join(rows, ", ")}
}

// key returns the key's columns or values: the id, and the shard if it is part of the key.
func (g *generator) key(id, shard string) string {
	if g.sharded {
		return id + ", " + shard
	}
	return id
}

// keyOf returns the key of an id.
func (g *generator) keyOf(id int) string { return g.key(fmt.Sprint(id), shard(id)) }

func shard(id int) string { return fmt.Sprintf("'s%d'", id%3) }

func (g *generator) row(id int) string {
	values := []string{g.keyOf(id)}
	for _, c := range g.columns {
		values = append(values, g.literal(c.kind))
	}
	return "(" + strings.Join(values, ", ") + ")"
}

// literal returns a value of a kind as an expression of its type.
func (g *generator) literal(k *kind) string {
	if g.IntN(6) == 0 {
		return "NULL"
	}
	return fmt.Sprintf("CAST(%s AS %s)", k.literal(g.Rand), k.sql)
}

// upsert returns an INSERT into a table with a key, for keys that may exist.
func (g *generator) upsert() step {
	var rows []string
	for _, id := range g.Perm(g.ids + 8)[:1+g.IntN(8)] {
		rows = append(rows, g.row(id))
		g.ids = max(g.ids, id+1)
	}
	values := "{t} VALUES " + strings.Join(rows, ", ")
	c := g.column()
	way := g.IntN(5)
	if way == 2 && c.kind.caseless {
		way = 1
	}
	switch way {
	case 0:
		return step{sql: "INSERT OR IGNORE INTO " + values}
	case 1:
		return step{sql: "INSERT INTO " + values + fmt.Sprintf(" ON CONFLICT (%s) DO UPDATE SET %s = excluded.%[2]s", g.key("id", "shard"), c.name)}
	case 2:
		return step{sql: "INSERT INTO " + values + fmt.Sprintf(" ON CONFLICT DO UPDATE SET %s = coalesce({t}.%[1]s, excluded.%[1]s) WHERE {t}.id %% 2 = 0", c.name)}
	case 3:
		return uncounted(step{sql: "INSERT OR REPLACE INTO " + values}, g.onRead)
	}
	// Only some columns: the other columns of an existing row do not change.
	id := g.IntN(g.ids + 4)
	g.ids = max(g.ids, id+1)
	values = fmt.Sprintf("{t} (%s, %s) VALUES (%s, %s)", c.name, g.key("id", "shard"), g.literal(c.kind), g.keyOf(id))
	return uncounted(step{sql: "INSERT OR REPLACE INTO " + values}, g.onRead && len(g.columns) == 1)
}

// set returns a SET list.
func (g *generator) set() string {
	chosen := g.Perm(len(g.columns))[:1+g.IntN(min(3, len(g.columns)))]
	var items []string
	for _, i := range chosen {
		c := g.columns[i]
		items = append(items, c.name+" = "+g.expression(c))
	}
	if !g.keyed && g.IntN(10) == 0 {
		items = append(items, "id = id + 1")
	}
	return strings.Join(items, ", ")
}

// expression returns an expression for a new value of a column. It sometimes uses the old value.
func (g *generator) expression(c column) string {
	if len(c.kind.changes) > 0 && g.IntN(2) == 0 {
		return strings.ReplaceAll(c.kind.changes[g.IntN(len(c.kind.changes))], "$", c.name)
	}
	if g.IntN(8) == 0 && !c.kind.caseless {
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.condition(), g.literal(c.kind), c.name)
	}
	return g.literal(c.kind)
}

// condition returns a condition that some rows may match.
func (g *generator) condition() string {
	c := g.column()
	switch g.IntN(10) {
	case 0:
		return fmt.Sprintf("id = %d", g.IntN(g.ids+1))
	case 1:
		return fmt.Sprintf("id BETWEEN %d AND %d", g.IntN(g.ids+1), g.IntN(g.ids+20))
	case 2:
		return fmt.Sprintf("id IN (%d, %d, %d)", g.IntN(g.ids+1), g.IntN(g.ids+1), g.IntN(g.ids+1))
	case 3:
		return c.name + " IS NULL"
	case 4, 5:
		if c.kind.sortable {
			return fmt.Sprintf("%s %s %s", c.name, []string{"=", "<", ">=", "<>"}[g.IntN(4)], g.literal(c.kind))
		}
		return c.name + " IS NOT NULL"
	case 6:
		return fmt.Sprintf("NOT (%s) OR %s", g.condition(), g.condition())
	case 7:
		return fmt.Sprintf("%s AND %s", g.condition(), g.condition())
	}
	return fmt.Sprintf("id %% %d = %d", 2+g.IntN(5), g.IntN(4))
}

// point changes the rows of one key. Scoter looks up such rows by key, which it does not do for
// other conditions.
func (g *generator) point() step {
	var where []string
	for _, c := range g.columns {
		if c.sorted {
			where = append(where, c.name+" = "+c.kind.literal(g.Rand))
		}
	}
	id := g.IntN(g.ids + 1)
	if g.IntN(4) == 0 {
		where = append(where, fmt.Sprintf("%d = {t}.ID", id))
	} else {
		where = append(where, fmt.Sprintf("id = %d", id))
	}
	if g.sharded && g.IntN(4) > 0 {
		where = append(where, "shard = "+shard(id))
	}
	if g.IntN(4) == 0 {
		where = append(where, "("+g.condition()+")")
	}
	g.Shuffle(len(where), func(i, j int) { where[i], where[j] = where[j], where[i] })
	sql := "DELETE FROM {t} WHERE "
	if g.IntN(5) > 0 {
		c := g.column()
		value := g.expression(c)
		if g.IntN(2) == 0 {
			value = c.kind.literal(g.Rand)
		}
		sql = fmt.Sprintf("UPDATE {t} SET %s = %s WHERE ", c.name, value)
	}
	s := step{sql: sql + strings.Join(where, " AND ")}
	if g.IntN(5) == 0 {
		s.sql, s.returning = s.sql+" RETURNING *", true
	}
	return s
}

func (g *generator) update() step {
	if g.IntN(3) == 0 {
		return g.point()
	}
	if g.keyed && g.IntN(10) == 0 {
		// DuckDB reports duplicate keys for several rows whose keys only move.
		return step{sql: fmt.Sprintf("UPDATE {t} SET id = id + 3 WHERE id = %d", g.IntN(g.ids+1))}
	}
	sql := "UPDATE {t} SET " + g.set() + g.where()
	if g.IntN(5) == 0 {
		return step{sql: sql + " RETURNING *", returning: true}
	}
	return step{sql: sql}
}

func (g *generator) where() string {
	if g.IntN(12) == 0 {
		return ""
	}
	return " WHERE " + g.condition()
}

// updateFrom takes the new values of a column from a list, or from other rows of the table.
func (g *generator) updateFrom() step {
	c := g.column()
	if g.IntN(4) == 0 {
		return step{sql: fmt.Sprintf("UPDATE {t} SET %s = (SELECT max(other.id) FROM {t} AS other WHERE other.id <= {t}.id) WHERE id %% 3 = 1", g.numeric())}
	}
	return step{sql: fmt.Sprintf("UPDATE {t} AS x SET %s = v.w FROM (VALUES %s) AS v(k, w) WHERE x.id = v.k", c.name, g.pairs(c))}
}

// numeric returns a column in which every id fits, or else id.
func (g *generator) numeric() string {
	for _, c := range g.columns {
		if c.kind.sql == "BIGINT" || c.kind.sql == "DOUBLE" {
			return c.name
		}
	}
	return g.column().name
}

// pairs returns rows of distinct ids, some of which exist, each with a value of a column.
func (g *generator) pairs(c column) string {
	var rows []string
	for _, id := range g.Perm(g.ids + 5)[:min(g.ids, 1+g.IntN(6))] {
		rows = append(rows, fmt.Sprintf("(%d, %s)", id, g.literal(c.kind)))
	}
	if len(rows) == 0 {
		rows = []string{fmt.Sprintf("(0, %s)", g.literal(c.kind))}
	}
	return strings.Join(rows, ", ")
}

func (g *generator) delete() step {
	sql := "DELETE FROM {t} WHERE " + g.condition() + " AND " + g.condition()
	switch g.IntN(8) {
	case 0:
		sql = "DELETE FROM {t} USING range(3, 9) AS r(i) WHERE {t}.id = r.i * 2"
	case 1:
		return step{sql: sql + " RETURNING *", returning: true}
	case 2:
		switch g.IntN(8) {
		case 0:
			return step{sql: "DELETE FROM {t}"}
		case 1:
			return step{sql: "TRUNCATE {t}", inModel: "DELETE FROM {t}"}
		}
	}
	return step{sql: sql}
}

func (g *generator) merge() step {
	c := g.column()
	join := fmt.Sprintf("MERGE INTO {t} AS x USING (SELECT k::INTEGER AS k, w::%s AS w FROM (VALUES %s) AS v(k, w)) AS y ON x.id = y.k", c.kind.sql, g.pairs(c))
	var clauses []string
	if g.IntN(3) == 0 {
		clauses = append(clauses, "WHEN MATCHED AND y.k % 3 = 0 THEN DELETE")
	}
	if g.IntN(4) > 0 {
		clauses = append(clauses, fmt.Sprintf("WHEN MATCHED THEN UPDATE SET %s = y.w", c.name))
	}
	if g.IntN(4) > 0 {
		clauses = append(clauses, fmt.Sprintf("WHEN NOT MATCHED THEN INSERT (%s, %s) VALUES (%s, y.w)", g.key("id", "shard"), c.name, g.key("y.k", "'s' || (y.k % 3)")))
	}
	if g.IntN(5) == 0 {
		clauses = append(clauses, fmt.Sprintf("WHEN NOT MATCHED BY SOURCE AND x.id %% 7 = 1 THEN UPDATE SET %s = NULL", c.name))
	}
	if len(clauses) == 0 {
		clauses = []string{"WHEN MATCHED THEN DELETE"}
	}
	g.ids += 5
	// without RETURNING, which crashes DuckDB 1.5.5 or returns ids of other rows
	return step{sql: join + " " + strings.Join(clauses, " ")}
}

func (g *generator) alter() step {
	n := g.IntN(7)
	switch {
	case n == 4 || n == 5:
		return g.layout()
	case g.keyed || n == 0:
		c := g.newColumn()
		g.columns = append(g.columns, c)
		add, value := fmt.Sprintf("ALTER TABLE {t} ADD COLUMN %s %s", c.name, c.kind.sql), g.literal(c.kind)
		// DuckDB 1.5.5 sometimes fails, together with the whole instance, when it adds a list
		// column with a default.
		return step{kind: definitionStep, sql: add + " DEFAULT " + value,
			inModel: fmt.Sprintf("%s; UPDATE {t} SET %s = %s; ALTER TABLE {t} ALTER COLUMN %s SET DEFAULT %s", add, c.name, value, c.name, value)}
	case n == 1 && len(g.columns) > 1:
		i := g.IntN(len(g.columns))
		if g.columns[i].placed {
			break
		}
		name := g.columns[i].name
		g.columns = slices.Delete(slices.Clone(g.columns), i, i+1)
		return step{kind: definitionStep, sql: "ALTER TABLE {t} DROP COLUMN " + name}
	case n == 2:
		i := g.IntN(len(g.columns))
		g.names++
		old, name := g.columns[i].name, fmt.Sprintf("r%d", g.names)
		g.columns[i].name = name
		return step{kind: definitionStep, sql: fmt.Sprintf("ALTER TABLE {t} RENAME COLUMN %s TO %s", old, name)}
	}
	if n == 6 {
		return g.notNull()
	}
	for i, c := range g.columns {
		if wider := c.kind.wider; wider != "" && !c.placed {
			at := slices.IndexFunc(kinds, func(k kind) bool { return k.sql == wider })
			g.columns[i].kind = &kinds[at]
			return step{kind: definitionStep, sql: fmt.Sprintf("ALTER TABLE {t} ALTER COLUMN %s TYPE %s", c.name, wider)}
		}
	}
	return step{kind: flushStep}
}

// layout sorts or partitions the rows by other columns. Their values may have changed since the
// rows were written.
func (g *generator) layout() step {
	for i := range g.columns {
		g.columns[i].placed, g.columns[i].sorted = g.columns[i].parted, false
	}
	s := step{kind: definitionStep, sql: "ALTER TABLE {t} SET SORTED BY (id)", inModel: "SELECT 1"}
	c := &g.columns[g.IntN(len(g.columns))]
	switch {
	case (c.kind.sql == "DATE" || c.kind.sql == "TIMESTAMP") && g.IntN(2) == 0:
		for i := range g.columns {
			g.columns[i].placed, g.columns[i].parted = false, false
		}
		c.placed, c.parted = true, true
		s.sql = fmt.Sprintf("ALTER TABLE {t} SET PARTITIONED BY (year(%s))", c.name)
	case c.kind.sortable:
		c.placed, c.sorted = true, true
		s.sql = fmt.Sprintf("ALTER TABLE {t} SET SORTED BY (%s%s)", c.name, []string{"", " DESC", ", id"}[g.IntN(3)])
	case g.IntN(3) == 0:
		s.sql = "ALTER TABLE {t} RESET SORTED BY"
	}
	return s
}

// notNull forbids NULLs in a column after they were removed. Some steps later it allows them again.
func (g *generator) notNull() step {
	c := g.column()
	value := "CAST(" + c.kind.literal(g.Rand) + " AS " + c.kind.sql + ")"
	alter := func(what string) step {
		return step{kind: definitionStep, sql: fmt.Sprintf("ALTER TABLE {t} ALTER COLUMN %s %s NOT NULL", c.name, what)}
	}
	g.pending = append(g.pending, alter("SET"))
	for range g.IntN(4) {
		g.pending = append(g.pending, []step{{kind: mergeStep}, {kind: flushStep}, g.delete(), g.point()}[g.IntN(4)])
	}
	g.pending = append(g.pending, alter("DROP"))
	if g.IntN(2) == 0 {
		return step{sql: fmt.Sprintf("DELETE FROM {t} WHERE %s IS NULL", c.name)}
	}
	return step{sql: fmt.Sprintf("UPDATE {t} SET %s = %s WHERE %[1]s IS NULL", c.name, value)}
}

func (g *generator) query() string {
	switch g.IntN(3) {
	case 0:
		return "SELECT count(*), min(id), max(id) FROM {t} WHERE " + g.condition()
	case 1:
		return fmt.Sprintf("SELECT %s, count(*) FROM {t} WHERE %s GROUP BY ALL", g.column().name, g.condition())
	}
	return "SELECT * FROM {t} WHERE " + g.condition()
}
