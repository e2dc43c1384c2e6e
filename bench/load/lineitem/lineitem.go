// Package lineitem has the table lineitem of TPC-H (a benchmark of analytical databases), and
// queries over it, for Scoter's benchmarks.
package lineitem

import "fmt"

// CreateTable returns the statement that creates the table lineitem in Scoter, with the given name.
func CreateTable(name string) string {
	return fmt.Sprintf(`CREATE TABLE %s (l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INTEGER,
	l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2), l_tax DECIMAL(15,2),
	l_returnflag VARCHAR, l_linestatus VARCHAR, l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE,
	l_shipinstruct VARCHAR, l_shipmode VARCHAR, l_comment VARCHAR) SORTED BY (l_orderkey, l_linenumber)`, name)
}

// Insert returns a statement that inserts the given number of generated rows into the table with
// the given name. The columns have as many different values as those of TPC-H's generator dbgen, in
// the same ranges.
func Insert(name string, rows int) string {
	return fmt.Sprintf(`INSERT INTO %s SELECT i // 4 + 1, hash(i, 1) %% 200000, hash(i, 2) %% 10000, i %% 4 + 1,
	hash(i, 3) %% 50 + 1, (hash(i, 4) %% 9000000 + 90000) / 100, (hash(i, 5) %% 11) / 100, (hash(i, 6) %% 9) / 100,
	['A', 'N', 'R'][(hash(i, 7) %% 3)::INTEGER + 1], ['O', 'F'][(hash(i, 8) %% 2)::INTEGER + 1],
	DATE '1992-01-02' + (hash(i, 9) %% 2500)::INTEGER, DATE '1992-02-01' + (hash(i, 10) %% 2450)::INTEGER, DATE '1992-01-05' + (hash(i, 11) %% 2550)::INTEGER,
	['DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'][(hash(i, 12) %% 4)::INTEGER + 1],
	['AIR', 'FOB', 'MAIL', 'RAIL', 'REG AIR', 'SHIP', 'TRUCK'][(hash(i, 13) %% 7)::INTEGER + 1],
	concat(w[(hash(i, 14) %% 16)::INTEGER + 1], ' ', w[(hash(i, 15) %% 16)::INTEGER + 1], ' ', hash(i, 16) %% 1000, ' ', w[(hash(i, 17) %% 16)::INTEGER + 1])
	FROM range(%d) r(i), (SELECT ['quickly', 'final', 'requests', 'above', 'the', 'carefully', 'ironic', 'deposits', 'sleep', 'furiously', 'packages', 'even', 'accounts',
		'manually', 'Repricing', 'blithely'] AS w)`, name, rows)
}

// Queries are the queries that are measured after updates of the table. They read the columns that
// the updates write. %s stands for the table's name. Each query is valid in DuckDB and in
// ClickHouse.
var Queries = []string{
	"SELECT l_returnflag, l_linestatus, sum(l_extendedprice * (1 - l_discount)) AS revenue FROM %s WHERE l_shipmode = 'AIR' GROUP BY ALL ORDER BY ALL",
	"SELECT avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*) FROM %s WHERE l_comment LIKE '%%manually%%'",
	"SELECT l_linestatus, l_returnflag, sum(l_quantity), sum(l_extendedprice), sum(l_tax) FROM %s GROUP BY ALL ORDER BY ALL",
	"SELECT l_shipmode, l_linestatus, count(*) FROM %s GROUP BY ALL ORDER BY ALL",
	"SELECT l_orderkey, l_comment FROM %s WHERE l_comment LIKE '%%manually%%Repricing%%manually%%' AND l_tax = 0.03 LIMIT 10",
	"SELECT l_shipinstruct, count(*) FROM %s WHERE l_comment LIKE '%%manually%%' GROUP BY ALL ORDER BY ALL",
	"SELECT l_linestatus, avg(l_extendedprice) FROM %s WHERE l_comment LIKE '%%Repricing%%' GROUP BY ALL ORDER BY ALL",
	"SELECT l_returnflag, l_shipinstruct, count(*) FROM %s WHERE l_orderkey < 1000000 GROUP BY ALL ORDER BY ALL",
	"SELECT count(*), sum(l_extendedprice), min(l_comment), max(l_comment) FROM %s WHERE l_discount = 0.02",
	`SELECT l_shipmode, total, dense_rank() OVER (ORDER BY total DESC) FROM (SELECT l_shipmode, sum(l_extendedprice) AS total FROM %s
	WHERE l_shipdate BETWEEN DATE '1996-01-01' AND DATE '1996-12-31' GROUP BY ALL) ORDER BY ALL`,
}
