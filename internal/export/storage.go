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

// place is where objects go.
type place interface {
	// location is where that is, for people, with a slash at its end.
	location() string
	// identity is the same for one place, however it is written. Another export may not write below it.
	identity() string
}

// storage writes objects. Paths have slashes, and are below the place.
type storage interface {
	place
	// begin makes sure that objects can be written, and that there are none yet: nobody else's are replaced.
	begin(ctx context.Context) error
	// mark returns what the place's mark says; NotFound if it has none, as where a disk is not mounted.
	mark(ctx context.Context) (string, error)
	setMark(ctx context.Context, text string) error
	// put makes what write writes the object at a path, in the place of an older one: whole, or, after an error, not at all. It will have about so many bytes.
	put(ctx context.Context, path string, size int64, write func(io.Writer) error) (object, error)
	// stat returns what is at a path; NotFound if nothing is.
	stat(ctx context.Context, path string) (object, error)
	// remove removes what is at a path, if anything is.
	remove(ctx context.Context, path string) error
	// close gives back what is kept for the next of these. Those that are under way go on.
	close()
}

// object is what a storage has.
type object struct {
	bytes int64
	etag  string // its name for the content; empty if it has none
}

// markName is an object that is left in the place. It says whose the place is. Without it, it is another one: a disk that is not mounted.
const markName = "_scoter_export"

// maxMark bounds what is read of a mark.
const maxMark = 1 << 10

const marking = "Scoter exports to this place. Its mark: "

// markIn returns the mark in the text of its object; empty if there is none.
func markIn(text []byte) string {
	_, mark, _ := strings.Cut(string(text), marking)
	return strings.TrimSpace(mark)
}

// owned makes sure that the place is there, and still the export's.
func owned(ctx context.Context, p plan) error {
	if p.Mark == "" && p.Storage == "S3" {
		return nil // it was created before there were marks
	}
	found, err := p.storage.mark(ctx)
	switch {
	case err != nil && base.KindOf(err) == base.NotFound:
		return base.Errorf(base.Unavailable, "%s is not the one that the export was created with: %w", p.storage.location(), err).WithHint("is its disk mounted?")
	case err != nil:
		return err
	case p.Mark != "" && found != p.Mark:
		return base.Errorf(base.Unavailable, "another export took over %s, such as that of a restored backup", p.storage.location()).
			WithHint("drop this export; another one may begin elsewhere")
	}
	return nil
}

// folder is a folder of a file system that the server sees.
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

// asDir returns a path with a separator at its end.
func asDir(path string) string {
	return strings.TrimSuffix(path, string(filepath.Separator)) + string(filepath.Separator)
}

// resolved returns a path without symbolic links. Its end need not be there.
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
	return base.Errorf(base.Conflict, "%s has objects already, such as %s", location, found).
		WithHint("an export begins with an empty place: choose another, or remove them")
}

// anyObject returns a Parquet file somewhere below a folder; empty if there is none.
func (f *folder) anyObject(ctx context.Context, dir string) (string, error) {
	names, err := f.fs.List(dir)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return "", base.Wrap(err, "look for objects in %s", dir)
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
		return ctx.Err() // who was to have the place was told that it has not
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
