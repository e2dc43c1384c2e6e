package overlay

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
)

// Violation returns the index of the first row for which an SQL condition is false, or -1 if there
// is none. If the condition is NULL for a row, the row does not violate it. The condition may use
// the columns of the table. The rows must have storage types.
func (o *Overlay) Violation(table schema.Table, condition string, rows arrow.RecordBatch) (int64, error) {
	view := memtable.View{Rowset: 1, Schema: table, Batches: []memtable.Batch{{Record: rows}}, Rows: rows.NumRows()}
	s, err := newScan(table, []memtable.View{view}, nil, nil)
	if err != nil {
		return -1, err
	}
	defer s.Close()
	sql := fmt.Sprintf("SELECT coalesce(min("+schema.OrdinalColumn+"), -1) FROM (SELECT %s, "+schema.OrdinalColumn+" FROM %s(%d)) AS %s WHERE (%s) IS FALSE",
		projection(table, table), scanFunction, s.id, schema.Quote(table.Name), condition)
	found, err := o.read(context.Background(), sql)
	if err != nil {
		return -1, base.Wrap(err, "check of table %s", table.QualifiedName())
	}
	defer found.Release()
	return found.Column(0).(*array.Int64).Value(0), nil
}
