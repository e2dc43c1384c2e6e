package query

import (
	"math"
	"testing"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// TestLiteralsAreWhatDuckDBMakesOfThem compares the values of literals with those that DuckDB
// computes.
func TestLiteralsAreWhatDuckDBMakesOfThem(t *testing.T) {
	conn := connect(t)
	taken := 0
	for _, typ := range []schema.Type{
		schema.Of(schema.TinyInt), schema.Of(schema.Integer), schema.Of(schema.BigInt), schema.Of(schema.UTinyInt), schema.Of(schema.UBigInt),
		schema.Of(schema.Varchar), schema.Of(schema.Double), schema.Of(schema.Date), schema.Of(schema.Boolean),
		schema.DecimalOf(15, 2), schema.DecimalOf(4, 4), schema.DecimalOf(3, 0), schema.DecimalOf(18, 3), schema.DecimalOf(38, 2), schema.Of(schema.Timestamp),
	} {
		for _, sql := range []string{"0", "7", "-7", "127", "128", "300", "2147483648", "9223372036854775807", "18446744073709551615", "1.5", "1e3",
			"'x'", "'größe'", "'7'", "'1234567890123456'", "'a text of more than sixteen bytes'", "''", "true", "NULL", "DATE '2024-01-01'", "'2024-02-29'", "'2023-02-29'", "DATE '1969-12-31'",
			"DATE '0001-01-01'", "DATE '0000-01-01'", "DATE '2024-1-1'", "'2024-01-01 '", "TIMESTAMP '2024-01-01'", "0.02", "-0.02", "0.020", "0.0001", "99.99", "999", "1000", "-999.5",
			"9999999999999.99", "99999999999999.9", "123456789012345.123", "1 + 1", "CAST('12' AS BIGINT)", "$1"} {
			node, err := conn.ParseSelect("SELECT " + sql)
			if err != nil {
				t.Fatal(err)
			}
			b := &binding{conn: conn, req: sqlquery.Request{Args: []any{int64(math.MaxInt64)}}}
			constants, ok := b.withArguments([]duck.Node{node["select_list"].([]any)[0].(duck.Node)})
			if !ok {
				t.Fatal(sql)
			}
			short, ok := literals(constants, typ)
			if !ok {
				continue
			}
			taken++
			long, err := b.evaluateInDuckDB(t.Context(), constants, typ)
			if err != nil {
				t.Fatal(err)
			}
			if len(long) != 1 {
				t.Errorf("%s for %s: %v, DuckDB gives no value", sql, typ, short)
			} else if order, ok := short[0].Compare(long[0]); !ok || order != 0 {
				t.Errorf("%s for %s: %v, DuckDB gives %v", sql, typ, short, long)
			}
		}
	}
	if taken < 60 {
		t.Errorf("%d literals were taken as they are", taken)
	}
}
