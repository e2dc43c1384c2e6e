package crash

import (
	"fmt"
	"strings"
	"testing"
)

func TestKillNineKeepsRowsThatMergeOnWrite(t *testing.T) {
	keeps(t, "(id BIGINT PRIMARY KEY, version BIGINT, gone BOOLEAN, note BIGINT)", onWrite)
}

// onWrite sends upserts, and UPDATE, DELETE and MERGE INTO for single and for many rows.
func onWrite(w *lastWriter) (path, body string, apply func(rows map[int]lastRow)) {
	w.next++
	note, from := w.next, w.first+w.rand.IntN(lastKeys)
	to := min(from+w.rand.IntN(30), w.first+lastKeys-1)
	each := func(f func(id int, rows map[int]lastRow)) func(rows map[int]lastRow) {
		return func(rows map[int]lastRow) {
			for id := from; id <= to; id++ {
				f(id, rows)
			}
		}
	}
	mode := []string{"", " WITH (mode = 'rewrite')", " WITH (mode = 'expression')"}[max(0, w.rand.IntN(8)-5)]
	switch w.rand.IntN(8) {
	case 0:
		to = from
		return "/api/v1/sql", fmt.Sprintf("UPDATE last SET note = %d WHERE id = %d", note, from), each(func(id int, rows map[int]lastRow) { change(rows, id, note) })
	case 1:
		return "/api/v1/sql", fmt.Sprintf("UPDATE last SET note = %d WHERE id BETWEEN %d AND %d%s", note, from, to, mode),
			each(func(id int, rows map[int]lastRow) { change(rows, id, note) })
	case 2:
		return "/api/v1/sql", fmt.Sprintf("DELETE FROM last WHERE id BETWEEN %d AND %d%s", from, to, strings.Replace(mode, "expression", "rewrite", 1)),
			each(func(id int, rows map[int]lastRow) { delete(rows, id) })
	case 3:
		return "/api/v1/sql", fmt.Sprintf(`MERGE INTO last USING range(%d, %d) AS s(i) ON last.id = s.i WHEN MATCHED AND s.i %% 3 = 0 THEN DELETE
				WHEN MATCHED THEN UPDATE SET note = %d WHEN NOT MATCHED THEN INSERT (id, version, note) VALUES (s.i, 0, %[3]d)`, from, to+1, note),
			each(func(id int, rows map[int]lastRow) {
				if _, there := rows[id]; there && id%3 == 0 {
					delete(rows, id)
				} else {
					rows[id] = lastRow{version: rows[id].version, note: note}
				}
			})
	}
	var lines strings.Builder
	for id := from; id <= to; id++ {
		fmt.Fprintf(&lines, `{"id":%d,"version":%d,"note":%d}`+"\n", id, note, note)
	}
	return "/api/v1/tables/default/last/rows", lines.String(), each(func(id int, rows map[int]lastRow) { rows[id] = lastRow{version: note, note: note} })
}

// change gives an existing row another note.
func change(rows map[int]lastRow, id, note int) {
	if r, there := rows[id]; there {
		r.note = note
		rows[id] = r
	}
}
