// Command scoter-bench runs the benchmarks in bench/. They are a separate program, so that the
// server's binary does not contain their dependencies.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

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
	"github.com/scoterdb/scoter/internal/base"
)

// benchmarks are the subcommands. Each benchmark is a folder in bench/, and has flags of its own.
type benchmarks struct {
	Scoter  string `help:"The scoter program that is measured; the one beside this program if empty." type:"existingfile" placeholder:"FILE"`
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

// exitUsage is the exit code for an invalid command line (EX_USAGE).
const exitUsage = 64

func main() {
	var b benchmarks
	parser, err := kong.New(&b,
		kong.Name("scoter-bench"),
		kong.Description("Measures what the server does and what it costs.\nExample: scoter-bench ingest --output bench/results"),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindToProvider(untilStopped),
	)
	if err != nil {
		fail(err)
	}
	ctx, err := parser.Parse(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "scoter-bench: %v\n  hint: scoter-bench --help\n", err)
		os.Exit(exitUsage)
	}
	if err := ctx.Run(&harness.Env{Scoter: b.Scoter, Dir: b.Scratch, Output: b.Output, Table: os.Stdout}); err != nil {
		fail(err)
	}
}

// untilStopped returns a context that ends at the first Ctrl-C or SIGTERM. So an interrupted
// benchmark can remove its data and stop its servers. A second signal ends the process at once.
func untilStopped() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx
}

// fail prints an error with its hint, and exits with the exit code that belongs to the error's
// kind.
func fail(err error) {
	fmt.Fprintln(os.Stderr, "scoter-bench:", err)
	if e := new(base.Error); errors.As(err, &e) && e.Hint != "" {
		fmt.Fprintln(os.Stderr, "  hint:", e.Hint)
	}
	os.Exit(base.KindOf(err).ExitCode())
}
