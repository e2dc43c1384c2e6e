package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestVersionsDecideWhateverTheOrder runs lists on tables with a key whose rows have versions, or
// mark their key as deleted. The model stores tombstones as rows of a table t_all. t is a view of
// the other rows.
func TestVersionsDecideWhateverTheOrder(t *testing.T) {
	runSeeds(t, seedsByDefault/2, func(seed int) []step {
		g := &versions{Rand: rand.New(rand.NewPCG(uint64(seed), 23))}
		return g.list()
	})
}

type versions struct {
	*rand.Rand
	versioned, marked bool
	onRead            bool // rows of a key are deduplicated when they are read
	refuses           bool // a plain INSERT of an existing key is an error
}

func (g *versions) list() []step {
	kind := g.IntN(5)
	g.versioned, g.marked = kind != 0, kind != 1
	var options []string
	if g.versioned {
		options = append(options, "version = 'ver'")
	}
	if g.marked {
		options = append(options, "is_deleted = 'gone'")
	}
	if g.onRead = g.IntN(2) == 0; g.onRead {
		options = append(options, "upsert = 'merge-on-read'")
	}
	if !g.versioned && !g.onRead {
		if g.refuses = g.IntN(2) == 0; !g.refuses {
			options = append(options, "on_insert = 'replace'")
		}
	}
	typ := []string{"BIGINT", "UTINYINT", "INTEGER"}[g.IntN(3)]
	definition := fmt.Sprintf("(id INTEGER PRIMARY KEY, v VARCHAR, n INTEGER, ver %s, gone BOOLEAN)", typ)
	shown := " WHERE gone IS NOT TRUE"
	if !g.marked {
		shown = ""
	}
	steps := []step{{
		kind: definitionStep, sql: "CREATE TABLE {t} " + definition + " WITH (" + strings.Join(options, ", ") + ")",
		inModel: "CREATE TABLE {t}_all " + definition + "; CREATE VIEW {t} AS SELECT * FROM {t}_all" + shown,
	}}
	for len(steps) < stepsPerList {
		steps = append(steps, unread(g.Rand, inSomeMode(g.Rand, g.step()), g.onRead))
	}
	return append(steps, step{kind: reopenStep})
}

func (g *versions) step() step {
	switch n := g.IntN(100); {
	case n < 10 && g.refuses:
		return g.plain()
	case n < 30:
		return g.whole()
	case n < 45:
		return g.partial()
	case n < 55:
		return g.conflict()
	case n < 63:
		return g.merge()
	case n < 75:
		return g.update()
	case n < 83:
		return step{kind: flushStep}
	case n < 88:
		return step{kind: mergeStep}
	case n < 92:
		return step{kind: readStep}
	case n < 97:
		return step{kind: queryStep, sql: "SELECT count(*), sum(n), max(v) FROM {t} WHERE " + g.condition()}
	}
	return step{kind: reopenStep}
}

func (g *versions) condition() string {
	return []string{"id < 5", "id % 3 = 1", "ver > 4", "n IS NOT NULL", "v < 'b'", "gone IS NULL"}[g.IntN(6)]
}

func (g *versions) version() string {
	if g.IntN(10) == 0 {
		return "NULL"
	}
	return fmt.Sprint(g.IntN(9))
}

func (g *versions) gone() string { return []string{"true", "false", "NULL", "false"}[g.IntN(4)] }

func (g *versions) text() string { return []string{"'a'", "'b'", "'c'", "NULL"}[g.IntN(4)] }

