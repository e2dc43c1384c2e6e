package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// untilStopped is the context of a command that has something to end: it is over at Ctrl-C, or when
// the system asks the process to go. A second signal ends the process at once, as kill -9 does,
// with the exit code that shells give for the signal: what was acknowledged is on disk. A command
// without this context ends at the first one.
func untilStopped() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM) // until the process ends
	go func() {
		<-signals
		cancel()
		second := <-signals
		fmt.Fprintln(os.Stderr, "scoter: ended at once by a second signal")
		code := exitUsage
		if s, ok := second.(syscall.Signal); ok {
			code = 128 + int(s)
		}
		os.Exit(code)
	}()
	return ctx
}

// ignoreHangups keeps SIGHUP from ending the process, as it would when the terminal is closed, and
// logs it.
func ignoreHangups(log *slog.Logger) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP) // until the process ends
	go func() {
		for range signals {
			log.Warn("SIGHUP is ignored: settings are read at the start alone")
		}
	}()
}
