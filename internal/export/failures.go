package export

import (
	"cmp"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/engine"
)

// failures has the partitions for which the last attempt to export them, or to drop their rows,
// failed. The key is the partition's path.
type failures map[string]failure

type failure struct {
	text string
	wait time.Duration // the delay before the next try, which doubles each time
	next time.Time
}

// add records an error of a partition, and reports whether it differs from the partition's previous
// error.
func (f failures) add(partition string, err error, now time.Time) (news bool) {
	was, again := f[partition]
	wait := firstWait
	if again {
		wait = min(2*was.wait, longestWait)
	}
	f[partition] = failure{err.Error(), wait, now.Add(wait)}
	return !again || was.text != err.Error()
}

// keep retains the failures of the partitions in two lists, and forgets all others. The list due
// has the partitions that must be exported, and the list old has those with rows to drop.
func (f failures) keep(due, old []engine.ExportPartition) {
	wanted := map[string]bool{}
	for _, p := range slices.Concat(due, old) {
		wanted[p.Partition] = true
	}
	for partition := range f {
		if !wanted[partition] {
			delete(f, partition)
		}
	}
}

// ready returns the partitions of a list that may be tried now. Partitions with the fewest failures
// are first.
func (f failures) ready(some []engine.ExportPartition, now time.Time) (all []engine.ExportPartition) {
	for _, p := range some {
		if !now.Before(f[p.Partition].next) {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b engine.ExportPartition) int { return cmp.Compare(f[a.Partition].wait, f[b.Partition].wait) })
	return all
}

// pause returns the time until a failed partition is tried again. If that is longer than the
// argument most, it returns that argument.
func (f failures) pause(most time.Duration, now time.Time) time.Duration {
	for _, x := range f {
		most = min(most, max(x.next.Sub(now), shortestLook))
	}
	return most
}
