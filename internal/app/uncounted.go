package app

import (
	"bytes"
	"os"
	"runtime/metrics"
	"strconv"

	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/mapped"
)

// listMemory returns the figures of all accounts of memory, and of memory that no account counts.
// The latter have no limit. The accounts without a parent, and the memory that no account counts,
// are together about the anonymous memory of the process.
func (a *App) listMemory() []ledger.Stats {
	observeDuckDB(a.memory)
	all := append(a.memory.Stats(), uncounted(a.memory, int64(len(a.watch.headroom)))...)
	return append(all, ledger.Stats{Account: "program", Used: a.program, Limit: ledger.NoLimit})
}

// programMemory returns how many bytes of anonymous memory the process has at the moment in
// addition to those that listMemory returns. Open calls it when the database is open. These bytes
// are the program's own data, SQLite, and memory of C libraries. The result is 0 on systems that do
// not tell the anonymous memory of a process.
func (a *App) programMemory() int64 {
	known := int64(0)
	for _, s := range a.listMemory() {
		if s.Parent == "" {
			known += s.Used
		}
	}
	return max(0, anonymousMemory()-known)
}

// anonymousMemory returns the resident memory of the process in bytes, without memory that belongs
// to files. It is 0 if the system does not tell.
func anonymousMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, line, _ := bytes.Cut(status, []byte("\nRssAnon:"))
	fields := bytes.Fields(line)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// uncounted returns the memory that no account counts. The argument headroom is the size in bytes
// of an allocation that takes only addresses. The memory is:
//   - other_heap: objects on Go's heap, including garbage
//   - free_heap: memory that Go's runtime holds for its heap and does not use, and its stacks
//   - free_mapped: mapped memory for rows that is not used
func uncounted(memory *ledger.Ledger, headroom int64) []ledger.Stats {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	objects, all, released := int64(samples[0].Value.Uint64()), int64(samples[1].Value.Uint64()), int64(samples[2].Value.Uint64())
	rows := memory.Rows.Used() - memory.Patches.Used()
	return []ledger.Stats{
		{Account: "other_heap", Used: max(0, objects-memory.Heap()-headroom), Limit: ledger.NoLimit},
		{Account: "free_heap", Used: max(0, all-released-objects), Limit: ledger.NoLimit},
		{Account: "free_mapped", Used: max(0, mapped.Shared.Bytes()-rows), Limit: ledger.NoLimit},
	}
}
