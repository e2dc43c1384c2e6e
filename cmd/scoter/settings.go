package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/scoterdb/scoter/internal/config"
)

// settings returns what the settings file holds. It must be there if it has a path of its own.
func (c *commands) settings(path string) config.File {
	if c.file == nil {
		file, err := config.ReadFile(cmp.Or(path, "scoter.toml"), path != "")
		if err != nil {
			fail(err) // kong would call it an error of the flag that asked first
		}
		c.file = &file
	}
	return *c.file
}

// fromFile gives the flags of serve and config the values of the settings file. Other commands do not read it: --dir, --database and --token
// mean what a command works on there, not what a server is.
func (c *commands) fromFile(k *kong.Context, path *kong.Path, flag *kong.Flag) (any, error) {
	if path.Command == nil || path.Command.Name != "serve" && path.Command.Name != "config" {
		return nil, nil
	}
	named := slices.IndexFunc(k.Model.Flags, func(f *kong.Flag) bool { return f.Name == "config" })
	file, _ := k.FlagValue(k.Model.Flags[named]).(string)
	v, ok := c.settings(file).Values[strings.ReplaceAll(flag.Name, "-", "_")]
	if !ok {
		return nil, nil
	}
	for _, name := range flag.Tag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil // the environment wins over the file
		}
	}
	if list, ok := v.([]any); ok {
		return list, nil
	}
	return fmt.Sprint(v), nil
}

// complete adds to the settings what only the file can hold, and checks them.
func (c *commands) complete(s *config.Server) error {
	if err := config.CheckEnvironment(os.Environ()); err != nil {
		return err
	}
	file := c.settings(c.Config)
	s.Tokens, s.Sources = file.Tokens, file.Sources
	return s.Check()
}

func newLogger(level string, w io.Writer) *slog.Logger {
	var l slog.Level
	// kong has checked the value.
	_ = l.UnmarshalText([]byte(level))
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l}))
}
