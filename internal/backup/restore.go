package backup

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/vfs"
)

// maxJSON is the maximum size in bytes of a JSON file in an archive, since such files are read into
// memory.
const maxJSON = 256 << 20

// allowed matches the names of the files that a data directory may have. Restore refuses an archive
// with any other name. So it also refuses paths that lead out of the directory.
var allowed = regexp.MustCompile(`^(wal/[0-9]+\.wal|parts/[0-9]+/[0-9]+\.parquet|patches/[0-9]+/[0-9]+\.parquet)$`)

// Restore extracts an archive into the data directory dir. dir must not exist yet, or must be an
// empty folder. Every file is compared with its checksum. The catalog is published last, because
// without it the folder is not a data directory. After an error Restore leaves no files and no new
// folders. If the archive is incomplete or was modified, the error is Corrupt. During the restore
// the directory is locked, as it is while a server has it open.
func Restore(ctx context.Context, fsys vfs.FS, r io.Reader, dir string) error {
	// This check comes before the lock file is created: if the folder has other files, Restore must
	// not change anything in it.
	if err := checkEmpty(fsys, dir); err != nil {
		return err
	}
	fresh, err := missing(fsys, dir)
	if err != nil {
		return base.Wrap(err, "restore")
	}
	if err := vfs.MkdirAll(fsys, dir); err != nil {
		return base.Wrap(err, "restore")
	}
	return locked(fsys, dir, func() error {
		if err := checkEmpty(fsys, dir); err != nil {
			return err
		}
		u := &unpacking{fs: fsys, dir: dir, archive: tar.NewReader(&stoppable{ctx, r}), sums: map[string]string{}}
		if err := u.run(); err != nil {
			return errors.Join(base.Wrap(err, "restore %s", dir), removeAll(fsys, dir), removeEmpty(fsys, fresh))
		}
		return nil
	})
}

// missing finds the folders that do not exist: dir, its parent, and so on. It returns them in that
// order.
func missing(fsys vfs.FS, dir string) (all []string, err error) {
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		_, err := fsys.Stat(dir)
		if !errors.Is(err, fs.ErrNotExist) {
			return all, err
		}
		all = append(all, dir)
	}
}

// removeEmpty removes the folders of the list in order. It stops at the first folder that is not
// empty.
func removeEmpty(fsys vfs.FS, dirs []string) error {
	for _, dir := range dirs {
		if names, err := fsys.List(dir); err != nil || len(names) > 0 {
			return err
		}
		if err := fsys.Remove(dir); err != nil {
			return err
		}
	}
	return nil
}

// Remove undoes a Restore into dir: it removes all files of the data directory. It returns an error
// if a process has the directory open.
func Remove(fsys vfs.FS, dir string) error {
	return locked(fsys, dir, func() error { return removeAll(fsys, dir) })
}

// locked calls the function do while it holds the lock of the data directory dir.
func locked(fsys vfs.FS, dir string, do func() error) error {
	lock, err := fsys.Lock(filepath.Join(dir, engine.LockName))
	if err != nil {
		return base.Wrap(err, "restore")
	}
	return errors.Join(do(), lock.Close())
}

// checkEmpty returns an error if the folder dir exists and is not empty.
func checkEmpty(fsys vfs.FS, dir string) error {
	names, err := fsys.List(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return base.Wrap(err, "restore")
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(engine.AllowedNames, name) })
	if len(names) > 0 {
		return base.Errorf(base.Conflict, "restore: %s is not empty: it has %s", dir, names[0]).WithHint("name a folder that does not exist yet")
	}
	return nil
}

// removeAll removes all files of a data directory, the lock file last. Files that do not belong to
// a data directory stay.
func removeAll(fsys vfs.FS, dir string) error {
	var errs []error
	for _, name := range slices.Concat(engine.DataDirNames, []string{catalog.FileName + vfs.TempSuffix, engine.LockName}) {
		errs = append(errs, vfs.RemoveAll(fsys, filepath.Join(dir, name)))
	}
	return errors.Join(errs...)
}

