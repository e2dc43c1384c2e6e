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

// storage is where objects go. Paths have slashes, and are below what the options name.
type storage interface {
	// begin makes sure that objects can be written, and that there are none yet: nobody else's are replaced.
	begin(ctx context.Context) error
	// put makes what write writes the object at a path, in the place of an older one: whole, or, after an error, not at all.
	put(ctx context.Context, path string, write func(io.Writer) error) (object, error)
	// stat returns what is at a path; NotFound if nothing is.
	stat(ctx context.Context, path string) (object, error)
	// remove removes what is at a path, if anything is.
	remove(ctx context.Context, path string) error
}

// object is what a storage has.
type object struct {
	bytes int64
	etag  string // its name for the content; empty if it has none
}

// folder is a folder of a file system that the server sees.
type folder struct {
	fs  vfs.FS
	dir string
}

// markName is a file that begin leaves in the folder. Without it, it is another one: a disk that is not mounted.
const markName = "_scoter_export"

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

func (f *folder) at(path string) string { return filepath.Join(f.dir, filepath.FromSlash(path)) }

func (f *folder) begin(context.Context) error {
	if err := vfs.MkdirAll(f.fs, f.dir); err != nil {
		return err
	}
	found, err := f.anyObject(f.dir)
	if err != nil {
		return err
	}
	if found != "" {
		return errNotEmpty(f.dir, found)
	}
	return vfs.WriteFile(f.fs, f.at(markName), func(w io.Writer) error {
		_, err := io.WriteString(w, "Scoter exports into this folder.\n")
		return err
	})
}

func errNotEmpty(location, found string) error {
	return base.Errorf(base.Conflict, "%s has objects already, such as %s", location, found).
		WithHint("an export begins with an empty place: choose another, or remove them")
}

// anyObject returns a Parquet file somewhere below a folder; empty if there is none.
func (f *folder) anyObject(dir string) (string, error) {
	names, err := f.fs.List(dir)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := f.fs.Stat(path)
		switch {
		case err != nil:
			return "", err
		case !info.IsDir && strings.HasSuffix(name, ".parquet"):
			return path, nil
		case info.IsDir:
			if found, err := f.anyObject(path); err != nil || found != "" {
				return found, err
			}
		}
	}
	return "", nil
}

func (f *folder) checkMark() error {
	if _, err := f.fs.Stat(f.at(markName)); err != nil {
		return base.Errorf(base.Unavailable, "folder %s is not the one that the export was created with: %w", f.dir, err).WithHint("is its disk mounted?")
	}
	return nil
}

func (f *folder) put(_ context.Context, path string, write func(io.Writer) error) (object, error) {
	if err := f.checkMark(); err != nil {
		return object{}, err
	}
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
	if err := f.checkMark(); err != nil {
		return err
	}
	if err := f.fs.Remove(f.at(path)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return f.fs.SyncDir(filepath.Dir(f.at(path)))
}
