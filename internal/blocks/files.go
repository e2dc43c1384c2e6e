package blocks

import (
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// Part describes the file of a part, with what the catalog knows about it.
type Part struct {
	ID       base.RowsetID
	Table    base.TableID
	Bytes    int64
	Checksum uint32 // CRC32C of the whole file
	Sums     Sums   // checksums of the file's blocks; nil if they are unknown, see File.Prepare
}

// Files has the files of the parts in one data directory, by part id. Their paths are
// parts/<table>/<id>.parquet. It is safe for concurrent use.
type Files struct {
	fs     vfs.FS
	dir    string
	log    *slog.Logger
	number uint64

	mu    sync.RWMutex
	files map[base.RowsetID]*File // the files, by part id; guarded by mu
	// damages has the first damage that was found in each damaged file, by part id. It is guarded
	// by mu.
	damages map[base.RowsetID]*Damage
	// computed has computed block checksums that TakeComputed has not returned yet, by part id. It
	// is guarded by mu.
	computed map[base.RowsetID]Sums
	// onForget is the function that Forget calls, see OnForget. It is guarded by mu.
	onForget func(number uint64, id uint64)
	// available is a channel of capacity 1. It has an element if the field computed has entries.
	available chan struct{}
}

var lastFiles atomic.Uint64

// Scheme is the beginning of the URLs by which DuckDB opens parts.
const Scheme = "scoter://part/"

// NewFiles returns the files of the parts below dir, which is an absolute path. The first damage
// that is found in each file is logged.
func NewFiles(fsys vfs.FS, dir string, log *slog.Logger) *Files {
	return &Files{fs: fsys, dir: dir, log: log, number: lastFiles.Add(1), files: map[base.RowsetID]*File{},
		damages: map[base.RowsetID]*Damage{}, computed: map[base.RowsetID]Sums{}, available: make(chan struct{}, 1)}
}

// Number returns a number that identifies these Files within the process. It is part of the URLs by
// which DuckDB opens the files.
func (s *Files) Number() uint64 { return s.number }

// Path returns the path of the file of a part. table and id are the ids of the table and of the
// part.
func (s *Files) Path(table base.TableID, id base.RowsetID) string {
	return filepath.Join(s.dir, strconv.FormatUint(uint64(table), 10), strconv.FormatUint(uint64(id), 10)+".parquet")
}

// File returns the file of a part. It returns the same *File for each call with the same part,
// until Forget is called for that part.
func (s *Files) File(p Part) *File {
	s.mu.RLock()
	f := s.files[p.ID]
	s.mu.RUnlock()
	if f != nil {
		return f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[p.ID]; f != nil {
		return f
	}
	f = New(s.fs, s.Path(p.Table, p.ID), fmt.Sprintf("parts/%d/%d.parquet", p.Table, p.ID), p.Bytes, p.Checksum, p.Sums)
	f.url = fmt.Sprintf("%s%d/%d", Scheme, s.number, p.ID)
	f.damaged = func(d *Damage) { s.noteDamage(p.ID, d) }
	f.computed = func(sums Sums) { s.noteComputed(p.ID, sums) }
	s.files[p.ID] = f
	return f
}

// Find returns the file of a part for which File was called before, or nil.
func (s *Files) Find(id base.RowsetID) *File {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.files[id]
}

// Forget drops the *File of a part, and calls the function that OnForget set. Readers that have
// opened the file can continue to read it.
func (s *Files) Forget(id base.RowsetID) {
	s.mu.Lock()
	delete(s.files, id)
	delete(s.damages, id)
	delete(s.computed, id)
	forget := s.onForget
	s.mu.Unlock()
	if forget != nil {
		forget(s.number, uint64(id))
	}
}

// ForgetAll calls Forget for all parts.
func (s *Files) ForgetAll() {
	s.mu.RLock()
	ids := slices.Collect(maps.Keys(s.files))
	s.mu.RUnlock()
	for _, id := range ids {
		s.Forget(id)
	}
}

// OnForget sets a function that Forget calls for each part, with Files.Number and the part's id. No
// locks are held during the call.
func (s *Files) OnForget(forget func(number, id uint64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onForget = forget
}

func (s *Files) noteDamage(id base.RowsetID, d *Damage) {
	s.mu.Lock()
	_, known := s.damages[id]
	if !known && s.files[id] != nil {
		s.damages[id] = d
	}
	s.mu.Unlock()
	if !known {
		s.log.Error("a part is damaged", "file", d.Path, "offset", d.Offset, "damage", d.What)
	}
}

// Damage returns the first damage that was found in a part, or nil.
func (s *Files) Damage(id base.RowsetID) *Damage {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.damages[id]
}

// Damaged returns the ids of the parts in which damage was found, ascending.
func (s *Files) Damaged() []base.RowsetID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ids := make([]base.RowsetID, 0, len(s.damages))
	for id := range s.damages {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (s *Files) noteComputed(id base.RowsetID, sums Sums) {
	s.mu.Lock()
	s.computed[id] = sums
	s.mu.Unlock()
	select {
	case s.available <- struct{}{}:
	default:
	}
}

// ChecksumsComputed returns a channel that receives a value when block checksums were computed for
// a part that had none. TakeComputed then returns these checksums.
func (s *Files) ChecksumsComputed() <-chan struct{} { return s.available }

// TakeComputed returns the block checksums that were computed since its last call, by part id. The
// caller stores them in the catalog.
func (s *Files) TakeComputed() map[base.RowsetID]Sums {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.computed
	s.computed = map[base.RowsetID]Sums{}
	return taken
}
