package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// untilStopped returns a context that ends at Ctrl-C or SIGTERM. It is for commands that must clean
// up before they end. A second signal ends the process immediately, as kill -9 does, with the exit
// code that shells use for the signal. That loses no data, because acknowledged data is on disk. A
// command without this context ends at the first signal.
func untilStopped() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	// The process handles these signals until it ends.
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
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

// ignoreHangups makes the process log SIGHUP instead of ending. The system sends SIGHUP when the
// process's terminal is closed.
func ignoreHangups(log *slog.Logger) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP) // the process handles SIGHUP until it ends
	go func() {
		for range signals {
			log.Warn("SIGHUP is ignored: settings are only read at the start")
		}
	}()
}
