package types

import (
	"database/sql"
	"testing"

	"github.com/scoterdb/scoter/internal/schema"
)

// TestNamesAreQuotedAsDuckDBQuotesThem checks names in the types that DuckDB prints: keywords, and
// names that are not plain words.
func TestNamesAreQuotedAsDuckDBQuotesThem(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT name FROM (SELECT keyword_name AS name FROM duckdb_keywords() UNION
		SELECT unnest(['a', 'aB_9', '9a', 'a b', 'ü', '_', 'a"b', 'a$', 'Select']))`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names := 0
	for rows.Next() {
		var name, want string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names++
		if err := db.QueryRow("SELECT typeof(CAST(NULL AS STRUCT(" + schema.Quote(name) + " INTEGER)))").Scan(&want); err != nil {
			t.Fatal(err)
		}
		if got := schema.StructOf(schema.Field{Name: name, Type: schema.Of(schema.Integer)}).String(); got != want {
			t.Errorf("%s, DuckDB prints %s", got, want)
		}
	}
	if err := rows.Err(); err != nil || names < 400 {
		t.Errorf("%d names, %v", names, err)
	}
}
