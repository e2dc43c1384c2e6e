// Package spill limits the disk space that queries use for spilling. The limit follows the free
// space of the disk, because other data needs space too.
package spill

import (
	"log/slog"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/duck/ext"
	"github.com/scoterdb/scoter/internal/vfs"
)

// share says how much of the disk queries may use for spilling: all space that would be free
// without their files, except for the last 1/share of it.
const share = 5

// every is the interval at which the free space is checked.
const every = 500 * time.Millisecond

// Limit limits the bytes that queries of a DuckDB instance may spill to the folder dir. There are
// two limits: the argument most, in bytes (0 means no such limit), and a share of the disk's free
// space. A goroutine updates the second limit until the returned function stop is called. stop
// waits until the goroutine has ended.
func Limit(inst *duck.Instance, dir string, most int64, log *slog.Logger) (stop func() error, err error) {
	if err := inst.Extend(func(conn *duck.Conn) error { return limit(conn, dir, most) }); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() { follow(inst, dir, most, log, done) })
	return func() error {
		close(done)
		looking.Wait()
		return nil
	}, nil
}

// follow updates the limit of spilling of an instance at intervals, until the channel done is
// closed. It logs an error when it first occurs, and again only after a different error.
func follow(inst *duck.Instance, dir string, most int64, log *slog.Logger, done <-chan struct{}) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	last := ""
	for {
		select {
		case <-done:
			return
		case <-ticks.C:
		}
		err := again(inst, dir, most)
		if err != nil && err.Error() != last {
			last = err.Error()
			log.Warn("could not adjust the spill limit to the free disk space", "error", err)
		}
	}
}

func again(inst *duck.Instance, dir string, most int64) error {
	conn, err := inst.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	return limit(conn, dir, most)
}

func limit(conn *duck.Conn, dir string, most int64) error {
	free, err := vfs.OS.FreeSpace(dir)
	if err != nil {
		return err
	}
	whole := int64(free) + ext.Spilled(conn.Raw())
	allowed := whole - whole/share
	if most > 0 {
		allowed = min(allowed, most)
	}
	ext.LimitSpilled(conn.Raw(), allowed)
	return nil
}
