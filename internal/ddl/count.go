package ddl

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// countedTable is the table name under which the query of the function countOf reads the rows that
// it counts.
const countedTable = "scoter.counted"

// countOf counts the rows of a table in a snapshot that meet a condition.
func (x *Statement) countOf(t *snapshot.Table, condition string) (int64, error) {
	return x.count(sqlquery.Request{SQL: "SELECT count(*) FROM " + countedTable + " WHERE " + condition, Transient: &sqlquery.Transient{Name: countedTable, Table: t}})
}

// count runs a query whose result is one BIGINT, and returns that number.
func (x *Statement) count(s sqlquery.Request) (int64, error) {
	s.Database = x.Request.Database
	rows, err := x.Planner.Select(x.Ctx, s)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := int64(-1)
	err = sqlquery.Each(x.Ctx, rows, func(rec arrow.RecordBatch) error {
		if rec.NumRows() > 0 {
			n = rec.Column(0).(*array.Int64).Value(0)
		}
		return nil
	})
	if err == nil && n < 0 {
		err = base.Errorf(base.Internal, "count without a row")
	}
	return n, err
}
