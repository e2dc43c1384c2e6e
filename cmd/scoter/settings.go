package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/scoterdb/scoter/internal/config"
)

// settingsPath finds the settings file before the flags are parsed, since it gives them
// their defaults.
func settingsPath(args []string) (path string, explicit bool) {
	for i, a := range args {
		if value, ok := strings.CutPrefix(a, "--config="); ok {
			return value, true
		}
		if a == "--config" && i+1 < len(args) {
			return args[i+1], true
		}
	}
	if path := os.Getenv("SCOTER_CONFIG"); path != "" {
		return path, true
	}
	return "scoter.toml", false
}

// resolver gives flags the values of the settings file.
func resolver(values map[string]any) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		v, ok := values[strings.ReplaceAll(flag.Name, "-", "_")]
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
	})
}

// complete adds to the settings what only the file can hold, and checks them.
func (c *commands) complete(s *config.Server) error {
	s.Tokens, s.Sources = c.file.Tokens, c.file.Sources
	return s.Check()
}

func newLogger(level string, w io.Writer) *slog.Logger {
	var l slog.Level
	// kong has checked the value.
	_ = l.UnmarshalText([]byte(level))
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l}))
}
