package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
)

// Check reads everything in the data directory and verifies it:
//   - the catalog, by its own rules
//   - each part file and patch, against the catalog
//   - each frame of the log
//   - the folders of parts and patches: a file that the catalog does not list is a finding, unless
//     the method Orphans returns it
//
// Each finding is a Corrupt error. Appends wait while Check reads the log and the patches. Flushes
// wait until Check ends.
func (e *Engine) Check(ctx context.Context) error {
	if err := e.lockFlushes(ctx); err != nil {
		return err
	}
	defer e.flushing.Release(1)
	findings := []error{e.catalog.Check()}
	findings = append(findings, e.checkParts(ctx), e.checkKeys(ctx))
	var strangers []string
	err := e.commit(ctx, func() error {
		state, err := e.catalog.State()
		switch {
		case err == nil:
			findings = append(findings, e.checkSegments(state), e.checkPatches(state))
		case findings[0] == nil: // otherwise the check of the catalog itself has reported it
			findings = append(findings, err)
		}
		findings = append(findings, e.checkLog())
		strangers, err = e.unlistedFiles(e.expectedFiles(), e.tables)
		return err
	})
	if err != nil {
		findings = append(findings, err)
	}
	for _, path := range strangers {
		if slices.Contains(e.orphans, path) {
			continue // the next Open removes this file
		}
		if names, err := e.fs.List(path); err == nil && len(names) == 0 {
			continue // this is the folder of a table that was dropped or is being created
		}
		findings = append(findings, base.Errorf(base.Corrupt, "%s is not a part of the database", path))
	}
	return base.Wrap(errors.Join(findings...), "check")
}

// checkParts verifies every part of the current state of all tables.
func (e *Engine) checkParts(ctx context.Context) error {
	s, err := e.Snapshot()
	if err != nil {
		return err
	}
	defer s.Release()
	var findings []error
	for id, t := range s.Tables {
		for _, p := range t.Parts {
			if err := ctx.Err(); err != nil {
				return err
			}
			written, err := e.TableVersion(id, p.SchemaVersion)
			if base.KindOf(err) == base.NotFound && err != nil {
				continue // the table was dropped meanwhile
			}
			if err == nil {
				err = part.Verify(ctx, e.PartFile(p), written, part.Written{Rows: p.Rows, Bytes: p.Bytes, Checksum: p.Checksum, Stats: p.Stats})
			}
			findings = append(findings, base.Wrap(err, "part %d of table %s", p.ID, t.Schema.QualifiedName()))
		}
	}
	return errors.Join(findings...)
}

// checkKeys reports primary keys that several rows have, in tables that merge on read. It checks
// only parts that are deduplicated, because in these each key must be unique.
func (e *Engine) checkKeys(ctx context.Context) error {
	s, err := e.Snapshot()
	if err != nil {
		return err
	}
	defer s.Release()
	var findings []error
	for _, t := range s.Tables {
		if !t.Schema.MergeOnRead {
			continue
		}
		var deduplicated []*catalog.Part
		for _, p := range t.Parts {
			if p.MaxSeq <= t.DedupedThrough {
				deduplicated = append(deduplicated, p)
			}
		}
		n := 0
		var example []base.RowAddress
		err := e.keyFinder.Duplicates(ctx, t, nil, deduplicated, func(rows []base.RowAddress) error {
			if n++; n == 1 {
				example = slices.Clone(rows)
			}
			return nil
		})
		if err == nil && n > 0 {
			err = base.Errorf(base.Corrupt, "%d keys have several rows, the first of them row %d of part %d and row %d of part %d, although it is deduplicated up to edit %d",
				n, example[0].Ordinal, example[0].Rowset, example[1].Ordinal, example[1].Rowset, t.DedupedThrough)
		}
		findings = append(findings, base.Wrap(err, "table %s", t.Schema.QualifiedName()))
	}
	return errors.Join(findings...)
}

// checkPatches reads the deletions, patches and expression updates (UPDATEs that are stored as SQL)
// in the catalog, and checks that they fit their parts. It runs in the committer, so that no merge
// removes them at the same time.
func (e *Engine) checkPatches(state catalog.State) error {
	parts := map[base.RowsetID]catalog.Part{}
	for _, p := range state.Parts {
		parts[p.ID] = p
	}
	histories := map[base.TableID]map[uint32]schema.Table{}
	for id, versions := range state.TableVersions {
		histories[id] = map[uint32]schema.Table{}
		for _, t := range versions {
			histories[id][t.Version] = t
		}
	}
	var findings []error
	for _, d := range state.Deletions {
		if rows, err := readDeletions(d); err != nil {
			findings = append(findings, err)
		} else if last := int64(rows.Maximum()); last >= parts[d.Part].Rows {
			findings = append(findings, base.Errorf(base.Corrupt, "part %d: row %d of %d is deleted", d.Part, last, parts[d.Part].Rows))
		}
	}
	for _, x := range state.Expressions {
		written, ok := histories[x.Table][x.SchemaVersion]
		if !ok {
			continue // the check of the catalog itself has reported it
		}
		_, err := patch.DecodeExpression(x.Seq, written, x.Content)
		findings = append(findings, err)
	}
	for _, p := range state.Patches {
		l, err := e.readPatch(histories[parts[p.Part].Table], p)
		if err != nil {
			findings = append(findings, err)
		} else if last := int64(l.Ordinals[len(l.Ordinals)-1]); last >= parts[p.Part].Rows {
			findings = append(findings, base.Errorf(base.Corrupt, "patch %d: row %d of %d of part %d", p.ID, last, parts[p.Part].Rows, p.Part))
		}
	}
	return errors.Join(findings...)
}

// checkLog decodes every frame of the log. It runs in the committer, so that no segment is removed
// at the same time.
func (e *Engine) checkLog() error {
	everything := func(base.SegmentID, base.Seq) bool { return true }
	_, err := replayLog(e.fs, e.walDir(), everything, checkRun, func(struct{}) error { return nil })
	return err
}

func checkRun(in logRun) (ok struct{}, err error) {
	for _, lf := range in.frames {
		f, err := decodeFrame(lf.payload)
		if err == nil {
			err = f.eachStream(func(t frameTable, stream []byte) error {
				record, err := decodeBatch(stream)
				if err != nil {
					return base.Wrap(err, "table %d", t.id)
				}
				record.Release()
				return nil
			})
		}
		if err != nil {
			return ok, base.Wrap(err, "segment %d: edit %d", in.segment, lf.seq)
		}
	}
	return ok, nil
}

// expectedFiles returns the paths of all files that may exist in the folders of parts and patches.
// These are the files that the catalog lists, that snapshots still read, or that a flush, load or
// merge is writing. It runs in the committer.
func (e *Engine) expectedFiles() map[string]bool {
	known := e.listedLocked()
	for _, path := range e.garbage.files() {
		known[path] = true
	}
	return known
}
