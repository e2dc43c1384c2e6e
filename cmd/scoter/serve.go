package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/version"
)

type serveCommand struct {
	config.Server `embed:""`
	Sample        int `help:"Fill the table sensor_readings with this many rows of sample data, unless it has some." placeholder:"ROWS"`
}

func (*serveCommand) Help() string {
	return "Example: scoter serve --dir /var/lib/scoter --listen 127.0.0.1:7287"
}

func (s *serveCommand) Run(ctx context.Context, c *commands) error {
	if err := c.complete(&s.Server); err != nil {
		return err
	}
	log := newLogger(s.LogLevel, os.Stderr)
	ignoreHangups(log)
	opened := context.AfterFunc(ctx, func() {
		log.Info("stopping as soon as the data directory is open; a second signal ends the process at once")
	})
	a, err := app.Open(s.Server, false, log)
	opened()
	if err != nil {
		return err
	}
	err = s.serve(ctx, a, log)
	return errors.Join(err, a.Close())
}

func (s *serveCommand) serve(ctx context.Context, a *app.App, log *slog.Logger) error {
	if s.Sample > 0 {
		if err := loadSample(ctx, a, s.Database, s.Sample); err != nil {
			return base.Wrap(err, "sample data")
		}
	}
	scheme := "http"
	if s.TLSCert != "" {
		scheme = "https"
	}
	return a.Serve(ctx, func(address string) {
		url := scheme + "://" + address
		log.Info("serving", "version", version.String(), "url", url, "dir", s.Dir)
		fmt.Printf("scoter is ready on %s\n", url)
		if s.Sample > 0 {
			fmt.Printf(samplesOfUse, url)
		}
	})
}
