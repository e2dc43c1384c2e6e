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

// idempotencyRecord is the idempotency record of a key, from the start of the first request with
// that key. While the channel done is open, the request is running. After done is closed, there are
// two cases:
//   - The request succeeded. Repeated requests get the field result, for Settings.KeyLifetime, or
//     until maxKeys later requests have finished.
//   - The request failed, and withdrawn is set. Another request may use the key.
type idempotencyRecord struct {
	key     string
	hash    []byte
	expires time.Time
	done    chan struct{}
	// outcome, if not nil, receives the outcome of the request. It is set if the caller gave up
	// waiting while the committer had the request. Only the goroutine that runs the request uses
	// it.
	outcome <-chan outcome

	// keysMu guards the fields result and withdrawn until done is closed. From then on they are
	// constant.
	result    Result
	withdrawn bool
	// stored says that the catalog has a record of the key, either with this result or with that of
	// an earlier request. It is guarded by keysMu.
	stored bool
}

// maxKeys is the maximum number of idempotency records that the engine remembers. They take about
// 200 MB.
const maxKeys = 500_000

// rememberLocked adds the idempotency record of a request that succeeded. The caller must hold
// keysMu.
func (e *Engine) rememberLocked(c *idempotencyRecord) {
	e.finishedKeys = append(e.finishedKeys, c)
	if len(e.finishedKeys) > maxKeys {
		e.forgetKeyLocked()
	}
}

// expireKeysLocked forgets expired idempotency records, in the order in which their requests
// finished. It stops at the first record that has not expired. An expired record may come after
// that one, if the clock was set back or a request took long. Such a record is remembered longer.
// The caller must hold keysMu.
func (e *Engine) expireKeysLocked() {
	for now := e.now(); len(e.finishedKeys) > 0 && !now.Before(e.finishedKeys[0].expires); {
		e.forgetKeyLocked()
	}
}

// forgetKeyLocked forgets the idempotency record of the request that finished first. It does not
// choose the record that expires first. If the clock was set back, that record may have just been
// added, and its client may still repeat the request. The caller must hold keysMu.
func (e *Engine) forgetKeyLocked() {
	c := e.finishedKeys[0]
	e.finishedKeys[0] = nil // the array stays for a while, and must not keep the record in memory
	e.finishedKeys = e.finishedKeys[1:]
	if e.keys[c.key] != c {
		return // a later request in the replayed log has replaced the record
	}
	delete(e.keys, c.key)
	if c.stored {
		e.forgottenKeys[c.key] = true
	}
}

// RunOnce runs a request with an idempotency key. If the request is a repetition, RunOnce does not
// run it, and returns the result of the first one. Otherwise it calls the function run with
// options. That function passes the options to the one call of Append, Commit or Load that does the
// work. That call stores the idempotency record. If the function has nothing to do and calls none
// of them, RunOnce stores the record.
//
// Errors:
//   - those of the function run
//   - Invalid: the key is too long
//   - Conflict: the key was used with another body
func (e *Engine) RunOnce(ctx context.Context, o AppendOptions, run func(AppendOptions) (Result, error)) (Result, error) {
	if o.IdempotencyKey == "" {
		return run(o)
	}
	c, known, err := e.acquireKey(ctx, o.IdempotencyKey, o.BodyHash)
	if err != nil {
		return Result{}, err
	}
	if known != nil {
		return *known, nil
	}
	o.IdempotencyKey, o.BodyHash, o.idempotency = "", nil, c
	result, err := run(o)
	if err == nil && !c.resolved() {
		r := newRequest(AppendOptions{Async: o.Async, idempotency: c})
		r.counts = result.Counts
		result, err = e.submit(ctx, r)
	}
	switch {
	case err == nil:
	case c.outcome != nil:
		go func() {
			if out := <-c.outcome; out.err != nil {
				e.withdrawKey(c)
			}
		}()
	default:
		e.withdrawKey(c)
	}
	return result, err
}

// putKey adds the idempotency record of o to an edit of the catalog. It is for a request that is
// committed by this edit alone, and not through the log. putKey also adds the removal of expired
// records. A flush removes them, too, but a client that only loads may cause no flush.
func (e *Engine) putKey(o AppendOptions, edit *catalog.Edit, result Result) {
	if o.idempotency != nil {
		edit.PutKeys = append(edit.PutKeys, o.idempotency.withResult(result))
		edit.DropKeys = e.expiredStored()
	}
}

