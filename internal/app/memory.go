package app

import (
	"os"
	"runtime/debug"

	"github.com/scoterdb/scoter/internal/config"
)

const (
	// headroomBytes is memory that is never touched and so costs nothing but addresses. The collector
	// runs when the heap has doubled: with these bytes counted, a heap of a few megabytes may grow by
	// tens before it does. Small queries otherwise spend a tenth of their time on it.
	headroomBytes = 32 << 20
	// heapBeside is what the Go heap may hold besides patches, requests and what streams read ahead, which are seldom all full, before
	// the collector runs more often than it likes.
	heapBeside = 64 << 20
)

// TuneCollector fits Go's collector to a server of these settings. What it returns must stay reachable
// while the server runs. GOMEMLIMIT overrules the limit.
func TuneCollector(s config.Server) []byte {
	if os.Getenv("GOMEMLIMIT") == "" {
		// Of WriteMemory only patches are on the heap, up to half of it: rows are mapped beside it.
		debug.SetMemoryLimit(int64(s.WriteMemory/2+s.RequestMemory()+s.StreamMemory) + heapBeside)
	}
	return make([]byte, headroomBytes)
}
