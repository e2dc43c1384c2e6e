package updates

import (
	"fmt"
	"strings"
)

// set is one assignment in an UPDATE: a column and its new value as SQL.
type set struct{ column, value string }

// update is one UPDATE or DELETE of the benchmark. It has the condition that selects the rows, and
// the columns that an UPDATE sets.
type update struct {
	set   []set
	where string
}

func sets(pairs ...string) (out []set) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, set{"l_" + pairs[i], pairs[i+1]})
	}
	return out
}

const manually = "'repriced manually after the Repricing of the order'"

// bulk are ten updates of many rows each. The order numbers in their conditions do not grow with
// the scale factor. So the eighth update, which changes a range of order numbers, changes the same
// number of rows at every scale factor.
var bulk = []update{
	{sets("discount", "0.02", "tax", "0.05", "extendedprice", "l_extendedprice + 100", "returnflag", "'A'", "linestatus", "'F'", "shipmode", "'AIR'", "comment", manually),
		"l_commitdate = DATE '1996-02-01' AND l_quantity = 1"},
	{sets("discount", "0.03", "tax", "0.01", "extendedprice", "l_extendedprice + 200", "returnflag", "'N'", "linestatus", "'O'", "comment", manually),
		"l_commitdate = DATE '1996-07-07' AND l_quantity = 2"},
	{sets("extendedprice", "l_extendedprice + 300", "returnflag", "'R'", "linestatus", "'F'", "tax", "0.04"), "l_orderkey % 1000000 = 123456"},
	{sets("extendedprice", "l_extendedprice + 400", "linestatus", "'O'", "shipmode", "'MAIL'", "comment", manually),
		"l_receiptdate = DATE '1996-06-06' AND l_orderkey % 1000 = 777"},
	{sets("comment", manually, "discount", "0.02", "tax", "0.03"), "l_orderkey = 1000000"},
	{sets("shipinstruct", "'NONE'", "returnflag", "'A'", "comment", manually), "l_shipdate = DATE '1996-09-09' AND l_quantity = 4"},
	{sets("extendedprice", "l_extendedprice + 500", "tax", "0.06", "linestatus", "'F'", "comment", manually), "l_commitdate = DATE '1995-08-08' AND l_quantity = 5"},
	{sets("returnflag", "'R'", "shipinstruct", "'COLLECT COD'", "comment", manually), "l_orderkey < 500000 AND l_commitdate < DATE '1995-01-01'"},
	{sets("comment", manually, "discount", "0.02"), "l_suppkey BETWEEN 100 AND 110 AND l_quantity = 3"},
	{sets("discount", "0.04", "tax", "0.02", "extendedprice", "l_extendedprice + 600", "returnflag", "'N'", "linestatus", "'O'", "shipinstruct", "'NONE'", "comment", manually),
		"l_receiptdate = DATE '1997-01-15' AND l_quantity = 2"},
}

// single returns an update that sets the same columns as a bulk update, but in a single row. The
// rows for n = 0, 1, 2 ... are spread over the table.
func single(n, scale int) update {
	u := bulk[n%len(bulk)]
	u.where = fmt.Sprintf("l_orderkey = %d AND l_linenumber = 1", orderKey(n, scale))
	return u
}

// orderKey returns the number of an existing order, a different one for each n. TPC-H uses only the
// first 8 of every 32 numbers.
func orderKey(n, scale int) int { return 32*((n*7919)%(scale*187_500)) + 1 }

// share returns an update that changes one of every reciprocal rows, spread over the table.
func share(reciprocal int) update {
	u := bulk[0]
	u.where = fmt.Sprintf("(l_orderkey * 31 + l_linenumber * 7919) %% %d = 3", reciprocal)
	return u
}

// updateSQL returns the UPDATE statement for u, in the form that DuckDB, ClickHouse and Scoter
// understand.
func updateSQL(table string, u update) string {
	parts := make([]string, len(u.set))
	for i, s := range u.set {
		parts[i] = s.column + " = " + s.value
	}
	return fmt.Sprintf("UPDATE %s SET %s WHERE %s", table, strings.Join(parts, ", "), u.where)
}

func deleteSQL(table string, u update) string {
	return fmt.Sprintf("DELETE FROM %s WHERE %s", table, u.where)
}

// check is the select list of a query over a changed table. Its numbers are different for two
// systems that have changed different rows.
const check = `SELECT count(*), CAST(sum(l_extendedprice) AS DOUBLE), CAST(sum(l_tax) AS DOUBLE), CAST(sum(l_discount) AS DOUBLE), sum(length(l_comment)),
	sum(length(l_shipmode)), sum(length(l_shipinstruct)), min(l_returnflag), max(l_linestatus) FROM %s`