// keyStored updates the idempotency records in memory after the catalog has stored an edit that
// putKey prepared.
func (e *Engine) keyStored(o AppendOptions, edit *catalog.Edit, result Result) {
	if o.idempotency != nil {
		e.resolveKey(o.idempotency, result)
		e.recordStoredKeys(edit)
	}
}

// maxKeyBytes is the maximum length of an idempotency key, in bytes.
const maxKeyBytes = 256

// acquireKey looks up an idempotency key. If the key is new, acquireKey returns a new record, and
// the caller runs the request. If the key is known, acquireKey returns the result of its first
// request. If that request is still running, acquireKey waits for it. If the key was used with
// another body, the error is Conflict.
func (e *Engine) acquireKey(ctx context.Context, key string, hash []byte) (*idempotencyRecord, *Result, error) {
	if len(key) > maxKeyBytes {
		return nil, nil, base.Errorf(base.Invalid, "an idempotency key of %d bytes: the limit is %d", len(key), maxKeyBytes)
	}
	for {
		e.keysMu.Lock()
		e.expireKeysLocked()
		c := e.keys[key]
		if c == nil {
			fresh := &idempotencyRecord{key: key, hash: bytes.Clone(hash), expires: e.now().Add(e.settings.KeyLifetime), done: make(chan struct{}), stored: e.forgottenKeys[key]}
			delete(e.forgottenKeys, key)
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

func (c *idempotencyRecord) resolved() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// resolveKey records in memory that a request was committed, with its result. It returns the
// record for the catalog.
func (e *Engine) resolveKey(c *idempotencyRecord, result Result) catalog.Key {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	c.result = result
	close(c.done)
	e.rememberLocked(c)
	return c.toCatalog()
}

// withdrawKey is called when a request has failed. It makes the idempotency key of the request
// available again.
func (e *Engine) withdrawKey(c *idempotencyRecord) {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	if c.resolved() {
		return
	}
	c.withdrawn = true
	delete(e.keys, c.key)
	if c.stored {
		// The catalog still has the record of an earlier request with this key.
		e.forgottenKeys[c.key] = true
	}
	close(c.done)
}

// withResult returns the record that the catalog gets if the request is committed with this result.
func (c *idempotencyRecord) withResult(result Result) catalog.Key {
	resolved := idempotencyRecord{key: c.key, hash: c.hash, expires: c.expires, result: result}
	return resolved.toCatalog()
}

func (c *idempotencyRecord) toCatalog() catalog.Key {
	// Marshal cannot fail, because a Result has only numbers.
	result, _ := json.Marshal(c.result)
	return catalog.Key{Key: c.key, BodyHash: c.hash, Result: result, Expires: c.expires}
}

// restoreRecord makes an idempotency record in memory from one of the catalog. It is the inverse of
// toCatalog.
func restoreRecord(k catalog.Key) (*idempotencyRecord, error) {
	c := &idempotencyRecord{key: k.Key, hash: k.BodyHash, expires: k.Expires, done: make(chan struct{})}
	stored := struct {
		*Result
		// number of rows; earlier versions of Scoter stored no other result
		Rows int64 `json:"rows"`
	}{Result: &c.result}
	if err := json.Unmarshal(k.Result, &stored); err != nil {
		return nil, base.Errorf(base.Corrupt, "idempotency key %q: %w", k.Key, err)
	}
	c.result.Inserted += stored.Rows
	close(c.done)
	return c, nil
}

// expiredStored returns the idempotency keys whose records the catalog still has, although they are
// expired or were forgotten.
func (e *Engine) expiredStored() []string {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	e.expireKeysLocked()
	return slices.Sorted(maps.Keys(e.forgottenKeys))
}

// remembered returns the idempotency records whose keys the engine still remembers. It chooses them
// from the records in the argument all.
func (e *Engine) remembered(all []catalog.Key) (known []catalog.Key) {
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

// recordStoredKeys updates what the engine knows about the idempotency records in the catalog,
// after the catalog has stored the edit.
func (e *Engine) recordStoredKeys(edit *catalog.Edit) {
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	for _, key := range edit.DropKeys {
		delete(e.forgottenKeys, key)
		if c := e.keys[key]; c != nil {
			c.stored = false
		}
	}
	for _, k := range edit.PutKeys {
		if c := e.keys[k.Key]; c != nil {
			c.stored = true
		} else {
			e.forgottenKeys[k.Key] = true // the record was forgotten after the edit was made
		}
	}
}
