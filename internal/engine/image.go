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
	"github.com/scoterdb/scoter/internal/blocks"
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
	log    []wal.Segment
	held   []io.Closer
	once   sync.Once
}

// ImageFile is one file of an image.
type ImageFile struct {
	Name  string // below the data directory, with slashes
	Bytes int64
	// Checksum is the CRC32C that the catalog has of the file; nil if it has none.
	Checksum *uint32

	reader vfs.Reader   // nil: part is opened when the file is read
	part   *blocks.File // the file of a part; nil: another
}

// Image returns what the data directory holds now. The caller closes it.
//
// It refers to parts and not to a snapshot, whose memtables would fill the budget of all writers as long as a slow client
// reads; their rows are in the segments. Of segments and patches, which are removed without a look at who reads them, the
// files are opened here, in the committer: what has no name any more can still be read. The catalog is copied there too, which all
// writers wait for. A flush, which removes segments when its edit is long done, is waited for.
func (e *Engine) Image(ctx context.Context) (*Image, error) {
	if err := e.lockFlushes(ctx); err != nil {
		return nil, err
	}
	defer e.flushing.Release(1)
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
	for f := range e.filesLocked() {
		if f.part == nil {
			if _, err := m.hold(e, f.path, f.bytes, f.checksum); err != nil {
				return err
			}
			continue
		}
		f.part.refs.Add(1) // it is in a current version, so nobody gives up the last reference meanwhile
		m.parts = append(m.parts, f.part)
		m.Files = append(m.Files, ImageFile{Name: e.below(f.path), Bytes: f.bytes, Checksum: f.checksum, part: e.PartFile(&f.part.Part)})
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
		path := wal.SegmentPath(e.walDir(), id)
		f, err := m.hold(e, path, size, nil)
		if err != nil {
			return err
		}
		m.log = append(m.log, wal.Segment{ID: id, Path: path, File: f.reader, Bytes: f.Bytes})
	}
	// By name, so that two images of one state are the same.
	slices.SortFunc(m.Files, func(a, b ImageFile) int { return cmp.Compare(a.Name, b.Name) })
	copied := filepath.Join(e.tmpDir(), "image.db")
	remove := func() error {
		return errors.Join(vfs.RemoveAll(e.fs, copied), vfs.RemoveAll(e.fs, copied+catalog.JournalSuffix))
	}
	if err := remove(); err != nil { // of an image that failed here
		return err
	}
	defer func() { err = errors.Join(err, remove()) }() // what is held can be read without a name
	if err := e.catalog.CopyTo(copied); err != nil {
		return err
	}
	if _, err := m.hold(e, copied, -1, nil); err != nil {
		return err
	}
	m.Files[len(m.Files)-1].Name = catalog.FileName
	return nil
}

// hold opens a file; size is how much of it belongs to the image, all if negative.
func (m *Image) hold(e *Engine, path string, size int64, checksum *uint32) (ImageFile, error) {
	r, err := e.fs.Open(path)
	if err != nil {
		return ImageFile{}, err
	}
	m.held = append(m.held, r)
	if size < 0 {
		if size, err = r.Size(); err != nil {
			return ImageFile{}, err
		}
	}
	f := ImageFile{Name: e.below(path), Bytes: size, Checksum: checksum, reader: r}
	m.Files = append(m.Files, f)
	return f, nil
}

// CheckLog reads the segments of the log, of which the catalog has no checksum. What is not as it was written is Corrupt.
func (m *Image) CheckLog(ctx context.Context) error { return wal.Verify(ctx, m.log) }

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
	r, err := f.part.Open()
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
