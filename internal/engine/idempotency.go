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

// claim is the idempotency record of a key, from the start of its first request on. While done is
// open, the request is running. After done is closed, there are two cases:
//   - The request succeeded: repetitions get result, for Settings.KeyLifetime, or until maxKeys
//     later requests finished.
//   - withdrawn is set: the request failed, and another request may use the key.
type claim struct {
	key     string
	hash    []byte
	expires time.Time
	done    chan struct{}
	// undecided, if not nil, receives the outcome of the request. It is set if the caller gave up
	// while the committer had the request. Only the goroutine that runs the request uses it.
	undecided <-chan outcome

	// The fields below are guarded by keysMu until done is closed. From then on they are constant.
	result    Result
	withdrawn bool
	// stored says that the catalog has a record of the key, with this result or with that of an
	// earlier request. Guarded by keysMu.
	stored bool
}

// maxKeys bounds the number of remembered idempotency records. They take about 200 MB.
const maxKeys = 500_000

// rememberLocked adds the record of a request that succeeded.
func (e *Engine) rememberLocked(c *claim) {
	e.keysInOrder = append(e.keysInOrder, c)
	if len(e.keysInOrder) > maxKeys {
		e.forgetKeyLocked()
	}
}

// expireKeysLocked forgets expired records. It stops at the first record, in the order in which
// requests finished, that has not expired. If the clock was set back, or a request took long, an
// expired record may come after it, and is remembered longer.
func (e *Engine) expireKeysLocked() {
	for now := e.now(); len(e.keysInOrder) > 0 && !now.Before(e.keysInOrder[0].expires); {
		e.forgetKeyLocked()
	}
}

// forgetKeyLocked forgets the record of the request that finished first. That need not be the
// record that expires first: if the clock was set back, that one may have just been added, and its
// client may still repeat the request.
func (e *Engine) forgetKeyLocked() {
	c := e.keysInOrder[0]
	e.keysInOrder[0] = nil // the array stays for a while, so it must not keep the record
	e.keysInOrder = e.keysInOrder[1:]
	if e.keys[c.key] != c {
		return // during replay, a later request has replaced the record
	}
	delete(e.keys, c.key)
	if c.stored {
		e.keysGone[c.key] = true
	}
}

// Once runs a request with an idempotency key. If the request is a repetition, it is not run, and
// Once returns the result of the first one. run gets the options that it must pass to the one
// Append, Commit or Load that does the work, which stores the idempotency record. If run calls none
// of them, because there is nothing to do, Once stores the record.
//
// Errors: those of run; Invalid for a key that is too long; Conflict for a key that was used for
// another body.
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

// putKey adds the idempotency record of o to an edit, for a request that is committed by this edit
// alone. It also adds the removal of expired records. A flush does that, too, but a client that
// only loads may cause no flush.
func (e *Engine) putKey(o AppendOptions, edit *catalog.Edit, result Result) {
	if o.claim != nil {
		edit.PutKeys = append(edit.PutKeys, o.claim.resultsIn(result))
		edit.DropKeys = e.storedExpired()
	}
}

// keyPut updates the idempotency records in memory, after an edit of putKey is stored.
func (e *Engine) keyPut(o AppendOptions, edit *catalog.Edit, result Result) {
	if o.claim != nil {
		e.resolveClaim(o.claim, result)
		e.keysStored(edit)
	}
}

// maxKeyBytes is the greatest length of an idempotency key.
const maxKeyBytes = 256

// claimKey looks up an idempotency key. If it is new, claimKey returns a new record, and the caller
// runs the request. If it is known, claimKey returns the result of the first request, and waits for
// it if that request is still running. If the key was used with another body, the error is
// Conflict.
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

// resolveClaim records that a request was committed with a result. It returns the record for the
// catalog.
func (e *Engine) resolveClaim(c *claim, result Result) catalog.Key {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	c.result = result
	close(c.done)
	e.rememberLocked(c)
	return c.toCatalog()
}

// withdrawClaim makes the key of a failed request available again.
func (e *Engine) withdrawClaim(c *claim) {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	if c.resolved() {
		return
	}
	c.withdrawn = true
	delete(e.keys, c.key)
	if c.stored {
		e.keysGone[c.key] = true // the catalog still has the record of an earlier request
	}
	close(c.done)
}

// resultsIn returns the record that the catalog gets if the request commits with this result.
func (c *claim) resultsIn(result Result) catalog.Key {
	resolved := claim{key: c.key, hash: c.hash, expires: c.expires, result: result}
	return resolved.toCatalog()
}

func (c *claim) toCatalog() catalog.Key {
	// Marshal does not fail, because a Result has only numbers.
	result, _ := json.Marshal(c.result)
	return catalog.Key{Key: c.key, BodyHash: c.hash, Result: result, Expires: c.expires}
}

// restoreClaim makes a record in memory from one of the catalog: it is the inverse of toCatalog.
func restoreClaim(k catalog.Key) (*claim, error) {
	c := &claim{key: k.Key, hash: k.BodyHash, expires: k.Expires, done: make(chan struct{})}
	stored := struct {
		*Result
		Rows int64 `json:"rows"` // earlier versions of Scoter stored only this count
	}{Result: &c.result}
	if err := json.Unmarshal(k.Result, &stored); err != nil {
		return nil, base.Errorf(base.Corrupt, "idempotency key %q: %w", k.Key, err)
	}
	c.result.Inserted += stored.Rows
	close(c.done)
	return c, nil
}

// storedExpired returns the keys whose records are expired or forgotten, but still in the catalog.
func (e *Engine) storedExpired() []string {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	e.expireKeysLocked()
	return slices.Sorted(maps.Keys(e.keysGone))
}

// known returns those of the records whose key the engine still remembers.
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

// keysStored updates what is known of the catalog's records, after an edit was stored.
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
			e.keysGone[k.Key] = true // forgotten since the edit was made
		}
	}
}
