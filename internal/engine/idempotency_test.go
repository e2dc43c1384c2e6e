package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/vfs"
)

// TestOnlySoManyKeysAreKnown uses more idempotency keys than are remembered. The first ones are
// forgotten. The catalog has one of these, and only the log has the other.
func TestOnlySoManyKeysAreKnown(t *testing.T) {
	clock := newManualClock()
	e, err := tryOpen(vfs.NewCrashable(), clock)
	must(t, err)
	_, err = createNumbers(e, "t")
	must(t, err)
	send := func(key string) Result {
		t.Helper()
		r, err := appendNumbers(e, "t", key, 0, 1, AppendOptions{IdempotencyKey: key})
		must(t, err)
		return r
	}
	send("in the catalog")
	must(t, e.Flush(ctx))
	send("in the log")
	clock.advance(time.Second)
	for i := range maxKeys {
		c, known, err := e.acquireKey(ctx, fmt.Sprint("key ", i), nil)
		if err != nil || known != nil {
			t.Fatal(known, err)
		}
		e.resolveKey(c, Result{})
	}
	if n := len(e.keys); n != maxKeys {
		t.Errorf("%d keys are known", n)
	}
	must(t, e.Flush(ctx))
	state, err := e.catalog.State()
	must(t, err)
	if len(state.Keys) > 0 || len(e.forgottenKeys) > 0 {
		t.Errorf("the catalog has %v, to be dropped are %v", state.Keys, e.forgottenKeys)
	}
	clock.advance(time.Second)
	for _, key := range []string{"in the catalog", "in the log", "new"} {
		if send(key).Replayed || !send(key).Replayed {
			t.Errorf("%s: wrongly known or unknown", key)
		}
	}
	if n := len(e.keys); n != maxKeys {
		t.Errorf("%d keys are known", n)
	}
	clock.advance(-time.Minute)
	if send("back in time").Replayed || !send("back in time").Replayed {
		t.Error("a key that came after the clock went back: wrongly known or unknown")
	}
	clock.advance(time.Minute + e.settings.KeyLifetime)
	must(t, e.Flush(ctx))
	if len(e.keys) > 0 || len(e.finishedKeys) > 0 || len(e.forgottenKeys) > 0 {
		t.Errorf("%d, %d, %d keys are left", len(e.keys), len(e.finishedKeys), len(e.forgottenKeys))
	}
	mustEnd(t, e)
}
