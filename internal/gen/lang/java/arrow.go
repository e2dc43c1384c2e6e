package java

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// arrowQuery writes the method that returns a query's result as Arrow: record batches, or over HTTP
// the bytes of an Arrow IPC stream.
func (g *generator) arrowQuery(q *emit.Query, params string, args []string) {
	w := &g.w
	sql := "Sql." + q.Method
	if g.ArrowSQL(q) != g.text(q) {
		sql = "Sql." + q.Arrow
	}
	arguments := strings.Join(append([]string{quote(q.Arrow), sql}, args...), ", ")
	w.Blank()
	if g.http() {
		w.Line("/** The result of %s as an Arrow IPC stream, which {@code ArrowStreamReader} of arrow-vector reads. Close it. */", q.Method)
		w.Block("public java.io.InputStream "+q.Arrow+"("+params+") throws SQLException {", "}", func() { w.Line("return this.runtime.arrow(%s);", arguments) })
		return
	}
	w.Line("/** The result of %s as Arrow record batches. Close it. */", q.Method)
	w.Block("public ScoterArrow "+q.Arrow+"("+params+") throws SQLException {", "}", func() { w.Line("return ScoterArrow.query(this.runtime, %s);", arguments) })
}

// arrowBulk writes the method of a bulk operation that takes record batches.
func (g *generator) arrowBulk(op *emit.Op) {
	g.w.Blank()
	g.w.Line("/** The same of record batches, which have just the columns of {@link %s}, in any order. It does not close the reader. */", op.RowType)
	g.w.Block("public long "+op.Method+"(org.apache.arrow.vector.ipc.ArrowReader rows) throws SQLException {", "}", func() {
		g.w.Line("return ScoterArrowBulk.run(runtime, Bulk.%s, rows);", op.Method)
	})
}
