// Package spill bounds the disk space that queries take which do not fit into memory. The bound follows the
// free space of the disk: others need it too. It needs DuckDB's C++ classes, hence a package of its own (see livescan).
package spill

/*
#cgo CFLAGS: -I${SRCDIR}/../duck/include -DDUCKDB_STATIC_BUILD -O2
#cgo CXXFLAGS: -std=c++11 -I${SRCDIR}/../duck/include -DDUCKDB_STATIC_BUILD -DNDEBUG -O2
#include "spill.h"
*/
import "C"

import (
	"log/slog"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/vfs"
)

// share is what queries may take at most of the space that would be free without them: all but one in so many bytes.
const share = 5

// every is the time between two looks at the disk.
const every = 500 * time.Millisecond

// Limit bounds what the queries of an instance spill to a folder, to most bytes (0 for no such bound) and to a share of
// the disk's free space, until the returned function is called, which waits for the end of that.
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

// follow limits the instance again and again. It is silent about an error that comes again.
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
			log.Warn("the space that queries may spill to does not follow the free space", "error", err)
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
	handle := C.duckdb_connection(conn.Raw())
	whole := int64(free) + int64(C.scoter_spilled(handle))
	allowed := whole - whole/share
	if most > 0 {
		allowed = min(allowed, most)
	}
	C.scoter_limit_spilled(handle, C.int64_t(allowed))
	return nil
}
