package merge

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// maxMutations is the maximum number of attempts of Mutate. It starts again if its parts were
// merged meanwhile.
const maxMutations = 10

// Mutate makes the change c, which was computed from the snapshot snap. In one edit, it rewrites
// all parts that have rows to be changed. The change appears in the list of merges. Errors are
// those of engine.Commit.
func (s *Scheduler) Mutate(ctx context.Context, snap *snapshot.Snapshot, c engine.Change, o engine.AppendOptions) error {
	for range maxMutations {
		moved, err := s.mutate(ctx, snap, c, o)
		if !moved {
			return err
		}
	}
	return engine.ErrChanged
}

// holdBack prevents new merges of the given parts until the returned function release is called. A
// merge that is already running continues. Without holdBack, merges could keep replacing parts of a
// large table while a change rewrites all of it.
func (s *Scheduler) holdBack(parts []subject) (release func()) {
	add := func(n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, p := range parts {
			if s.mutated[p] += n; s.mutated[p] == 0 {
				delete(s.mutated, p)
			}
		}
	}
	add(1)
	return func() { add(-1) }
}

func (s *Scheduler) isMutated(p subject) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mutated[p] > 0
}

func (s *Scheduler) mutate(ctx context.Context, snap *snapshot.Snapshot, c engine.Change, o engine.AppendOptions) (moved bool, err error) {
	m, err := s.merger.engine.Mutate(ctx, snap, c, o)
	if err != nil {
		return false, err
	}
	defer m.Close()
	t := m.Table()
	var plan Plan
	for _, p := range t.Parts {
		if m.Sets[p.ID] != nil {
			plan.Sources, plan.Rows, plan.Bytes = append(plan.Sources, p), plan.Rows+p.Rows, plan.Bytes+p.Bytes
		}
	}
	j := job{group{table: t.Schema.ID}, plan}
	defer s.holdBack(j.subjects())()
	shown := s.begin(t, j)
	made, move, err := s.merger.mutate(ctx, m, plan, c)
	if err == nil {
		moved, err = m.Publish(ctx, made, move)
	}
	if err != nil {
		for _, p := range made {
			err = errors.Join(err, s.merger.engine.AbandonPart(p.Table, p.ID))
		}
	}
	s.ended(shown, err)
	return moved, err
}

// mutate writes the new parts of a mutation (a change that rewrites parts). It returns them with
// the remap of their rows (which maps old row addresses to new ones). After an error, files of the
// returned parts may exist.
func (m *merger) mutate(ctx context.Context, mutation *engine.Mutation, plan Plan, c engine.Change) (made []catalog.Part, move patch.Remaps, err error) {
	if err := m.checkSpace(plan); err != nil {
		return nil, nil, err
	}
	changed := *mutation.Table()
	changed.Patches = maps.Clone(changed.Patches)
	if changed.Patches == nil {
		changed.Patches = map[base.RowsetID]*patch.Set{}
	}
	maps.Copy(changed.Patches, mutation.Sets)
	move = patch.Remaps{}
	for _, p := range plan.Sources {
		one := Plan{Sources: []*catalog.Part{p}, Rows: p.Rows, Bytes: p.Bytes}
		parts, moved, err := m.writeAll(ctx, &changed, one, ctx.Err)
		made = append(made, parts...)
		if err != nil {
			return made, nil, err
		}
		move[p.ID] = moved
	}
	if len(c.Inserted) == 0 {
		return made, move, nil
	}
	like := describe(plan.Sources)
	like.SchemaVersion = changed.Schema.Version
	parts, err := m.writeSorted(&changed, slices.Clone(c.Inserted), like, func(base.RowsetID, []uint32) {})
	return append(made, parts...), move, err
}
