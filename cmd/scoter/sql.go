package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/peterh/liner"
	"golang.org/x/term"

	"github.com/scoterdb/scoter/internal/encode"
)

type sqlCommand struct {
	where   `embed:""`
	Command string `short:"c" help:"Statements to run." placeholder:"SQL"`
	Format  string `help:"Format of the result: table, csv, json, ndjson, arrow, parquet, msgpack. A table on a terminal, else CSV." enum:",table,csv,json,ndjson,arrow,parquet,msgpack" default:""`
	Output  string `short:"o" help:"File for the result; its ending names the format." placeholder:"FILE" type:"path"`
	File    string `arg:"" optional:"" help:"File with statements; - is standard input. A prompt without one." type:"path"`
}

func (*sqlCommand) Help() string {
	return `Examples:
  scoter sql -c "SELECT count(*) FROM sensor_readings"
  scoter sql --dir ./data report.sql -o report.parquet
  scoter sql                          (a prompt on the server; Ctrl-D ends it)`
}

func (s *sqlCommand) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	t, err := s.open()
	if err != nil {
		return err
	}
	err = s.run(ctx, t)
	return errors.Join(err, t.close())
}

func (s *sqlCommand) run(ctx context.Context, t target) error {
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
			return err
		}
		text = string(b)
	default:
		return s.prompt(ctx, t)
	}
	format, err := s.format()
	if err != nil {
		return err
	}
	if s.Output == "" {
		return t.sql(ctx, os.Stdout, text, format)
	}
	f, err := os.Create(s.Output)
	if err != nil {
		return err
	}
	err = t.sql(ctx, f, text, format)
	return errors.Join(err, f.Close())
}

func (s *sqlCommand) format() (encode.Format, error) {
	switch {
	case s.Format != "":
		return encode.FormatNamed(s.Format)
	case s.Output != "":
		for _, f := range []encode.Format{encode.CSV, encode.JSON, encode.NDJSON, encode.Arrow, encode.Parquet, encode.MessagePack} {
			if strings.TrimPrefix(filepath.Ext(s.Output), ".") == strings.TrimPrefix(f.Extension(), ".") {
				return f, nil
			}
		}
		return encode.CSV, nil
	case term.IsTerminal(int(os.Stdout.Fd())):
		return encode.Table, nil
	}
	return encode.CSV, nil
}

// prompt reads statements from a terminal, with history.
func (s *sqlCommand) prompt(ctx context.Context, t target) error {
	line := liner.NewLiner()
	defer line.Close()
	line.SetCtrlCAborts(true)
	history := historyFile()
	if f, err := os.Open(history); err == nil {
		_, _ = line.ReadHistory(f) // a damaged history is no reason to stop
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
		if !strings.HasSuffix(statement, ";") {
			continue
		}
		pending.Reset()
		line.AppendHistory(strings.ReplaceAll(statement, "\n", " "))
		if err := t.sql(ctx, os.Stdout, statement, encode.Table); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
		}
	}
	f, err := os.Create(history)
	if err != nil {
		return nil // nowhere to keep it
	}
	_, err = line.WriteHistory(f)
	return errors.Join(err, f.Close())
}

func historyFile() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".scoter_history")
}