// said returns a change together with its form for the model: upserts that respect versions and
// tombstones, one after the other for the rows of a key. set is the change of an existing row that
// is not a tombstone.
func (g *versions) said(sql, columns string, rows []string, set string, versioned bool) step {
	holds := "true"
	if g.versioned && versioned {
		holds = "coalesce(excluded.ver::BIGINT, -1) >= coalesce({t}_all.ver::BIGINT, -1)"
	}
	tombstone := "false"
	if g.marked {
		tombstone = "({t}_all.gone IS TRUE)"
	}
	assignments := map[string]string{"v": "{t}_all.v", "n": "{t}_all.n", "ver": "{t}_all.ver", "gone": "{t}_all.gone"}
	for _, a := range strings.Split(set, "; ") {
		if name, value, ok := strings.Cut(a, " = "); ok {
			assignments[name] = value
		}
	}
	var all, model []string
	for _, name := range []string{"v", "n", "ver", "gone"} {
		insertedAt := "NULL"
		if strings.Contains(","+columns+",", ","+name+",") {
			insertedAt = "excluded." + name
		}
		all = append(all, fmt.Sprintf("%s = CASE WHEN %s THEN %s ELSE %s END", name, tombstone, insertedAt, assignments[name]))
	}
	for _, group := range oncePerKey(rows) {
		model = append(model, fmt.Sprintf("INSERT INTO {t}_all (%s) VALUES %s ON CONFLICT (id) DO UPDATE SET %s WHERE %s", columns, group, strings.Join(all, ", "), holds))
	}
	return step{kind: definitionStep, sql: sql, inModel: strings.Join(model, "; ")}
}

// oncePerKey divides rows, which begin with their key, into groups so that no group has two rows of
// a key: the first rows of all keys, then the second rows, and so on. Rows of different keys do not
// affect each other. So a group can be one statement, which is much faster than one statement for
// each row.
func oncePerKey(rows []string) (groups []string) {
	seen := map[string]int{}
	for _, row := range rows {
		key, _, _ := strings.Cut(row, ",")
		n := seen[key]
		seen[key]++
		if n == len(groups) {
			groups = append(groups, row)
		} else {
			groups[n] += ", " + row
		}
	}
	return groups
}

const everyColumn = "v = excluded.v; n = excluded.n; ver = excluded.ver; gone = excluded.gone"

// replacing returns the beginning of an INSERT whose rows replace the rows of their keys.
func (g *versions) replacing() string {
	if g.refuses {
		return "INSERT OR REPLACE INTO {t} "
	}
	return "INSERT INTO {t} "
}

// plain inserts rows into a table that refuses existing keys. A row that marks its key as deleted
// is never refused.
func (g *versions) plain() step {
	var all, inserted, deleted []string
	for _, id := range g.Perm(14)[:1+g.IntN(2)] {
		row := fmt.Sprintf("(%d, %s, %d, %s, ", id, g.text(), g.IntN(50), g.version())
		gone := g.gone()
		all = append(all, row+gone+")")
		if gone == "true" {
			deleted = append(deleted, fmt.Sprint(id))
		} else {
			inserted = append(inserted, row+gone+")")
		}
	}
	model := "DELETE FROM {t}_all WHERE gone"
	if len(inserted) > 0 {
		model += "; INSERT INTO {t}_all VALUES " + strings.Join(inserted, ", ")
	}
	if len(deleted) > 0 {
		model += "; DELETE FROM {t}_all WHERE id IN (" + strings.Join(deleted, ", ") + ")"
	}
	return step{kind: definitionStep, sql: "INSERT INTO {t} VALUES " + strings.Join(all, ", "), inModel: model}
}

// whole inserts rows with all columns. Sometimes several rows have the same key.
func (g *versions) whole() step {
	var rows []string
	for range 1 + g.IntN(6) {
		rows = append(rows, fmt.Sprintf("(%d, %s, %d, %s, %s)", g.IntN(9), g.text(), g.IntN(50), g.version(), g.gone()))
	}
	sql := g.replacing() + "VALUES " + strings.Join(rows, ", ")
	switch g.IntN(3) {
	case 0:
		sql = "INSERT OR REPLACE INTO {t} SELECT * FROM (VALUES " + strings.Join(rows, ", ") + ")"
	case 1: // many, in any order
		salt := g.IntN(100)
		query := fmt.Sprintf("SELECT i %% 11 AS id, 'x' AS v, i AS n, (i * 7 + %d) %% 10 AS ver, i %% 5 = 2 AS gone FROM range(40) AS r(i)", salt)
		rows = nil
		for i := range 40 {
			rows = append(rows, fmt.Sprintf("(%d, 'x', %d, %d, %t)", i%11, i, (i*7+salt)%10, i%5 == 2))
		}
		sql = g.replacing() + query
	}
	return g.said(sql, "id,v,n,ver,gone", rows, everyColumn, true)
}

