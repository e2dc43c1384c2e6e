package catalog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// pageReserve is how many bytes at the end of each page are not SQLite's: they hold the page's checksum. SQLite's checksum extension, which
// is part of the driver, is on for files whose header says so: it verifies each page that is read.
const pageReserve = 8

// CopyTo writes what the catalog holds now as a catalog of its own at path, where no file is, without free pages; it is as durable as the
// caller makes it. While it is in doubt what the catalog holds, it is an error, as for Apply.
func (c *Catalog) CopyTo(path string) error {
	return c.read("copy", func() error {
		if err := c.resolve(); err != nil {
			return err
		}
		c.fs.lastErr = nil
		return c.copyTo(path, nil)
	})
}

// copyTo writes all tables to a new file with checksums, and changes them there by the steps. VACUUM INTO would do the first, but pages that
// it writes before the first page, which a large catalog makes it do, would have no checksums.
func (c *Catalog) copyTo(path string, steps []string) (err error) {
	to, err := sqlite3.Open(c.uri(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	// After a failure the file is removed: it needs no journal.
	if err := to.Exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF`); err != nil {
		return err
	}
	if err := reserve(to); err != nil {
		return err
	}
	// The first page comes first: from it on checksums are written.
	if err := to.Exec(fmt.Sprintf(`PRAGMA application_id = %d; ATTACH '%s' AS source`, applicationID, strings.ReplaceAll(c.uri(c.path), "'", "''"))); err != nil {
		return err
	}
	statements, err := copyStatements(to)
	if err != nil {
		return err
	}
	return to.Exec("BEGIN; " + strings.Join(append(statements, steps...), ";\n") + "; COMMIT; DETACH source")
}

// reserve has a new database keep checksums.
func reserve(db *sqlite3.Conn) error {
	_, err := db.FileControl("main", sqlite3.FCNTL_RESERVE_BYTES, pageReserve)
	return err
}

// copyStatements makes what the attached database has: tables, their rows, and indexes.
func copyStatements(db *sqlite3.Conn) (all []string, err error) {
	s, _, err := db.Prepare(`SELECT type, name, sql FROM source.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY type DESC, rowid`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for s.Step() { // tables come before indexes
		all = append(all, s.ColumnText(2))
		if s.ColumnText(0) == "table" {
			name := sqlite3.QuoteIdentifier(s.ColumnText(1))
			all = append(all, fmt.Sprintf("INSERT INTO main.%s SELECT * FROM source.%s", name, name))
		}
	}
	return all, s.Err()
}

// upgrade brings the catalog of a format to the newest: in a new file, which takes the old one's place when it is whole and durable. So a
// crash leaves the one or the other.
func (c *Catalog) upgrade(version int64) error {
	if err := c.removeUpgrade(); err != nil {
		return err
	}
	steps := append(upgrades[version-1:len(upgrades):len(upgrades)], fmt.Sprintf("UPDATE main.meta SET format_version = %d", FormatVersion))
	if err := c.copyTo(c.upgradePath(), steps); err != nil {
		return errors.Join(err, c.removeUpgrade())
	}
	// A journal of the old file must not be found beside the new one.
	if err := c.disconnect(); err != nil {
		return err
	}
	if err := c.fs.Delete(c.path+JournalSuffix, true); err != nil && !errors.Is(err, sqlite3.IOERR_DELETE_NOENT) {
		return err
	}
	if err := c.publishUpgrade(); err != nil {
		return err
	}
	return errors.Join(c.removeUpgrade(), c.connect())
}

func (c *Catalog) upgradePath() string { return c.path + ".upgrade" }

func (c *Catalog) publishUpgrade() (err error) {
	f, err := c.fs.fs.Open(c.upgradePath())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Size()
	if err != nil {
		return err
	}
	return vfs.WriteFile(c.fs.fs, c.path, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(f, 0, size))
		return err
	})
}

// removeUpgrade removes what an upgrade that ended early left.
func (c *Catalog) removeUpgrade() error {
	if err := c.fs.fs.Remove(c.upgradePath()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// checkReserve compares the file's header with the format: a header that says, by a damaged byte, that there are no checksums
// would turn off their verification.
func (c *Catalog) checkReserve(version int64) (err error) {
	f, err := c.fs.fs.Open(c.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	const at = 20
	var found [1]byte
	if _, err := f.ReadAt(found[:], at); err != nil {
		return err
	}
	want := byte(0)
	if version >= checksumFormat {
		want = pageReserve
	}
	if found[0] != want {
		return base.Errorf(base.Corrupt, "the byte at offset %d is %d, and %d in format %d", at, found[0], want, version)
	}
	return nil
}

// uri names a file of the catalog's file system: the one way to tell SQLite of a file system that is not its own.
func (c *Catalog) uri(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) + "?vfs=" + c.fs.name
}
