package vfs

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/scoterdb/scoter/internal/base"
)

// writeFileBufferBytes is the size of the buffer between write and the file. With this size, system
// calls cost little compared to copying the bytes.
const writeFileBufferBytes = 256 << 10

// WriteFile publishes the output of write as the file at path and replaces an older file. After a
// nil error the bytes and the name are durable. After an error or a crash, path holds the old file,
// no file, or the whole new file, but never a part of it. Only one caller at a time may write a
// path.
//
// If only the last step failed (syncing the folder), the error is returned although the new file
// may be in place. The caller must treat the file as unpublished and may publish it again.
func WriteFile(fsys FS, path string, write func(io.Writer) error) error {
	temp := path + TempSuffix
	// If a process crashed in an earlier attempt, the temporary file still exists. Remove it.
	if err := fsys.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return base.Wrap(err, "write %s", path)
	}
	if err := writeTemp(fsys, temp, write); err != nil {
		return base.Wrap(errors.Join(err, removeIfThere(fsys, temp)), "write %s", path)
	}
	if err := fsys.rename(temp, path); err != nil {
		return base.Wrap(errors.Join(err, removeIfThere(fsys, temp)), "write %s", path)
	}
	return base.Wrap(fsys.SyncDir(filepath.Dir(path)), "write %s", path)
}

func writeTemp(fsys FS, temp string, write func(io.Writer) error) error {
	f, err := fsys.Create(temp)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(io.NewOffsetWriter(f, 0), writeFileBufferBytes)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func removeIfThere(fsys FS, path string) error {
	if err := fsys.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// MkdirAll makes a folder and its missing parents, and makes them durable. It is not an error if
// the folder exists, also as a symbolic link to a folder.
func MkdirAll(fsys FS, dir string) error {
	dir = filepath.Clean(dir)
	parent := filepath.Dir(dir)
	info, err := fsys.Stat(dir)
	isDir := err == nil && info.IsDir
	if err == nil && !isDir {
		_, listErr := fsys.List(dir) // List follows a link, unlike Stat
		isDir = listErr == nil
	}
	switch {
	case isDir:
		// The folder exists, but may not be durable: a process may have been killed between Mkdir
		// and SyncDir. Ignore a parent that cannot be opened, because Scoter did not make it.
		if err := fsys.SyncDir(parent); !errors.Is(err, fs.ErrPermission) {
			return base.Wrap(err, "make folder %s", dir)
		}
		return nil
	case err == nil:
		return base.Errorf(base.Conflict, "make folder %s: a file has that name", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return base.Wrap(err, "make folder %s", dir)
	}
	if parent != dir {
		if err := MkdirAll(fsys, parent); err != nil {
			return err
		}
	}
	if err := fsys.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return base.Wrap(err, "make folder %s", dir)
	}
	return base.Wrap(fsys.SyncDir(parent), "make folder %s", dir)
}

// RemoveAll removes a file, or a folder with its contents. A missing path is not an error. The
// removal is durable after SyncDir of the parent.
func RemoveAll(fsys FS, path string) error {
	info, err := fsys.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return base.Wrap(err, "remove %s", path)
	}
	if info.IsDir {
		names, err := fsys.List(path)
		if err != nil {
			return base.Wrap(err, "remove %s", path)
		}
		for _, name := range names {
			if err := RemoveAll(fsys, filepath.Join(path, name)); err != nil {
				return err
			}
		}
	}
	return base.Wrap(fsys.Remove(path), "remove %s", path)
}

// ReadFile returns the contents of a file. A file of more than limitBytes is TooLarge.
func ReadFile(fsys FS, path string, limitBytes int64) (data []byte, err error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, base.Wrap(err, "read %s", path)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Size()
	if err != nil {
		return nil, base.Wrap(err, "read %s", path)
	}
	if size > limitBytes {
		return nil, base.Errorf(base.TooLarge, "read %s: %d bytes, limit %d", path, size, limitBytes)
	}
	data = make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, size), data); err != nil {
		return nil, base.Wrap(err, "read %s", path)
	}
	return data, nil
}
