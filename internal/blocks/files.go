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

// Part describes a part's file, as the catalog knows it.
type Part struct {
	ID       base.SourceID
	Table    base.TableID
	Bytes    int64
	Checksum uint32 // CRC32C of the file
	Sums     Sums   // nil: unknown, see File.Prepare
}

// Files has the files of the parts in one data directory, by id. Their paths are
// parts/<table>/<id>.parquet. It is safe for concurrent use.
type Files struct {
	fs     vfs.FS
	dir    string
	log    *slog.Logger
	number uint64

	mu    sync.RWMutex
	files map[base.SourceID]*File // guarded by mu; by part id
	// Guarded by mu; the first damage of each file, by part id.
	damages map[base.SourceID]*Damage
	// Guarded by mu; block checksums that TakeLearned has not returned yet.
	learned   map[base.SourceID]Sums
	onForget  func(number uint64, id uint64) // guarded by mu; see OnForget
	available chan struct{}                  // of size 1: learned has entries
}

var lastFiles atomic.Uint64

// Scheme is the beginning of the URLs by which DuckDB opens parts.
const Scheme = "scoter://part/"

// NewFiles returns the files of the parts below dir, an absolute path. The first damage of each
// file is logged.
func NewFiles(fsys vfs.FS, dir string, log *slog.Logger) *Files {
	return &Files{fs: fsys, dir: dir, log: log, number: lastFiles.Add(1), files: map[base.SourceID]*File{},
		damages: map[base.SourceID]*Damage{}, learned: map[base.SourceID]Sums{}, available: make(chan struct{}, 1)}
}

// Number identifies these Files within the process. It is part of the URLs of the files.
func (s *Files) Number() uint64 { return s.number }

// Path returns the path of a part's file.
func (s *Files) Path(table base.TableID, id base.SourceID) string {
	return filepath.Join(s.dir, strconv.FormatUint(uint64(table), 10), strconv.FormatUint(uint64(id), 10)+".parquet")
}

// File returns the file of a part. The same *File is returned until Forget.
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
	f.learned = func(sums Sums) { s.noteLearned(p.ID, sums) }
	s.files[p.ID] = f
	return f
}

// Find returns the file of a part for which File was called before, or nil.
func (s *Files) Find(id base.SourceID) *File {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.files[id]
}

// Forget drops the File of a part, and calls the function of OnForget. Readers that have the file
// open can continue to read it.
func (s *Files) Forget(id base.SourceID) {
	s.mu.Lock()
	delete(s.files, id)
	delete(s.damages, id)
	delete(s.learned, id)
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

// OnForget sets the function that Forget calls, with Number and the part's id. It is called without
// locks held.
func (s *Files) OnForget(forget func(number, id uint64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onForget = forget
}

func (s *Files) noteDamage(id base.SourceID, d *Damage) {
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
func (s *Files) Damage(id base.SourceID) *Damage {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.damages[id]
}

// Damaged returns the ids of the parts in which damage was found, ascending.
func (s *Files) Damaged() []base.SourceID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ids := make([]base.SourceID, 0, len(s.damages))
	for id := range s.damages {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (s *Files) noteLearned(id base.SourceID, sums Sums) {
	s.mu.Lock()
	s.learned[id] = sums
	s.mu.Unlock()
	select {
	case s.available <- struct{}{}:
	default:
	}
}

// Learned receives a value after block checksums were computed for a part that had none.
// TakeLearned returns them.
func (s *Files) Learned() <-chan struct{} { return s.available }

// TakeLearned returns the block checksums that were computed since the last call. The caller stores
// them in the catalog.
func (s *Files) TakeLearned() map[base.SourceID]Sums {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.learned
	s.learned = map[base.SourceID]Sums{}
	return taken
}
