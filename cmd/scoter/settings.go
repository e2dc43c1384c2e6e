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

// settings reads the settings file, the first time that it is called, and returns its content. If a
// path is given, the file must exist.
func (c *commands) settings(path string) config.File {
	if c.file == nil {
		file, err := config.ReadFile(cmp.Or(path, "scoter.toml"), path != "")
		if err != nil {
			// The error ends the process here, because kong would report it as an error of some
			// flag.
			fail(err)
		}
		c.file = &file
	}
	return *c.file
}

// fromFile returns the value that the settings file has for a flag of serve or config. For other
// commands it returns none: their flags --dir, --database and --token say on which database the
// command works, and do not configure a server.
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
			return nil, nil // the environment overrides the file
		}
	}
	if list, ok := v.([]any); ok {
		return list, nil
	}
	return fmt.Sprint(v), nil
}

// complete adds the settings that only the settings file can have, and checks all settings.
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
	// The error is ignored, because kong has already checked the value.
	_ = l.UnmarshalText([]byte(level))
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l}))
}
