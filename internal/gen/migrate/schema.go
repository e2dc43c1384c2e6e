package migrate

import (
	"context"
	"errors"

	"github.com/ncruces/go-sqlite3/driver"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/analyze/sqlite"
)

// SQLiteSchema returns the statements that created the tables, indices, views and triggers of a
// SQLite file, in the order in which they were run. It only reads the file.
func SQLiteSchema(ctx context.Context, path string) (statements []string, err error) {
	fail := func(err error) ([]string, error) {
		return nil, base.Errorf(base.Unavailable, "read the schema of %s: %w", path, err)
	}
	db, err := driver.Open("file:"+escape(path)+"?mode=ro&_pragma=busy_timeout(10000)", sqlite.Extend)
	if err != nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	// Leave out the shadow tables of virtual tables: a virtual table creates them itself.
	rows, err := db.QueryContext(ctx, `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
		AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid`)
	if err != nil {
		return fail(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return fail(err)
		}
		statements = append(statements, s)
	}
	if err := rows.Err(); err != nil {
		return fail(err)
	}
	return statements, nil
}
