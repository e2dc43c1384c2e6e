// Package javapostgres measures bulk writes from Java into PostgreSQL. It compares the methods of a
// published benchmark with the code that `scoter generate` writes.
package javapostgres

import (
	"archive/zip"
	"context"
	"embed"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/analyze/postgres"
)

// Options are the command-line options of the benchmark of bulk writes from Java into PostgreSQL.
type Options struct {
	Rows       []int    `help:"Sizes." default:"100,1000,10000,100000,1000000"`
	Operations []string `help:"What to measure." enum:"INSERT,UPDATE,DELETE,UPSERT" default:"INSERT,UPDATE,DELETE,UPSERT"`
	Repeat     int      `help:"Counted runs of each method, in turn, after one warm-up run." default:"5"`
	All        bool     `help:"Also run the slow methods at every size (takes hours)."`
	Keep       bool     `help:"Keep the results of an earlier run in the output folder for other sizes and operations."`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "Needs a JDK of version 22 or newer and Maven; two methods use DuckDB and need pip. PostgreSQL is embedded, on a port of this machine.\n" +
		"Every run uses a new table, and all columns of all rows are checked afterwards.\nExample: scoter-bench java-postgres --rows 1000,100000"
}

//go:embed java pom.xml queries.sql scoter.yaml
var files embed.FS

// settings are the settings of PostgreSQL for the benchmark. They differ from the defaults in two
// ways. Nothing waits for the disk, as in the published benchmark. Nothing runs in the background
// during a measurement.
var settings = []string{"wal_level=replica", "full_page_writes=on", "shared_buffers=512MB", "max_wal_size=8GB", "checkpoint_timeout=1h"}

// Run runs the benchmark of bulk writes from Java into PostgreSQL and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) error {
	program, err := env.Java(ctx, files, 22)
	if err != nil {
		return err
	}
	defer program.Close()
	port, err := freePort()
	if err != nil {
		return err
	}
	server, err := postgres.StartServer(ctx, append([]string{"listen_addresses=127.0.0.1", "port=" + port}, settings...)...)
	if err != nil {
		return err
	}
	defer server.Close()
	report := harness.NewReport("java-postgres", map[string]any{"repeat": o.Repeat, "settings": strings.Join(settings, ", ")})
	extension, err := install(ctx, program.Dir)
	if err != nil {
		report.Options["left_out"] = "the ways through DuckDB: " + err.Error()
	}
	var sizes []string
	for _, n := range o.Rows {
		sizes = append(sizes, strconv.Itoa(n))
	}
	err = program.Measure(ctx, report, "-Xms4g", "-Xmx6g", "--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/java.nio=ALL-UNNAMED",
		"--sun-misc-unsafe-memory-access=allow", "bench.Main", port, extension, strconv.Itoa(o.Repeat), strconv.FormatBool(o.All),
		strings.Join(o.Operations, ","), strings.Join(sizes, ","))
	if err != nil {
		return base.Wrap(err, "java-postgres")
	}
	if o.Keep {
		if err := report.MergeEarlier(env.Result(report)); err != nil {
			return err
		}
	}
	targets(report)
	return env.Publish(report)
}

// install downloads DuckDB's postgres extension from PyPI, in the version that the DuckDB driver
// needs, and returns its path.
func install(ctx context.Context, dir string) (string, error) {
	out, err := exec.CommandContext(ctx, "python3", "-m", "pip", "download", "-q", "--no-deps", "-d", dir, "duckdb-extension-postgres-scanner==1.5.5").CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return "", fmt.Errorf("pip: %w: %s", err, lines[len(lines)-1])
	}
	wheels, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil || len(wheels) != 1 {
		return "", fmt.Errorf("pip has put %d files into %s", len(wheels), dir)
	}
	wheel, err := zip.OpenReader(wheels[0])
	if err != nil {
		return "", err
	}
	defer wheel.Close()
	for _, f := range wheel.File {
		if path.Ext(f.Name) == ".duckdb_extension" {
			return unpack(f, filepath.Join(dir, path.Base(f.Name)))
		}
	}
	return "", fmt.Errorf("%s has no extension", filepath.Base(wheels[0]))
}

func unpack(f *zip.File, to string) (string, error) {
	from, err := f.Open()
	if err != nil {
		return "", err
	}
	defer from.Close()
	out, err := os.Create(to)
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(out, from); err != nil {
		out.Close()
		return "", err
	}
	return to, out.Close()
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", base.Errorf(base.Unavailable, "a port: %w", err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}

// targets adds the targets for generated code to the report. They are for the largest number of
// rows that was measured.
func targets(r *harness.Report) {
	largest := func(operation, own, method string) (ours, theirs *harness.Measurement) {
		for i := range r.Measurements {
			m := &r.Measurements[i]
			other := r.Measured(operation, method, m.Rows)
			if m.Operation == operation && m.Method == own && other != nil && (ours == nil || m.Rows > ours.Rows) {
				ours, theirs = m, other
			}
		}
		return ours, theirs
	}
	name := func(m *harness.Measurement, what string) string {
		return fmt.Sprintf("%s %d rows: %s", m.Operation, m.Rows, what)
	}
	if ours, file := largest("INSERT", "scoter", "COPY FROM a server's file"); ours != nil {
		r.AtMost(1.03, name(ours, "time to the server's COPY FROM a file"), harness.Median(ours.Millis)/harness.Median(file.Millis), "")
	}
	if ours, bytes := largest("INSERT", "scoter", "COPY of bytes that are there"); ours != nil {
		r.Add(name(ours, "time to COPY of bytes that are there"), harness.Median(ours.Millis)/harness.Median(bytes.Millis), "")
	}
	if ours, library := largest("INSERT", "scoter", "COPY BINARY (PgBulkInsert)"); ours != nil {
		r.AtLeast(5, name(ours, "times less of the client's CPU than PgBulkInsert"), harness.Median(library.CPU)/harness.Median(ours.CPU), "")
		if bytes := r.Measured("INSERT", "COPY of bytes that are there", ours.Rows); bytes != nil {
			// This ratio is also reported for a COPY of bytes that were encoded before the
			// measurement. It shows the processor time that the driver, the kernel and the socket
			// take without encoding.
			r.Add(name(ours, "times less of the client's CPU than PgBulkInsert, bytes that are there"), harness.Median(library.CPU)/harness.Median(bytes.CPU), "")
		}
		r.AtLeast(50, name(ours, "times less allocation than PgBulkInsert"), harness.Median(library.Allocated)/harness.Median(ours.Allocated), "")
	}
	if ours, two := largest("INSERT", "scoter", "scoter, 2 connections"); ours != nil {
		r.AtLeast(1.12, name(ours, "times as fast with 2 connections"), harness.Median(ours.Millis)/harness.Median(two.Millis), "")
	}
	for _, operation := range []string{"UPDATE", "DELETE", "UPSERT"} {
		for _, index := range []string{"", ", no index"} {
			if ours, batch := largest(operation, "scoter"+index, "JDBC batch"+index); ours != nil {
				r.AtLeast(20, name(ours, "times as fast as JDBC batch"+index), harness.Median(batch.Millis)/harness.Median(ours.Millis), "")
			}
			// This ratio is also reported for the server's statement without a client. If even the
			// statement alone is not 20 times as fast as a JDBC batch, no client can be.
			if alone, batch := largest(operation, "the statement alone", "JDBC batch"); alone != nil && index == "" {
				r.Add(name(alone, "times as fast as JDBC batch, the statement alone"), harness.Median(batch.Millis)/harness.Median(alone.Millis), "")
			}
		}
	}
}
