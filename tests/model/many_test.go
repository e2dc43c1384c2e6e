package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/config"
)

// TestManyRowsAtOnceDoWhatFewDo runs lists on tables with a key. Their statements bring more rows
// than a change holds in memory.
func TestManyRowsAtOnceDoWhatFewDo(t *testing.T) {
	n := number(t, "SCOTER_MODEL_SEEDS", 20)
	runSeedsOf(t, n, func(seed int) []step {
		g := &many{Rand: rand.New(rand.NewPCG(uint64(seed), 31))}
		return g.list()
	}, func(s *config.Server) { s.WriteMemory = 4 << 20 })
}

// many makes such lists. Tables with versions have tombstones too. The model stores these in t_all.
type many struct {
	*rand.Rand
	versioned bool
	onRead    bool
}

const (
	manyIDs  = 3000
	manyRows = 8000 // of about 100 bytes: a chunk is 512 KiB
)

func (g *many) list() []step {
	g.versioned = g.IntN(2) == 0
	create := step{kind: definitionStep, sql: "CREATE TABLE {t} (id INTEGER PRIMARY KEY, v VARCHAR, n INTEGER DEFAULT 7)"}
	switch g.IntN(3) {
	case 0:
		create.inModel = create.sql
		create.sql += " SORTED BY (n, id)"
	case 1:
		create.inModel = create.sql
		create.sql += " PARTITIONED BY (n)"
		create.sql = strings.Replace(create.sql, "n INTEGER", "n TINYINT", 1)
	}
	if g.versioned {
		definition := "(id INTEGER PRIMARY KEY, v VARCHAR, n INTEGER, ver INTEGER, gone BOOLEAN)"
		create = step{
			kind: definitionStep, sql: "CREATE TABLE {t} " + definition + " WITH (version = 'ver', is_deleted = 'gone')",
			inModel: "CREATE TABLE {t}_all " + definition + "; CREATE VIEW {t} AS SELECT * FROM {t}_all WHERE gone IS NOT TRUE",
		}
	}
	if g.onRead = g.IntN(2) == 0; g.onRead {
		if create.inModel == "" {
			create.inModel = create.sql
		}
		create.sql = strings.Replace(create.sql+" WITH (upsert = 'merge-on-read')", ") WITH (upsert", ", upsert", strings.Count(create.sql, "WITH"))
	}
	steps := []step{create}
	for len(steps) < 14 {
		steps = append(steps, unread(g.Rand, g.step(), g.onRead))
	}
	return append(steps, step{kind: reopenStep})
}

func (g *many) step() step {
	switch n := g.IntN(20); {
	case n < 8 && g.versioned:
		return g.ofVersions(g.rows())
	case n < 8:
		return g.plain(g.rows())
	case n < 11 && g.versioned:
		return g.ofVersions(5)
	case n < 11:
		return g.plain(5)
	case n < 13 && g.versioned:
		return step{sql: "DELETE FROM {t} WHERE id % 5 = 3", inModel: "DELETE FROM {t}_all WHERE id % 5 = 3 AND gone IS NOT TRUE"}
	case n < 13:
		return step{sql: fmt.Sprintf("DELETE FROM {t} WHERE id %% 5 = %d", g.IntN(5))}
	case n < 14 && g.versioned:
		return step{sql: "UPDATE {t} SET ver = 5 WHERE id % 7 = 1", inModel: "UPDATE {t}_all SET ver = 5 WHERE id % 7 = 1 AND gone IS NOT TRUE"}
	case n < 14:
		update := "UPDATE {t} SET n = n % 3 WHERE id % 7 = 1"
		return step{sql: update + []string{"", expressionMode}[g.IntN(2)], inModel: update}
	case n < 16:
		return step{kind: flushStep}
	case n < 18:
		return step{kind: mergeStep}
	case n < 19:
		return step{kind: readStep}
	}
	return step{kind: reopenStep}
}

func (g *many) rows() int { return manyRows * (1 + g.IntN(2)) }

