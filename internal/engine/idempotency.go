package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// claim is an idempotency key, from its first request on. While done is open the request
// is on its way; once it is closed, either the result stands for Settings.KeyLifetime, or until maxKeys others came later, or the claim
// was withdrawn because the request failed, and the key is free again.
type claim struct {
	key     string
	hash    []byte
	expires time.Time
	done    chan struct{}
	// undecided is where the outcome will come of a request that the committer has, whose caller gave up. Of the goroutine that has the claim.
	undecided <-chan outcome

	// Guarded by keysMu until done is closed, then constant.
	result    Result
	withdrawn bool
	stored    bool // guarded by keysMu: the catalog has the key, with this result or that of an earlier claim
}

// maxKeys bounds how many keys are known, and so their memory: some 200 MB.
const maxKeys = 500_000

// rememberLocked takes in a claim whose result stands now.
func (e *Engine) rememberLocked(c *claim) {
	e.keysInOrder = append(e.keysInOrder, c)
	if len(e.keysInOrder) > maxKeys {
		e.forgetKeyLocked()
	}
}

// expireKeysLocked forgets the claims whose time is over. They go in the order in which they came: after the clock went back, or a request took
// long, a claim is known until those before it go.
func (e *Engine) expireKeysLocked() {
	for now := e.now(); len(e.keysInOrder) > 0 && !now.Before(e.keysInOrder[0].expires); {
		e.forgetKeyLocked()
	}
}

// forgetKeyLocked forgets the claim whose result stands for longest. Not the one that expires next: when the clock went back, that is one that
// has just come, which its client may send again.
func (e *Engine) forgetKeyLocked() {
	c := e.keysInOrder[0]
	e.keysInOrder[0] = nil // the array stays for a while
	e.keysInOrder = e.keysInOrder[1:]
	if e.keys[c.key] != c {
		return // replayed once more since, by a later request
	}
	delete(e.keys, c.key)
	if c.stored {
		e.keysGone[c.key] = true
	}
}

// Once runs a request, unless it is the repetition of one: then it returns the first one's result. run gets the options for the one Append, Commit or Load
// that does what the request is about; the key is stored with it. Of a request that did nothing it is stored by itself.
//
// Errors: those of run; Invalid for a key that is too long; Conflict for one that was used otherwise.
func (e *Engine) Once(ctx context.Context, o AppendOptions, run func(AppendOptions) (Result, error)) (Result, error) {
	if o.IdempotencyKey == "" {
		return run(o)
	}
	c, known, err := e.claimKey(ctx, o.IdempotencyKey, o.BodyHash)
	if err != nil {
		return Result{}, err
	}
	if known != nil {
		return *known, nil
	}
	o.IdempotencyKey, o.BodyHash, o.claim = "", nil, c
	result, err := run(o)
	if err == nil && !c.resolved() {
		r := newRequest(AppendOptions{Async: o.Async, claim: c})
		r.counts = result.Counts
		result, err = e.submit(ctx, r)
	}
	switch {
	case err == nil:
	case c.undecided != nil:
		go func() {
			if out := <-c.undecided; out.err != nil {
				e.withdrawClaim(c)
			}
		}()
	default:
		e.withdrawClaim(c)
	}
	return result, err
}

// putKey adds to an edit what is to be remembered of a request that it is all of. Keys whose time is over go with it: who only loads
// flushes nothing.
func (e *Engine) putKey(o AppendOptions, edit *catalog.Edit, result Result) {
	if o.claim != nil {
		edit.PutKeys = append(edit.PutKeys, o.claim.resultsIn(result))
		edit.DropKeys = e.storedExpired()
	}
}

// keyPut is called where the edit of putKey shows.
func (e *Engine) keyPut(o AppendOptions, edit *catalog.Edit, result Result) {
	if o.claim != nil {
		e.resolveClaim(o.claim, result)
		e.keysStored(edit)
	}
}

// maxKeyBytes bounds what a client may have remembered.
const maxKeyBytes = 256