// partial inserts rows with some columns. Existing rows take these values.
func (g *versions) partial() step {
	id, n := g.IntN(9), g.IntN(50)
	switch g.IntN(3) {
	case 0:
		row := fmt.Sprintf("(%d, %d, %s)", id, n, g.version())
		return g.said(g.replacing()+"(id, n, ver) VALUES "+row, "id,n,ver", []string{row}, "n = excluded.n; ver = excluded.ver", true)
	case 1:
		row := fmt.Sprintf("(%d, %s)", id, g.text())
		return g.said(g.replacing()+"(id, v) VALUES "+row, "id,v", []string{row}, "v = excluded.v", false)
	}
	row := fmt.Sprintf("(%d, %s, %s)", id, g.version(), g.gone())
	return g.said(g.replacing()+"(id, ver, gone) VALUES "+row, "id,ver,gone", []string{row}, "ver = excluded.ver; gone = excluded.gone", true)
}

func (g *versions) distinct() (rows []string) {
	for _, id := range g.Perm(9)[:1+g.IntN(4)] {
		rows = append(rows, fmt.Sprintf("(%d, %s, %d, %s, %s)", id, g.text(), g.IntN(50), g.version(), g.gone()))
	}
	return rows
}

func (g *versions) conflict() step {
	rows := g.distinct()
	insert := "INSERT INTO {t} VALUES " + strings.Join(rows, ", ")
	gone := "{t}_all.gone"
	if g.marked {
		gone = "CASE WHEN excluded.gone THEN true ELSE {t}_all.gone END"
	}
	switch g.IntN(3) {
	case 0:
		return g.said(insert+" ON CONFLICT DO NOTHING", "id,v,n,ver,gone", rows, "", true)
	case 1:
		if g.marked {
			gone = "excluded.gone" // the value of the inserted row
		}
		ver := "{t}_all.ver"
		if g.versioned {
			ver = "excluded.ver"
		}
		return g.said(insert+" ON CONFLICT DO UPDATE SET n = excluded.n", "id,v,n,ver,gone", rows, "n = excluded.n; ver = "+ver+"; gone = "+gone, true)
	}
	ver := "{t}_all.ver"
	if g.versioned {
		ver = "excluded.ver"
	}
	if g.marked {
		gone = "excluded.gone"
	}
	return g.said(insert+" ON CONFLICT (id) DO UPDATE SET n = coalesce({t}.n, 0) + excluded.n", "id,v,n,ver,gone", rows,
		"n = coalesce({t}_all.n, 0) + excluded.n; ver = "+ver+"; gone = "+gone, true)
}

func (g *versions) merge() step {
	rows := g.distinct()
	sql := "MERGE INTO {t} AS x USING (SELECT * FROM (VALUES " + strings.Join(rows, ", ") + ") AS s(id, v, n, ver, gone)) AS s ON x.id = s.id "
	return g.said(sql+"WHEN MATCHED THEN UPDATE SET v = s.v, n = s.n, ver = s.ver, gone = s.gone WHEN NOT MATCHED THEN INSERT", "id,v,n,ver,gone", rows, everyColumn, true)
}

func (g *versions) update() step {
	where := " WHERE " + g.condition()
	inModel := where
	if g.marked {
		inModel += " AND gone IS NOT TRUE"
	}
	switch g.IntN(4) {
	case 0:
		return step{sql: "DELETE FROM {t}" + where, inModel: "DELETE FROM {t}_all" + inModel}
	case 1:
		return step{sql: "UPDATE {t} SET gone = true" + where, inModel: "UPDATE {t}_all SET gone = true" + inModel}
	case 2:
		return step{sql: "UPDATE {t} SET ver = 5" + where, inModel: "UPDATE {t}_all SET ver = 5" + inModel}
	}
	return step{sql: "UPDATE {t} SET n = n + 1, v = 'u'" + where, inModel: "UPDATE {t}_all SET n = n + 1, v = 'u'" + inModel}
}
