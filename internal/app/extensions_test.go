package app

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/encode"
)

// TestTheExtensionsAreThoseThatAreLinked compares duckdb_extensions() with what DuckDB itself
// returns when it has access to files.
func TestTheExtensionsAreThoseThatAreLinked(t *testing.T) {
	settings := config.Default()
	settings.Dir = t.TempDir()
	a, err := Open(settings, false, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	const sql = "SELECT * FROM duckdb_extensions() ORDER BY extension_name"
	got := execute(t, a, sql)

	free, err := duck.Open(duck.Settings{MemoryLimitBytes: 64 << 20, ExternalAccess: true})
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	conn, err := free.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	rows, err := conn.Query(context.Background(), "SELECT * FROM duckdb_extensions() WHERE loaded ORDER BY extension_name")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var want bytes.Buffer
	if _, err := encode.Write(t.Context(), &want, encode.NDJSON, rows, encode.Options{}); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	if got != want.String() {
		t.Errorf("duckdb_extensions() is\n%s\nDuckDB has\n%s", got, want.String())
	}
}
