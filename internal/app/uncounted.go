package app

import (
	"runtime/metrics"

	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/mapped"
)

// listMemory returns the figures of all accounts of memory, and of memory that no account counts.
// The latter have no limit. The accounts without a parent, and the memory that no account counts,
// are together about the anonymous memory of the process.
func (a *App) listMemory() []ledger.Stats {
	observeDuckDB(a.memory)
	return append(a.memory.Stats(), uncounted(a.memory, int64(len(a.watch.headroom)))...)
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
