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
	Scoter  string `help:"The scoter program to measure. Default: the one next to this program." type:"existingfile" placeholder:"FILE"`
	Scratch string `help:"Folder for temporary data. Default: the system's temporary folder." type:"path" placeholder:"DIR"`
	Output  string `help:"Folder for the results, as JSON and as a page that opens in a browser without a network." type:"path" placeholder:"DIR"`

	Ingest       ingest.Options       `cmd:"" help:"Cost of writing rows."`
	Query        query.Options        `cmd:"" help:"Overhead of the server for a query."`
	Restart      restart.Options      `cmd:"" help:"Restart time of a killed server."`
	Telemetry    telemetry.Options    `cmd:"" help:"Dashboard queries over hosts, right after the writes and later."`
	Parts        parts.Options        `cmd:"" help:"Cost of parts that a query does not need."`
	Overlay      overlay.Options      `cmd:"" help:"Cost of changed rows for later queries."`
	Updates      updates.Options      `cmd:"" help:"Cost of changing rows, compared with DuckDB, DuckLake and ClickHouse."`
	Decode       decode.Options       `cmd:"" help:"Protobuf messages to Arrow batches."`
	Stream       e2e.Options          `cmd:"" help:"Messages from Kafka into tables."`
	Bulk         bulk.Options         `cmd:"" help:"Bulk writes from Go, Python and TypeScript, compared with hand-written code."`
	JavaDuckDB   javaduckdb.Options   `cmd:"" name:"java-duckdb" help:"Bulk writes from Java into DuckDB."`
	JavaPostgres javapostgres.Options `cmd:"" name:"java-postgres" help:"Bulk writes from Java into PostgreSQL."`
	SQLite       sqlite.Options       `cmd:"" name:"sqlite" aliases:"sqlite-node" help:"Overhead of generated code over hand-written statements, on every SQLite driver."`
	ClickBench   clickbench.Options   `cmd:"" name:"clickbench" help:"Overhead over DuckDB in 43 analytical queries."`
}

// exitUsage is the exit code for an invalid command line (EX_USAGE).
const exitUsage = 64

func main() {
	var b benchmarks
	parser, err := kong.New(&b,
		kong.Name("scoter-bench"),
		kong.Description("Measures the speed of the server and the cost of its features.\nExample: scoter-bench ingest --output bench/results"),
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
// benchmark can remove its data and stop its servers. A second signal ends the process immediately.
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