// unpacking is the state of a restore that is running.
type unpacking struct {
	fs      vfs.FS
	dir     string
	archive *tar.Reader
	head    header
	sums    map[string]string // checksums of the files that were extracted so far, by name
}

func (u *unpacking) run() error {
	h, err := u.next()
	if err != nil {
		return err
	}
	if h.Name != headerName {
		return base.Errorf(base.Invalid, "this is not a backup: it begins with %q, not with %s", h.Name, headerName)
	}
	if err := u.json(h, &u.head); err != nil {
		return err
	}
	if u.head.Format < 1 || u.head.Format > FormatVersion {
		return base.Errorf(base.Invalid, "the backup has format %d; this version of Scoter reads up to %d", u.head.Format, FormatVersion).
			WithHint("restore it with the version that made it: %s", u.head.Version)
	}
	for {
		h, err := u.next()
		switch {
		case err != nil:
			return err
		case h.Name == catalog.FileName:
			// This file says that what the catalog knows about exports may be outdated, so that the
			// server pauses them. It must be durable before the catalog is: after a crash between
			// the two, a server with the catalog alone would continue the exports.
			if err := vfs.WriteFile(u.fs, filepath.Join(u.dir, engine.RestoredName), func(io.Writer) error { return nil }); err != nil {
				return err
			}
			return u.file(h, u.complete)
		case !allowed.MatchString(h.Name):
			return base.Errorf(base.Corrupt, "the archive has a file %q, which does not belong in a data directory", h.Name)
		}
		if err := u.file(h, func() error { return nil }); err != nil {
			return err
		}
	}
}

// next returns the header of the archive's next file. If there is no further file, it returns an
// error.
func (u *unpacking) next() (*tar.Header, error) {
	h, err := u.archive.Next()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, base.Errorf(base.Corrupt, "the archive ends early, after %d of %d files", len(u.sums), u.head.Files)
	case errors.Is(err, tar.ErrHeader):
		return nil, base.Errorf(base.Invalid, "this is not a backup: %w", err)
	}
	return h, err
}

// file extracts the current file of the archive, and then calls the function named then. If that
// function returns nil, file publishes the extracted file under its name.
func (u *unpacking) file(h *tar.Header, then func() error) error {
	if _, twice := u.sums[h.Name]; twice {
		return base.Errorf(base.Corrupt, "the archive has %s twice", h.Name)
	}
	path := filepath.Join(u.dir, filepath.FromSlash(h.Name))
	if err := vfs.MkdirAll(u.fs, filepath.Dir(path)); err != nil {
		return err
	}
	return vfs.WriteFile(u.fs, path, func(w io.Writer) error {
		sum := crc32.New(base.Castagnoli)
		if _, err := io.Copy(io.MultiWriter(w, sum), u.archive); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = base.Errorf(base.Corrupt, "the archive ends early")
			}
			return err
		}
		u.sums[h.Name] = fmt.Sprintf("%08x", sum.Sum32())
		return then()
	})
}

// complete checks that the archive ends correctly, and that its list of checksums matches the
// extracted files. Otherwise it returns an error.
func (u *unpacking) complete() error {
	h, err := u.next()
	if err != nil {
		return err
	}
	if h.Name != checksumsName {
		return base.Errorf(base.Corrupt, "the archive has %q where %s is expected", h.Name, checksumsName)
	}
	var want map[string]string
	if err := u.json(h, &want); err != nil {
		return err
	}
	if len(u.sums) != len(want) || len(want) != u.head.Files {
		return base.Errorf(base.Corrupt, "the archive has %d files, but its header lists %d and its checksums %d", len(u.sums), u.head.Files, len(want))
	}
	for name, sum := range u.sums {
		if want[name] != sum {
			return base.Errorf(base.Corrupt, "%s has the checksum %s, expected %q", name, sum, want[name])
		}
	}
	return nil
}

func (u *unpacking) json(h *tar.Header, into any) error {
	if h.Size > maxJSON {
		return base.Errorf(base.Corrupt, "%s has %d bytes", h.Name, h.Size)
	}
	text, err := io.ReadAll(u.archive)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return base.Errorf(base.Corrupt, "%s: %w", h.Name, err)
	}
	return nil
}
