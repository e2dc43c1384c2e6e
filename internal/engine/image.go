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

// Image is the content of the data directory at one moment. It has every edit up to Seq and none
// after, including acknowledged rows that are not flushed. Its files stay readable until Close,
// whatever the engine does meanwhile. A slow reader of an image does not make writers wait.
type Image struct {
	Seq base.Seq
	// Files are the files of the image. The catalog is the last one. Until the catalog is copied,
	// the copied files do not count as a database.
	Files []ImageFile

	engine *Engine
	parts  []*partFile
	log    []wal.Segment
	held   []io.Closer
	once   sync.Once
}

// ImageFile is one file of an image.
type ImageFile struct {
	Name  string // path of the file below the data directory, with slashes
	Bytes int64
	// Checksum is the CRC32C of the file, according to the catalog. It is nil if the catalog has no
	// checksum of the file.
	Checksum *uint32

	// reader is the open file. It is nil if part is set: then Read opens the file.
	reader vfs.Reader
	part   *blocks.File // the part whose file this is; nil for any other file
}

// Image returns the content of the data directory at this moment. The caller closes it.
//
// The image holds references to parts instead of a snapshot. A snapshot would keep memtables in
// memory, within the memory of all writers, for as long as a slow client reads. In the image, the
// rows of memtables are in segments of the log.
//
// The engine removes segments and files of patches even if they have readers. So Image opens these
// files, because an open file can be read after its name was removed. It opens them in the
// committer, and also copies the catalog there. All writers wait for that. Image waits for a
// running flush, because a flush removes segments after its edit.
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

// fillImage opens the files of the image m, and copies the catalog. It runs in the committer.
func (e *Engine) fillImage(m *Image) (err error) {
	if err := e.resolveDoubt(); err != nil {
		return err // after a failed sync it is unknown what the disk has
	}
	m.Seq = e.seq
	for f := range e.filesLocked() {
		if f.part == nil {
			if _, err := m.hold(e, f.path, f.bytes, f.checksum); err != nil {
				return err
			}
			continue
		}
		// The part is in a current version, so it has at least one reference already.
		f.part.refs.Add(1)
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
			size = e.wal.Size() // the bytes after this size are preallocated for later frames
		}
		path := wal.SegmentPath(e.walDir(), id)
		f, err := m.hold(e, path, size, nil)
		if err != nil {
			return err
		}
		m.log = append(m.log, wal.Segment{ID: id, Path: path, File: f.reader, Bytes: f.Bytes})
	}
	// The files are sorted, so that two images of the same state are equal.
	slices.SortFunc(m.Files, func(a, b ImageFile) int { return cmp.Compare(a.Name, b.Name) })
	copied := filepath.Join(e.tmpDir(), "image.db")
	remove := func() error {
		return errors.Join(vfs.RemoveAll(e.fs, copied), vfs.RemoveAll(e.fs, copied+catalog.JournalSuffix))
	}
	if err := remove(); err != nil { // remove the copy that an earlier, failed image has left
		return err
	}
	// The name of the copy is removed immediately, because an open file can be read after its name
	// was removed.
	defer func() { err = errors.Join(err, remove()) }()
	if err := e.catalog.CopyTo(copied); err != nil {
		return err
	}
	if _, err := m.hold(e, copied, -1, nil); err != nil {
		return err
	}
	m.Files[len(m.Files)-1].Name = catalog.FileName
	return nil
}

// hold opens a file and adds it to the image. The argument size is the number of bytes, from the
// start of the file, that belong to the image. If size is negative, the whole file belongs to the
// image.
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

// CheckLog verifies the log segments in the image. They need it because the catalog has no
// checksums of them. If a segment is damaged, the error is Corrupt.
func (m *Image) CheckLog(ctx context.Context) error { return wal.Verify(ctx, m.log) }

// below returns the given path relative to the data directory, with slashes as separators.
func (e *Engine) below(path string) string {
	name, err := filepath.Rel(e.dir, path)
	if err != nil {
		// This is a defect, because all files are below the data directory. The image then has the
		// path as it is, which shows the defect.
		return path
	}
	return filepath.ToSlash(name)
}

// Read opens a file of the image, and calls the function visit with a reader of its content.
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

// Close closes the files of the image. It may be called more than once.
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
