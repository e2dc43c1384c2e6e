package engine

import (
	"fmt"
	"testing"

	"github.com/scoterdb/scoter/internal/vfs"
	"golang.org/x/sync/errgroup"
)

func TestWritersThatWaitForMemoryCutNoSmallGenerations(t *testing.T) {
	e := &Engine{settings: Settings{}.withDefaults(), clock: systemClock{}, active: newGeneration(2)}
	e.active.frames, e.active.born = 1, e.now()
	if !e.due(true) {
		t.Error("nothing is being flushed, and the rows that fill the memory are not either")
	}
	e.generations = []*generation{newGeneration(1)}
	if e.due(true) {
		t.Error("a small generation is frozen although another is being flushed")
	}
}

// Whoever waits while a generation is flushed and needs more than it frees must not wait
// for ever.
func TestAllWritersGetTheirTurnWhenMemoryIsShort(t *testing.T) {
	settings := Settings{MemoryBytes: 1 << 20}
	e, err := Open("/db", settings, Components{FS: vfs.NewCrashable(), Logger: quiet, PoisonMemory: true})
	must(t, err)
	_, err = createNumbers(e, "t")
	must(t, err)
	const writers, requests, rows = 8, 5, 10_000
	var group errgroup.Group
	for w := range writers {
		group.Go(func() error {
			for r := range requests {
				if _, err := appendNumbers(e, "t", fmt.Sprintf("w%d", w), r*rows, rows, AppendOptions{}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	must(t, group.Wait())
	found, err := readNumbers(e, "t")
	must(t, err)
	if len(found) != writers*requests*rows {
		t.Fatalf("%d rows", len(found))
	}
	must(t, e.Close())
}
