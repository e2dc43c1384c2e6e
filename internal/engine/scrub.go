package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/catalog"
)

// Scrubbing reads and verifies parts in the background, so that damage is found while a backup
// still has the data. It also computes the block checksums of parts that have none, because an
// older version of Scoter wrote them.

const (
	scrubBytesPerSecond = 16 << 20
	scrubPauseBytes     = 1 << 20 // number of bytes that the scrubber reads between two pauses
	scrubCheckInterval  = time.Hour
	// Results of scrubbing are stored in the catalog after scrubStoreParts parts, or after the time
	// scrubStoreInterval if that comes first.
	scrubStoreParts    = 64
	scrubStoreInterval = time.Minute
)

// runScrubber verifies every part once within Settings.ScrubPeriod. It begins with the part whose
// last verification is the longest ago.
func (e *Engine) runScrubber() {
	defer e.background.Done()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-e.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	var done []*partFile
	since := e.clock.Now()
	for ctx.Err() == nil {
		p, wait := e.nextToScrub()
		if p != nil {
			if e.scrub(ctx, p) {
				done = append(done, p)
			}
			p.release(e)
		}
		if len(done) >= scrubStoreParts || len(done) > 0 && (p == nil || e.clock.Now().Sub(since) > scrubStoreInterval) {
			e.noteScrubbed(ctx, done)
			done, since = nil, e.clock.Now()
		}
		if p == nil {
			select {
			case <-e.clock.After(wait):
			case <-e.closing:
			}
		}
	}
}

// nextToScrub returns a part that is due to be verified. The caller releases the part's reference.
// If no part is due, it returns nil, and the time until one is due.
func (e *Engine) nextToScrub() (next *partFile, wait time.Duration) {
	now := e.now()
	e.mu.RLock()
	defer e.mu.RUnlock()
	due := now.Add(scrubCheckInterval)
	for _, t := range e.tables {
		for _, p := range t.current.parts {
			if at := p.scrubDue(e.settings.ScrubPeriod); at.Before(due) {
				next, due = p, at
			}
		}
	}
	if next == nil || due.After(now) {
		return nil, min(scrubCheckInterval, max(due.Sub(now), time.Second))
	}
	next.refs.Add(1) // the part is in a current version, so it has at least one reference already
	return next, 0
}

// scrubDue returns the time at which a part is due to be verified. A part without block checksums
// is due immediately.
func (p *partFile) scrubDue(period time.Duration) time.Time {
	if tried := p.scrubbed.Load(); tried != 0 {
		return time.UnixMicro(tried).Add(period)
	}
	if p.Blocks == nil {
		return time.Time{}
	}
	if p.Verified.After(p.Created) {
		return p.Verified.Add(period)
	}
	return p.Created.Add(period)
}

// scrub reads and verifies a part, and reports whether it is intact. If the part is damaged,
// blocks.Files logs that.
func (e *Engine) scrub(ctx context.Context, p *partFile) bool {
	read := 0
	err := e.PartFile(&p.Part).Verify(ctx, func(bytes int) error {
		e.scrubBytes.Add(int64(bytes))
		if read += bytes; read < scrubPauseBytes {
			return nil
		}
		pause := time.Duration(read) * time.Second / scrubBytesPerSecond
		read = 0
		for {
			select {
			case <-e.clock.After(pause):
			case <-ctx.Done():
				return ctx.Err()
			}
			if !e.UnderPressure() {
				return nil
			}
		}
	})
	if ctx.Err() != nil {
		return false
	}
	at := e.now()
	// Record the time also if the part is damaged. Otherwise the part would be scrubbed again
	// immediately.
	p.scrubbed.Store(at.UnixMicro())
	if err == nil {
		p.verified.Store(at.UnixMicro())
	} else if base.KindOf(err) != base.Corrupt { // damage was logged when it was found
		e.log.Error("a part could not be verified", "part", p.ID, "error", err)
	}
	return err == nil
}

// noteScrubbed stores in the catalog when the given parts were last verified. If that fails, they
// are verified again after a restart.
func (e *Engine) noteScrubbed(ctx context.Context, parts []*partFile) {
	var all []catalog.PartBlocks
	for _, p := range parts {
		sums, err := e.PartFile(&p.Part).Prepare()
		if err == nil {
			all = append(all, catalog.PartBlocks{Part: p.ID, Blocks: sums, Verified: time.UnixMicro(p.verified.Load()).UTC()})
		}
	}
	if err := e.putBlocks(ctx, all); err != nil && ctx.Err() == nil {
		e.log.Warn("the times at which parts were verified could not be stored; the parts will be verified again after a restart", "error", err)
	}
}

// runChecksumStorer waits for computed block checksums and stores them in the catalog. They are
// computed at the first read of a part that has none, because an older version of Scoter wrote it.
func (e *Engine) runChecksumStorer() {
	defer e.background.Done()
	for {
		select {
		case <-e.files.ChecksumsComputed():
		case <-e.closing:
			return
		}
		if err := e.storeComputed(context.Background()); err != nil && !errors.Is(err, errClosed) {
			e.log.Warn("checksums of blocks could not be stored; they will be computed again after a restart", "error", err)
		}
	}
}

func (e *Engine) storeComputed(ctx context.Context) error {
	var all []catalog.PartBlocks
	for id, sums := range e.files.TakeComputed() {
		all = append(all, catalog.PartBlocks{Part: id, Blocks: sums, Verified: e.now()})
	}
	return e.putBlocks(ctx, all)
}

// putBlocks stores in the catalog the block checksums of parts, and when the parts were last
// verified. Parts that the catalog does not list any more are left out.
func (e *Engine) putBlocks(ctx context.Context, all []catalog.PartBlocks) error {
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b catalog.PartBlocks) int { return cmp.Compare(a.Part, b.Part) })
	return e.change(ctx, func() (*catalog.Edit, error) {
		edit := &catalog.Edit{}
		for _, b := range all {
			for _, t := range e.tables {
				if t.current.hasPart(b.Part) {
					edit.PutBlocks = append(edit.PutBlocks, b)
				}
			}
		}
		if len(edit.PutBlocks) == 0 {
			return nil, nil
		}
		return edit, nil
	}, func() []*version { return nil })
}

// PartHealth says when a part was last verified, and whether damage was found.
type PartHealth struct {
	Table base.TableID
	Part  *catalog.Part
	// Verified is when the whole file was last read and found intact. Zero means that this did not
	// happen since the file was written.
	Verified time.Time
	Damage   *blocks.Damage // the first damage that was found in the part, or nil
}

// PartHealths returns the health of all parts, sorted by table and part id.
func (e *Engine) PartHealths() []PartHealth {
	e.mu.RLock()
	defer e.mu.RUnlock()
	var all []PartHealth
	for id, t := range e.tables {
		for _, p := range t.current.parts {
			h := PartHealth{Table: id, Part: &p.Part, Verified: p.Verified, Damage: e.files.Damage(p.ID)}
			if at := p.verified.Load(); at != 0 {
				h.Verified = time.UnixMicro(at).UTC()
			}
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b PartHealth) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Part.ID, b.Part.ID))
	})
	return all
}
