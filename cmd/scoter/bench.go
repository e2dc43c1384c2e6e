package main

import (
	"os"

	"github.com/alecthomas/kong"

	"github.com/scoterdb/scoter/bench/bulk"
	"github.com/scoterdb/scoter/bench/clickbench"
	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/bench/ingest"
	"github.com/scoterdb/scoter/bench/javaduckdb"
	"github.com/scoterdb/scoter/bench/javapostgres"
	"github.com/scoterdb/scoter/bench/overlay"
	"github.com/scoterdb/scoter/bench/parts"
	"github.com/scoterdb/scoter/bench/query"
	"github.com/scoterdb/scoter/bench/restart"
	"github.com/scoterdb/scoter/bench/sqlite"
	"github.com/scoterdb/scoter/bench/stream/decode"
	"github.com/scoterdb/scoter/bench/stream/e2e"
	"github.com/scoterdb/scoter/bench/telemetry"
	"github.com/scoterdb/scoter/bench/updates"
)

// benchCommand runs the benchmarks in bench/, each a folder with its flags.
type benchCommand struct {
	Scratch string `help:"Folder for data, which is removed afterwards; the system's temporary one if empty." type:"path" placeholder:"DIR"`
	Output  string `help:"Folder for the results, as JSON and as a page that opens in a browser without a network." type:"path" placeholder:"DIR"`

	Ingest       ingest.Options       `cmd:"" help:"What it costs to take rows."`
	Query        query.Options        `cmd:"" help:"What the server adds to a query."`
	Restart      restart.Options      `cmd:"" help:"How long a server that was killed takes until it serves."`
	Telemetry    telemetry.Options    `cmd:"" help:"Dashboard queries of hosts, right after the rows came and later."`
	Parts        parts.Options        `cmd:"" help:"What parts that a query does not need cost it."`
	Overlay      overlay.Options      `cmd:"" help:"What changes of rows cost the queries after them."`
	Updates      updates.Options      `cmd:"" help:"What changes of rows cost, beside DuckDB, DuckLake and ClickHouse."`
	Decode       decode.Options       `cmd:"" help:"Protobuf messages into Arrow batches."`
	Stream       e2e.Options          `cmd:"" help:"Messages from Kafka into tables."`
	Bulk         bulk.Options         `cmd:"" help:"Bulk writes from Go, Python and TypeScript into DuckDB, PostgreSQL and SQLite, against those by hand."`
	JavaDuckDB   javaduckdb.Options   `cmd:"" name:"java-duckdb" help:"Bulk writes from Java into DuckDB, every way."`
	JavaPostgres javapostgres.Options `cmd:"" name:"java-postgres" help:"Bulk writes from Java into PostgreSQL, every way."`
	SQLite       sqlite.Options       `cmd:"" name:"sqlite" aliases:"sqlite-node" help:"What generated code costs over statements by hand, on every SQLite driver."`
	ClickBench   clickbench.Options   `cmd:"" name:"clickbench" help:"What Scoter adds to DuckDB, over 43 analytical queries."`
}

func (*benchCommand) Help() string {
	return "Example: scoter bench ingest --output bench/results"
}

// AfterApply gives the chosen benchmark its surroundings.
func (b *benchCommand) AfterApply(k *kong.Context) error {
	k.Bind(&harness.Env{Dir: b.Scratch, Output: b.Output, Table: os.Stdout})
	return nil
}