// claimKey makes the caller the one who executes the request of a key, or returns the
// result of the request that was. A request of the same key that is on its way is waited for. The
// same key with another body is a Conflict.
func (e *Engine) claimKey(ctx context.Context, key string, hash []byte) (*claim, *Result, error) {
	if len(key) > maxKeyBytes {
		return nil, nil, base.Errorf(base.Invalid, "an idempotency key of %d bytes: the limit is %d", len(key), maxKeyBytes)
	}
	for {
		e.keysMu.Lock()
		e.expireKeysLocked()
		c := e.keys[key]
		if c == nil {
			fresh := &claim{key: key, hash: bytes.Clone(hash), expires: e.now().Add(e.settings.KeyLifetime), done: make(chan struct{}), stored: e.keysGone[key]}
			delete(e.keysGone, key)
			e.keys[key] = fresh
			e.keysMu.Unlock()
			return fresh, nil, nil
		}
		e.keysMu.Unlock()
		if !bytes.Equal(c.hash, hash) {
			return nil, nil, base.Errorf(base.Conflict, "idempotency key %q was used for a request with another body", key).
				WithHint("use a new key for a new request")
		}
		select {
		case <-c.done:
		case <-ctx.Done():
			return nil, nil, base.Wrap(ctx.Err(), "wait for the first request with idempotency key %q", key)
		}
		if !c.withdrawn {
			result := c.result
			result.Replayed = true
			return nil, &result, nil
		}
	}
}

func (c *claim) resolved() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// resolveClaim records the result of a committed request and returns what the catalog keeps.
func (e *Engine) resolveClaim(c *claim, result Result) catalog.Key {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	c.result = result
	close(c.done)
	e.rememberLocked(c)
	return c.toCatalog()
}

// withdrawClaim frees the key of a request that failed.
func (e *Engine) withdrawClaim(c *claim) {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	if c.resolved() {
		return
	}
	c.withdrawn = true
	delete(e.keys, c.key)
	if c.stored {
		e.keysGone[c.key] = true // an earlier one
	}
	close(c.done)
}

// resultsIn returns what the catalog is to keep if the claim's request commits with a result.
func (c *claim) resultsIn(result Result) catalog.Key {
	resolved := claim{key: c.key, hash: c.hash, expires: c.expires, result: result}
	return resolved.toCatalog()
}

func (c *claim) toCatalog() catalog.Key {
	// Result is numbers: it cannot fail to encode.
	result, _ := json.Marshal(c.result)
	return catalog.Key{Key: c.key, BodyHash: c.hash, Result: result, Expires: c.expires}
}

// restoreClaim is the inverse of toCatalog, at open.
func restoreClaim(k catalog.Key) (*claim, error) {
	c := &claim{key: k.Key, hash: k.BodyHash, expires: k.Expires, done: make(chan struct{})}
	stored := struct {
		*Result
		Rows int64 `json:"rows"` // how many there were, where an earlier version says nothing else
	}{Result: &c.result}
	if err := json.Unmarshal(k.Result, &stored); err != nil {
		return nil, base.Errorf(base.Corrupt, "idempotency key %q: %w", k.Key, err)
	}
	c.result.Inserted += stored.Rows
	close(c.done)
	return c, nil
}

// storedExpired returns the keys that the catalog is to drop.
func (e *Engine) storedExpired() []string {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	e.expireKeysLocked()
	return slices.Sorted(maps.Keys(e.keysGone))
}

// known returns those of a generation's keys that are known still.
func (e *Engine) known(all []catalog.Key) (known []catalog.Key) {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	e.expireKeysLocked()
	for _, k := range all {
		if c := e.keys[k.Key]; c != nil && c.resolved() && c.expires.Equal(k.Expires) {
			known = append(known, k)
		}
	}
	return known
}

// keysStored notes which keys the catalog has after an edit.
func (e *Engine) keysStored(edit *catalog.Edit) {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	for _, key := range edit.DropKeys {
		delete(e.keysGone, key)
		if c := e.keys[key]; c != nil {
			c.stored = false
		}
	}
	for _, k := range edit.PutKeys {
		if c := e.keys[k.Key]; c != nil {
			c.stored = true
		} else {
			e.keysGone[k.Key] = true // forgotten meanwhile
		}
	}
}
