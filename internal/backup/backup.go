// Package backup writes a data directory as one stream of bytes, while the directory is in use, and
// restores a data directory from such a stream. The stream is a tar archive, which any tool can
// read:
//
//	backup.json      a description: see header
//	patches/...      the files of the directory, by name; the log ends at the moment of the backup
//	parts/...
//	wal/...
//	catalog.db
//	checksums.json   the CRC32C of each file, in hexadecimal; without it the stream is incomplete
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

	// FormatVersion is the version of the archive's format. The files in the archive have format
	// versions of their own.
	FormatVersion = 1

	// ContentType is the media type of the archive.
	ContentType = "application/x-tar"
)

// header is the first file of an archive, which describes it.
type header struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // version of the Scoter that made the archive
	Created time.Time `json:"created"`
	Seq     base.Seq  `json:"seq"`   // number of the last edit in the archive
	Files   int       `json:"files"` // number of files, without header and checksums
	Bytes   int64     `json:"bytes"` // size of these files in bytes
}

// Write writes an archive of an image of the data directory. If a file differs from what the
// catalog says, or the log is damaged, the error is Corrupt: a backup of damaged data would be
// useless. After an error the output is incomplete, and Restore refuses it.
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

// stoppable is a reader that returns an error after its context has ended.
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
