// Package scoter is Scoter embedded in a Go process: the same engine as the server, without one.
//
//	db, err := scoter.Open("./data")
//	_, err = db.Exec(ctx, "CREATE TABLE t (time TIMESTAMPTZ, v DOUBLE) SORTED BY (time)")
//	_, err = db.Exec(ctx, "INSERT INTO t VALUES (now(), $1)", 2.5)
//	rows, err := db.Query(ctx, "SELECT time, v FROM t WHERE v > $1", 1)
//	for rows.Next() {
//		var at time.Time
//		var v float64
//		err = rows.Scan(&at, &v)
//	}
//	err = rows.Close()
//
// One process opens a data directory at a time. Package scotertest gives a database, or a server,
// to a test.
package scoter
