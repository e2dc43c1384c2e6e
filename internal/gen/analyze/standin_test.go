//go:build cgo

package analyze_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/analyze/analyzetest"
	"github.com/scoterdb/scoter/internal/gen/analyze/duckdb"
	"github.com/scoterdb/scoter/internal/gen/analyze/postgres"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

const attached = `-- BASELINE orders :source=prod
CREATE TYPE state AS ENUM ('new', 'paid');
CREATE TABLE orders (id bigint PRIMARY KEY, customer text NOT NULL, total numeric(10, 2), rate numeric, state state, tags text[], data jsonb, "at" timestamptz);
CREATE MATERIALIZED VIEW totals AS SELECT 1::bigint AS n;

-- MIGRATE 1
CREATE TABLE local (id BIGINT);

-- QUERY get_order :one
@set id = 1
SELECT o.id, o.customer, o.total, o.rate, o.state, o.tags, o.data, o."at", l.id AS lid FROM prod.public.orders o LEFT JOIN local l ON l.id = o.id WHERE o.id = ${id};

-- QUERY customers :pluck :source=prod
SELECT customer FROM prod.orders;

-- QUERY totals :pluck :source=prod
SELECT n FROM prod.totals;

-- TABLE prod.orders :appender
`

func TestQueriesOverAnAttachedPostgresHaveItsTypes(t *testing.T) {
	ctx := context.Background()
	url := os.Getenv("SCOTER_POSTGRES_URL")
	if url == "" {
		server, err := postgres.StartServer(ctx)
		if err != nil {
			t.Skip("no PostgreSQL on this machine:", err)
		}
		t.Cleanup(func() {
			if err := server.Close(); err != nil {
				t.Error(err)
			}
		})
		url = server.URL()
	}
	pg, err := postgres.Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := pg.Close(); err != nil {
			t.Error(err)
		}
	}()
	var list diag.List
	files := []*sqlfile.File{sqlfile.Parse(ir.DuckDB, "a.sql", attached, nil, &list)}
	source := ir.Source{Name: ir.NewName("prod"), SQLName: `"prod"`, Type: "postgres"}
	if ok, err := analyze.Baseline(ctx, pg, "prod", files, &list); !ok || err != nil {
		t.Fatal(ok, err, list.All())
	}
	setup, err := pg.SubstituteSchema(ctx, source)
	if err != nil {
		t.Fatal(err)
	}
	duck, err := duckdb.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = duck.Close() }()
	r, err := analyze.Run(ctx, duck, analyze.Input{Project: "p", Engine: ir.DuckDB, Files: files, Sources: []ir.Source{source}, Setup: setup}, &list)
	if err != nil || r == nil {
		t.Fatal(err, list.All())
	}
	m, err := r.Module(&list)
	if err != nil || m == nil {
		t.Fatal(err, list.All())
	}
	dump := analyzetest.Dump(m)
	for _, want := range []string{
		"id: int64<BIGINT> <- public.orders.id", "customer: text<VARCHAR> <- ", "total: decimal(10,2)<DECIMAL(10,2)>?", "rate: float64<DOUBLE>?", "state: enum orders_state<ENUM('new', 'paid')>?",
		"tags: text<VARCHAR>?[]<VARCHAR[]>?", "data: text<VARCHAR>?", "at: timestamptz<TIMESTAMPTZ>?", "lid: int64<BIGINT>?",
		"customer: text<VARCHAR> <- main.orders.customer", "n: int64<BIGINT>?", `table orders "prod"."orders"`,
	} {
		if !strings.Contains(dump, want) {
			t.Errorf("no %q in\n%s", want, dump)
		}
	}
	if len(m.Migrations) != 1 || len(m.Sources) != 1 {
		t.Error("migrations or sources")
	}
}
