package engine

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/vfs"
	"github.com/scoterdb/scoter/internal/wal"
)

// Image is the data directory as it was at one moment: every edit up to Seq and none after, acknowledged and not yet
// flushed ones included. Its files stay readable until Close, whatever the engine does meanwhile, and no
// writer waits for who reads them.
type Image struct {
	Seq   base.Seq
	Files []ImageFile // the catalog last: without it the others are no database

	engine *Engine
	parts  []*partFile
	held   []io.Closer
	once   sync.Once
}

// ImageFile is one file of an image.
type ImageFile struct {
	Name  string // below the data directory, with slashes
	Bytes int64
	// Checksum is the CRC32C that the catalog has of the file; nil if it has none.
	Checksum *uint32

	reader vfs.Reader // or nil: then path is opened when the file is read
	path   string
}

// Image returns what the data directory holds now. The caller closes it.
//
// It refers to parts and not to a snapshot, whose memtables would fill the budget of all writers as long as a slow client
// reads; their rows are in the segments. Of segments and patches, which are removed without a look at who reads them, the
// files are opened here, in the committer: what has no name any more can still be read. A flush, which removes segments
// when its edit is long done, is waited for.
func (e *Engine) Image(ctx context.Context) (*Image, error) {
	e.flushing.Lock()
	defer e.flushing.Unlock()
	select {
	case <-e.closing:
		return nil, errClosed
	default: // and Close waits for the lock
	}
	m := &Image{engine: e}
	if err := e.commit(ctx, func() error { return e.fillImage(m) }); err != nil {
		return nil, base.Wrap(errors.Join(err, m.Close()), "image of %s", e.dir)
	}
	return m, nil
}

// fillImage runs in the committer.
func (e *Engine) fillImage(m *Image) (err error) {
	if err := e.settle(); err != nil {
		return err // what the disk holds is not known
	}
	m.Seq = e.seq
	for _, t := range e.tables {
		for _, p := range t.current.parts { // current, so nobody gives up the last reference meanwhile
			p.refs.Add(1)
			m.parts = append(m.parts, p)
			path := e.partPath(t.id, p.ID)
			m.Files = append(m.Files, ImageFile{Name: e.below(path), Bytes: p.Bytes, Checksum: &p.Checksum, path: path})
		}
		for _, patches := range t.stored {
			for _, p := range patches {
				if p.inFile {
					if err := m.hold(e, e.patchPath(t.id, p.ID), -1); err != nil {
						return err
					}
				}
			}
		}
	}
	segments, err := wal.List(e.fs, e.walDir())
	if err != nil {
		return err
	}
	for _, id := range segments {
		size := int64(-1)
		if id == e.wal.ID() {
			size = e.wal.Size() // space behind is allocated for frames to come
		}
		if err := m.hold(e, wal.SegmentPath(e.walDir(), id), size); err != nil {
			return err
		}
	}
	// By name, so that two images of one state are the same.
	slices.SortFunc(m.Files, func(a, b ImageFile) int { return cmp.Compare(a.Name, b.Name) })
	copied := filepath.Join(e.dir, "tmp", "image.db")
	if err := vfs.RemoveAll(e.fs, copied); err != nil { // of an image that failed here
		return err
	}
	if err := e.catalog.CopyTo(copied); err != nil {
		return err
	}
	if err := m.hold(e, copied, -1); err != nil {
		return err
	}
	m.Files[len(m.Files)-1].Name = catalog.FileName
	return e.fs.Remove(copied)
}

// hold opens a file; size is how much of it belongs to the image, all if negative.
func (m *Image) hold(e *Engine, path string, size int64) error {
	r, err := e.fs.Open(path)
	if err != nil {
		return err
	}
	m.held = append(m.held, r)
	if size < 0 {
		if size, err = r.Size(); err != nil {
			return err
		}
	}
	m.Files = append(m.Files, ImageFile{Name: e.below(path), Bytes: size, reader: r})
	return nil
}

// below returns a path's name below the data directory, with slashes.
func (e *Engine) below(path string) string {
	name, err := filepath.Rel(e.dir, path)
	if err != nil {
		return path // it is not below: a defect that whoever reads the name finds
	}
	return filepath.ToSlash(name)
}

// Read calls visit with the content of a file of the image.
func (m *Image) Read(f ImageFile, visit func(io.Reader) error) error {
	if f.reader != nil {
		return visit(io.NewSectionReader(f.reader, 0, f.Bytes))
	}
	r, err := m.engine.fs.Open(f.path)
	if err != nil {
		return err
	}
	return errors.Join(visit(io.NewSectionReader(r, 0, f.Bytes)), r.Close())
}

// Close lets go of the files. It may be called more than once.
func (m *Image) Close() error {
	var errs []error
	m.once.Do(func() {
		for _, p := range m.parts {
			p.release(m.engine)
		}
		for _, r := range m.held {
			errs = append(errs, r.Close())
		}
	})
	return errors.Join(errs...)
}