// source returns a query of rows. If unique is set, each row has another key.
func (g *many) source(rows int, unique bool) string {
	id := fmt.Sprintf("(i * %d + %d) %% %d", 1+2*g.IntN(40), g.IntN(1000), manyIDs)
	if unique {
		id = fmt.Sprintf("i + %d", g.IntN(manyIDs))
	}
	salt := g.IntN(50)
	return fmt.Sprintf("SELECT i, (%s)::INTEGER AS id, repeat('x', 70) || (i + %d) AS v, ((i * 7 + %[3]d) %% 11)::INTEGER AS n, nullif(((i * 5 + %[3]d) %% 9), 4)::INTEGER AS ver, (i + %[3]d) %% 13 = 2 AS gone FROM range(%d) AS r(i)",
		id, salt, salt, rows)
}

// once returns one row of each key in the model's source.
func once(source, order string) string {
	return "(FROM (" + source + ") QUALIFY row_number() OVER (PARTITION BY id ORDER BY " + order + ") = 1)"
}

func (g *many) plain(rows int) step {
	switch g.IntN(6) {
	case 0:
		s := g.source(rows, false)
		return step{sql: "INSERT OR IGNORE INTO {t} SELECT id, v, n FROM (" + s + ") ORDER BY i", inModel: "INSERT OR IGNORE INTO {t} SELECT id, v, n FROM " + once(s, "i")}
	case 1:
		return step{sql: "INSERT INTO {t} SELECT id, v, n FROM (" + g.source(rows, true) + ") ON CONFLICT DO UPDATE SET n = excluded.n"}
	case 2:
		return step{sql: "INSERT INTO {t} SELECT id, v, n FROM (" + g.source(rows, true) + ") ON CONFLICT DO UPDATE SET n = ({t}.n + excluded.n) % 100, v = excluded.v WHERE {t}.id % 3 = 0"}
	case 3:
		s := g.source(rows, false)
		return step{sql: "INSERT OR REPLACE INTO {t} (v, id) SELECT v, id FROM (" + s + ") ORDER BY i", inModel: "INSERT OR REPLACE INTO {t} (v, id) SELECT v, id FROM " + once(s, "i DESC")}
	case 4:
		return step{sql: "INSERT INTO {t} SELECT id, v, n FROM (" + g.source(rows, true) + ") ON CONFLICT (id) DO UPDATE SET n = 1"}
	}
	s := g.source(rows, false)
	return uncounted(step{sql: "INSERT OR REPLACE INTO {t} SELECT id, v, n FROM (" + s + ") ORDER BY i", inModel: "INSERT OR REPLACE INTO {t} SELECT id, v, n FROM " + once(s, "i DESC")}, g.onRead)
}

func (g *many) ofVersions(rows int) step {
	const newest = "coalesce(ver, -1) DESC, "
	holds := " WHERE coalesce(excluded.ver, -1) >= coalesce({t}_all.ver, -1)"
	insert := "INSERT INTO {t}_all SELECT * EXCLUDE (i) FROM "
	become := func(of func(column string) string) string {
		var all []string
		for _, c := range []string{"v", "n", "ver", "gone"} {
			all = append(all, fmt.Sprintf("%s = CASE WHEN {t}_all.gone IS TRUE THEN excluded.%[1]s ELSE %s END", c, of(c)))
		}
		return " ON CONFLICT (id) DO UPDATE SET " + strings.Join(all, ", ")
	}
	switch g.IntN(4) {
	case 0:
		s := g.source(rows, false)
		return step{
			kind: definitionStep, sql: "INSERT OR IGNORE INTO {t} SELECT id, v, n, ver, gone FROM (" + s + ") ORDER BY i",
			inModel: insert + once(s, newest+"i") + become(func(c string) string { return "{t}_all." + c }) + holds,
		}
	case 1:
		s := g.source(rows, true)
		return step{
			kind: definitionStep, sql: "INSERT INTO {t} SELECT id, v, n, ver, gone FROM (" + s + ") ON CONFLICT DO UPDATE SET n = coalesce({t}.n, 0) + excluded.n",
			inModel: insert + "(" + s + ")" + become(func(c string) string {
				switch c {
				case "v":
					return "{t}_all.v"
				case "n":
					return "coalesce({t}_all.n, 0) + excluded.n"
				}
				return "excluded." + c
			}) + holds,
		}
	}
	s := g.source(rows, false)
	return step{
		kind: definitionStep, sql: "INSERT INTO {t} SELECT id, v, n, ver, gone FROM (" + s + ") ORDER BY i",
		inModel: insert + once(s, newest+"i DESC") + become(func(c string) string { return "excluded." + c }) + holds,
	}
}
