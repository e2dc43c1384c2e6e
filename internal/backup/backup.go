// Package backup writes a data directory, while it is in use, as one stream of bytes, and makes a data directory of
// such a stream. The stream is a tar archive, so that any tool can look into it:
//
//	backup.json      what it is: see header
//	patches/...      the files of the directory, by name; those of the log end where the backup's moment is
//	parts/...
//	wal/...
//	catalog.db
//	checksums.json   the CRC32C of each, in hexadecimal digits; a stream without it broke off
package backup

import (
	"archive/tar"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/version"
)

const (
	headerName    = "backup.json"
	checksumsName = "checksums.json"

	// FormatVersion is that of the archive; the files in it have their own.
	FormatVersion = 1

	// ContentType is the archive's.
	ContentType = "application/x-tar"
)

// header begins an archive.
type header struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the Scoter that made it
	Created time.Time `json:"created"`
	Seq     base.Seq  `json:"seq"`   // of the last edit that it holds
	Files   int       `json:"files"` // without header and checksums
	Bytes   int64     `json:"bytes"` // of the files
}

// Write writes an archive of an image. A file that is not what the catalog says of it, or a log that is not as it was written, is Corrupt: a
// backup of damage would be none. After an error what was written is no archive, and Restore knows.
func Write(ctx context.Context, image *engine.Image, created time.Time, w io.Writer) error {
	if err := image.CheckLog(ctx); err != nil {
		return base.Wrap(err, "back up the log")
	}
	archive := tar.NewWriter(w)
	h := header{Format: FormatVersion, Version: version.String(), Created: created.UTC().Truncate(time.Second), Seq: image.Seq, Files: len(image.Files)}
	for _, f := range image.Files {
		h.Bytes += f.Bytes
	}
	if err := addJSON(archive, headerName, h.Created, h); err != nil {
		return err
	}
	checksums := make(map[string]string, len(image.Files))
	for _, f := range image.Files {
		sum, err := add(ctx, archive, image, f, h.Created)
		if err != nil {
			return base.Wrap(err, "back up %s", f.Name)
		}
		if f.Checksum != nil && *f.Checksum != sum {
			return base.Errorf(base.Corrupt, "back up %s: checksum %08x, expected %08x", f.Name, sum, *f.Checksum).
				WithHint("scoter check verifies the whole data directory")
		}
		checksums[f.Name] = fmt.Sprintf("%08x", sum)
	}
	if err := addJSON(archive, checksumsName, h.Created, checksums); err != nil {
		return err
	}
	return archive.Close()
}

func add(ctx context.Context, archive *tar.Writer, image *engine.Image, f engine.ImageFile, created time.Time) (uint32, error) {
	if err := archive.WriteHeader(&tar.Header{Name: f.Name, Size: f.Bytes, Mode: 0o644, ModTime: created}); err != nil {
		return 0, err
	}
	sum := crc32.New(base.Castagnoli)
	err := image.Read(f, func(r io.Reader) error {
		n, err := io.Copy(io.MultiWriter(archive, sum), &stoppable{ctx, r})
		if err == nil && n != f.Bytes {
			err = base.Errorf(base.Corrupt, "%d bytes, expected %d", n, f.Bytes)
		}
		return err
	})
	return sum.Sum32(), err
}

func addJSON(archive *tar.Writer, name string, created time.Time, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return base.Errorf(base.Internal, "%s: %w", name, err)
	}
	if err := archive.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644, ModTime: created}); err != nil {
		return err
	}
	_, err = archive.Write(text)
	return err
}

// stoppable is a reader that ends with its context.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}
