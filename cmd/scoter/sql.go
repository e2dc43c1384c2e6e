package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/peterh/liner"
	"golang.org/x/term"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

type sqlCommand struct {
	where   `embed:""`
	Command string `short:"c" help:"Statements to run." placeholder:"SQL"`
	Format  string `help:"Format of the result: table, csv, json, ndjson, arrow, parquet, msgpack. Default: table on a terminal, and csv otherwise." enum:",table,csv,json,ndjson,arrow,parquet,msgpack" default:""`
	Output  string `short:"o" help:"File for the result. Its extension names the format." placeholder:"FILE" type:"path"`
	File    string `arg:"" optional:"" help:"File with statements, or - for standard input. Without it, a prompt is shown." type:"path"`
}

func (*sqlCommand) Help() string {
	return `Examples:
  scoter sql -c "SELECT count(*) FROM sensor_readings"
  scoter sql --dir ./data report.sql -o report.parquet
  scoter sql                          (a prompt on the server; Ctrl-D ends it)`
}

func (s *sqlCommand) Run() error {
	t, err := s.open()
	if err != nil {
		return err
	}
	err = s.run(t)
	return errors.Join(err, t.close())
}

func (s *sqlCommand) run(t target) error {
	format, err := s.format()
	if err != nil {
		return err
	}
	text := s.Command
	switch {
	case text != "":
	case s.File == "-" || s.File == "" && !term.IsTerminal(int(os.Stdin.Fd())):
		b, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		text = string(b)
	case s.File != "":
		b, err := os.ReadFile(s.File)
		if err != nil {
			return base.Errorf(base.NotFound, "%w", err)
		}
		text = string(b)
	default:
		return s.prompt(t)
	}
	return interruptible(func(ctx context.Context) error {
		if s.Output == "" {
			return inText(printAll(ctx, t, text, format), text)
		}
		return inText(s.toFile(ctx, t, text, format), text)
	})
}

// interruptible calls run with a context that ends at Ctrl-C. So Ctrl-C ends a statement, and the
// prompt continues.
func interruptible(run func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return run(ctx)
}

// printAll runs the statements of a text, and prints the result of each statement that has one. It
// sends the statements one by one, because a response has only one result. In some formats, several
// results cannot follow each other in one output. For these formats it sends all statements
// together, and prints only the last result.
func printAll(ctx context.Context, t target, text string, format encode.Format) error {
	switch format {
	case encode.Table, encode.CSV, encode.JSON, encode.NDJSON:
	default:
		_, err := t.sql(ctx, os.Stdout, text, format)
		return err
	}
	statements, err := sqltoken.Script(text)
	if err != nil {
		return err
	}
	if len(statements) == 0 {
		return base.Errorf(base.Invalid, "no statement")
	}
	for i, statement := range statements {
		if _, err := t.sql(ctx, os.Stdout, statement.Text, format); err != nil {
			return session.Locate(err, statement, i, len(statements))
		}
	}
	return nil
}

// toFile runs statements and writes the result to the file of --output. It first writes a temporary
// file next to that file, and renames it when it is complete. So no program reads half a result,
// and an existing file stays if the statement fails or has no result. If the file is not a regular
// file, for example a pipe, toFile writes the result to it directly.
func (s *sqlCommand) toFile(ctx context.Context, t target, text string, format encode.Format) error {
	if f, err := openNonRegular(ctx, s.Output); err != nil {
		return err
	} else if f != nil {
		_, err = t.sql(ctx, f, text, format)
		return errors.Join(err, f.Close())
	}
	there, missing := os.Stat(s.Output)
	mode := os.FileMode(0o666)
	if missing == nil {
		mode = there.Mode().Perm()
	}
	temp := filepath.Join(filepath.Dir(s.Output), "."+filepath.Base(s.Output)+"-"+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return base.Errorf(base.Invalid, "%w", err)
	}
	result := false
	if missing == nil {
		err = f.Chmod(mode) // the umask may have removed permissions from the temporary file
	}
	if err == nil {
		result, err = t.sql(ctx, f, text, format)
	}
	err = errors.Join(err, f.Close())
	if err == nil && result {
		err = os.Rename(temp, s.Output)
	}
	if err != nil || !result {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

func (s *sqlCommand) format() (encode.Format, error) {
	switch {
	case s.Format != "":
		return encode.FormatNamed(s.Format)
	case s.Output != "":
		ending := strings.ToLower(filepath.Ext(s.Output))
		if f, ok := formatByExtension[ending]; ok {
			return f, nil
		}
		return encode.JSON, base.Errorf(base.Invalid, "the extension %q does not name a format", ending).WithHint("name the format with --format")
	case term.IsTerminal(int(os.Stdout.Fd())):
		return encode.Table, nil
	}
	return encode.CSV, nil
}

// formatByExtension maps the extensions of file names to the formats of results.
var formatByExtension = map[string]encode.Format{
	".csv": encode.CSV, ".json": encode.JSON, ".ndjson": encode.NDJSON, ".jsonl": encode.NDJSON, ".arrow": encode.Arrow,
	".arrows": encode.Arrow, ".parquet": encode.Parquet, ".msgpack": encode.MessagePack, ".txt": encode.Table,
}

// prompt reads statements from a terminal and runs them. It stores the statements in a history
// file.
func (s *sqlCommand) prompt(t target) error {
	line := liner.NewLiner()
	defer line.Close()
	line.SetCtrlCAborts(true)
	history := historyFile()
	if f, err := os.Open(history); err == nil {
		// If the history cannot be read, the prompt starts with an empty one.
		_, _ = line.ReadHistory(f)
		f.Close()
	}
	fmt.Println("End a statement with ; and the session with Ctrl-D.")
	var pending strings.Builder
	for {
		mark := "scoter> "
		if pending.Len() > 0 {
			mark = "   ...> "
		}
		text, err := line.Prompt(mark)
		if errors.Is(err, liner.ErrPromptAborted) {
			pending.Reset()
			continue
		}
		if err != nil {
			fmt.Println()
			break
		}
		pending.WriteString(text + "\n")
		statement := strings.TrimSpace(pending.String())
		if !isComplete(statement) {
			continue
		}
		pending.Reset()
		line.AppendHistory(strings.ReplaceAll(statement, "\n", " "))
		err = interruptible(func(ctx context.Context) error { return printAll(ctx, t, statement, encode.Table) })
		if err != nil {
			printError(os.Stderr, "error", inText(err, statement))
		}
	}
	f, err := os.Create(history)
	if err != nil {
		return nil // a history that cannot be stored is not an error
	}
	_, err = line.WriteHistory(f)
	return errors.Join(err, f.Close())
}

// isComplete reports whether the text that a user typed is complete, so that the prompt runs it
// instead of reading further lines. It is complete if it ends with a semicolon, or has an error
// that further lines cannot repair.
func isComplete(text string) bool {
	tokens, err := sqltoken.Split(text)
	if err != nil {
		return !errors.Is(err, sqltoken.ErrUnended)
	}
	return len(tokens) > 0 && tokens[len(tokens)-1].Is(";")
}

func historyFile() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".scoter_history")
}
