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

// pageReserve is the number of bytes at the end of each page that SQLite does not use. They contain
// the page's checksum. SQLite's checksum extension, which is part of the driver, verifies each page
// on reading if the file's header has this number.
const pageReserve = 8

// CopyTo writes the current content as a catalog of its own, without free pages, to path, where no
// file may exist. The caller makes it durable. While it is unknown what the catalog contains (see
// Apply), it returns an error.
func (c *Catalog) CopyTo(path string) error {
	return c.read("copy", func() error {
		if err := c.resolve(); err != nil {
			return err
		}
		c.fs.lastErr = nil
		return c.copyTo(path, nil)
	})
}

// copyTo copies all tables to a new file with checksums, and then runs the steps on the new file.
// VACUUM INTO is no alternative: for a large catalog it writes some pages before the first one, and
// these would have no checksums.
func (c *Catalog) copyTo(path string, steps []string) (err error) {
	to, err := sqlite3.Open(c.uri(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	// After a failure the new file is removed, so it needs no journal.
	if err := to.Exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF`); err != nil {
		return err
	}
	if err := reserve(to); err != nil {
		return err
	}
	// Write the first page first: SQLite writes checksums only after it.
	if err := to.Exec(fmt.Sprintf(`PRAGMA application_id = %d; ATTACH '%s' AS source`, applicationID, strings.ReplaceAll(c.uri(c.path), "'", "''"))); err != nil {
		return err
	}
	statements, err := copyStatements(to)
	if err != nil {
		return err
	}
	return to.Exec("BEGIN; " + strings.Join(append(statements, steps...), ";\n") + "; COMMIT; DETACH source")
}

// reserve makes a new database store checksums.
func reserve(db *sqlite3.Conn) error {
	_, err := db.FileControl("main", sqlite3.FCNTL_RESERVE_BYTES, pageReserve)
	return err
}

// copyStatements returns statements that create the tables, rows and indexes of the attached
// database.
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

// upgrade converts the catalog from an older format to the newest. It writes a new file, and
// replaces the old one when the new one is complete and durable. So a crash leaves either the old
// or the new file.
func (c *Catalog) upgrade(version int64) error {
	if err := c.removeUpgrade(); err != nil {
		return err
	}
	steps := append(upgrades[version-1:len(upgrades):len(upgrades)], fmt.Sprintf("UPDATE main.meta SET format_version = %d", FormatVersion))
	if err := c.copyTo(c.upgradePath(), steps); err != nil {
		return errors.Join(err, c.removeUpgrade())
	}
	// SQLite must not find a journal of the old file next to the new one.
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

// removeUpgrade removes the file of an upgrade that did not finish.
func (c *Catalog) removeUpgrade() error {
	if err := c.fs.fs.Remove(c.upgradePath()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// checkReserve compares the file's header with the format. If a damaged byte in the header said
// that there are no checksums, SQLite would not verify them.
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
		return base.Errorf(base.Corrupt, "the byte at offset %d is %d, expected %d in format %d", at, found[0], want, version)
	}
	return nil
}

// uri names a file of the catalog's file system. Only a URI can tell SQLite to use another file
// system than its own.
func (c *Catalog) uri(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) + "?vfs=" + c.fs.name
}
