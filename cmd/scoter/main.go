// Command scoter is the server of Scoter, together with its tools. Each subcommand has a file of
// its own.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
)

// commands are the subcommands with their flags. The library kong reads this struct, which defines
// the flags, the environment variables, the names in the settings file and their documentation.
type commands struct {
	Config  string         `help:"Settings file (TOML) for serve and config. Default: scoter.toml, if it exists." env:"SCOTER_CONFIG" placeholder:"FILE"`
	Serve   serveCommand   `cmd:"" help:"Run the server."`
	SQL     sqlCommand     `cmd:"" name:"sql" help:"Run SQL, on a data directory or a server."`
	Load    loadCommand    `cmd:"" help:"Load files into a table."`
	Backup  backupCommand  `cmd:"" help:"Copy a database, while it is in use, into one file."`
	Restore restoreCommand `cmd:"" help:"Restore a backup into a new data directory."`
	Check   checkCommand   `cmd:"" help:"Verify a data directory."`
	Inspect inspectCommand `cmd:"" help:"Print a part, a patch, a log segment or the catalog as text."`
	Token   tokenCommand   `cmd:"" help:"Create an access token."`
	Show    configCommand  `cmd:"" name:"config" help:"Print the settings in effect."`
	typedSQL
	Version versionCommand `cmd:"" help:"Print the version."`

	// file is the content of the settings file. It is nil until the method settings is called.
	file *config.File
}

func main() {
	var c commands
	parser, err := kong.New(&c,
		kong.Name("scoter"),
		kong.Description("A real-time analytical database on DuckDB and Parquet."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindToProvider(untilStopped),
		kong.Resolvers(kong.ResolverFunc(c.fromFile)),
		kong.Vars{"server": defaultURL},
	)
	if err != nil {
		fail(err)
	}
	ctx, err := parser.Parse(os.Args[1:])
	if err != nil {
		printUsageError(err)
	}
	if err := ctx.Run(&c); err != nil {
		fail(err)
	}
}

// exitUsage is the exit code for an invalid command line (EX_USAGE).
const exitUsage = 64

// printUsageError prints an error about the command line and the command that prints the help. Then
// it ends the process with exitUsage.
func printUsageError(err error) {
	help := "scoter --help"
	if e := new(kong.ParseError); errors.As(err, &e) && e.Context.Command() != "" {
		help = "scoter " + strings.Fields(e.Context.Command())[0] + " --help"
	}
	fmt.Fprintf(os.Stderr, "scoter: %v\n  hint: %s\n", err, help)
	os.Exit(exitUsage)
}

// fail prints an error for people. Then it ends the process with the exit code that belongs to the
// error's kind.
func fail(err error) {
	if code := exitCode(0); errors.As(err, &code) {
		os.Exit(int(code))
	}
	printError(os.Stderr, "scoter", err)
	os.Exit(base.KindOf(err).ExitCode())
}
