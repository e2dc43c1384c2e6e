package export

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/option"
	"github.com/scoterdb/scoter/internal/vfs"
)

// place is where an export writes its objects: a prefix of a bucket, or a folder.
type place interface {
	// location returns the place's name for people, with a trailing slash.
	location() string
	// identity returns a text that is equal for equal places, even if users write them differently.
	// An export must not write to a place if the identity of another export's place begins with
	// this text, or the other way round.
	identity() string
}

// storage reads and writes objects in a place. Paths have slashes and are relative to the place.
type storage interface {
	place
	// begin checks that objects can be written. It returns an error if the place has objects
	// already, because an export must not replace foreign objects.
	begin(ctx context.Context) error
	// mark returns the text of the mark: the object that says which export owns the place. The
	// error is NotFound if there is no mark, for example because a disk is not mounted.
	mark(ctx context.Context) (string, error)
	setMark(ctx context.Context, text string) error
	// put writes an object at a path. It replaces an older object there. The function write writes
	// the content. The object appears as a whole or, after an error, not at all. size is the
	// approximate size of the content in bytes.
	put(ctx context.Context, path string, size int64, write func(io.Writer) error) (object, error)
	// stat returns the size and etag of the object at a path. The error is NotFound if there is no
	// object.
	stat(ctx context.Context, path string) (object, error)
	// remove removes the object at a path, if it exists.
	remove(ctx context.Context, path string) error
	// close closes idle connections to the storage. It does not affect running operations.
	close()
}

// object describes an object in a storage: its size and its content's identifier.
type object struct {
	bytes int64
	etag  string // the storage's identifier of the content; empty if the storage has none
}

// markName is the name of the mark: a small object that says which export owns the place. If the
// mark is missing, the folder or bucket is not the export's place. A folder may be the mount point
// of a disk that is not mounted.
const markName = "_scoter_export"

// maxMark is the maximum number of bytes that are read of a mark.
const maxMark = 1 << 10

const marking = "Scoter exports to this place. Its mark: "

// markIn returns the text of the mark. text is the content of the object markName. It returns "" if
// the content is not a mark.
func markIn(text []byte) string {
	_, mark, _ := strings.Cut(string(text), marking)
	return strings.TrimSpace(mark)
}

// owned checks that the export's place exists, and that its mark says that the place belongs to the
// export. If not, owned returns an error.
func owned(ctx context.Context, p plan) error {
	if p.Mark == "" && p.Storage == "S3" {
		return nil // the export is older than marks
	}
	found, err := p.storage.mark(ctx)
	switch {
	case err != nil && base.KindOf(err) == base.NotFound:
		return base.Errorf(base.Unavailable, "%s is not the place in which the export was created: %w", p.storage.location(), err).WithHint("is its disk mounted?")
	case err != nil:
		return err
	case p.Mark != "" && found != p.Mark:
		return base.Errorf(base.Unavailable, "another export took over %s, such as that of a restored backup", p.storage.location()).
			WithHint("drop this export, and create a new one in another place")
	}
	return nil
}

// folder is a place in the server's file system.
type folder struct {
	fs  vfs.FS
	dir string
}

func newFolder(o *option.Set) (*folder, error) {
	f := &folder{fs: vfs.OS, dir: o.Text("path", "")}
	if err := o.End(); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(f.dir) {
		return nil, base.Errorf(base.Invalid, "FOLDER path = %q is not an absolute path", f.dir).WithHint("FOLDER (path = '/mnt/lake/bids')")
	}
	f.dir = filepath.Clean(f.dir)
	return f, nil
}

func (f *folder) location() string { return asDir(f.dir) }
func (f *folder) identity() string { return asDir(resolved(f.dir)) }

// asDir returns a path with a trailing separator.
func asDir(path string) string {
	return strings.TrimSuffix(path, string(filepath.Separator)) + string(filepath.Separator)
}

// resolved returns a path with symbolic links resolved. The last parts of the path need not exist.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolved(parent), filepath.Base(path))
}

func (f *folder) at(path string) string { return filepath.Join(f.dir, filepath.FromSlash(path)) }

func (f *folder) begin(ctx context.Context) error {
	if err := vfs.MkdirAll(f.fs, f.dir); err != nil {
		return err
	}
	found, err := f.anyObject(ctx, f.dir)
	if err != nil {
		return err
	}
	if found != "" {
		return errNotEmpty(f.dir, found)
	}
	return nil
}

func errNotEmpty(location, found string) error {
	return base.Errorf(base.Conflict, "%s already has objects, such as %s", location, found).
		WithHint("an export needs an empty place: choose another one, or remove the objects")
}

// anyObject returns the path of a Parquet file below a folder, or "" if there is none.
func (f *folder) anyObject(ctx context.Context, dir string) (string, error) {
	names, err := f.fs.List(dir)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return "", base.Wrap(err, "list objects in %s", dir)
		}
		path := filepath.Join(dir, name)
		info, err := f.fs.Stat(path)
		switch {
		case err != nil:
			return "", err
		case !info.IsDir && strings.HasSuffix(name, ".parquet"):
			return path, nil
		case info.IsDir:
			if found, err := f.anyObject(ctx, path); err != nil || found != "" {
				return found, err
			}
		}
	}
	return "", nil
}

func (f *folder) mark(context.Context) (string, error) {
	text, err := vfs.ReadFile(f.fs, f.at(markName), maxMark)
	return markIn(text), err
}

func (f *folder) setMark(ctx context.Context, text string) error {
	if ctx.Err() != nil {
		// If ctx has ended, the export is not created. So the object markName, which says that the
		// folder belongs to an export, must not be written.
		return ctx.Err()
	}
	return vfs.WriteFile(f.fs, f.at(markName), func(w io.Writer) error {
		_, err := io.WriteString(w, marking+text+"\n")
		return err
	})
}

func (f *folder) put(_ context.Context, path string, _ int64, write func(io.Writer) error) (object, error) {
	if err := vfs.MkdirAll(f.fs, filepath.Dir(f.at(path))); err != nil {
		return object{}, err
	}
	if err := vfs.WriteFile(f.fs, f.at(path), write); err != nil {
		return object{}, err
	}
	info, err := f.fs.Stat(f.at(path))
	return object{bytes: info.Size}, err
}

func (f *folder) stat(_ context.Context, path string) (object, error) {
	info, err := f.fs.Stat(f.at(path))
	return object{bytes: info.Size}, err
}

func (f *folder) remove(_ context.Context, path string) error {
	if err := f.fs.Remove(f.at(path)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return f.fs.SyncDir(filepath.Dir(f.at(path)))
}

func (f *folder) close() {}
