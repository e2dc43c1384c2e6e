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

// pageReserve is the number of bytes at the end of each page that SQLite does not use for data.
// They contain the page's checksum. If the file's header has this number, SQLite's checksum
// extension, which is part of the driver, verifies each page that is read.
const pageReserve = 8

// CopyTo writes the current content of the catalog to a new file at path, without free pages. The
// file must not exist. The caller makes it durable. If it is unknown whether the catalog has the
// last edit (see Apply), CopyTo returns an error.
func (c *Catalog) CopyTo(path string) error {
	return c.read("copy", func() error {
		if err := c.resolve(); err != nil {
			return err
		}
		c.fs.lastErr = nil
		return c.copyTo(path, nil)
	})
}

// copyTo copies all tables of the catalog to a new file whose pages have checksums. Then it
// executes the given SQL statements (steps) on the new file. VACUUM INTO cannot be used: for a
// large catalog it writes some pages before the first one, and these would have no checksums.
func (c *Catalog) copyTo(path string, steps []string) (err error) {
	to, err := sqlite3.Open(c.uri(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	// The new file needs no journal, because it is removed after a failure.
	if err := to.Exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF`); err != nil {
		return err
	}
	if err := reserve(to); err != nil {
		return err
	}
	// Write the first page before all others, because SQLite writes checksums only into pages that
	// are written after it.
	if err := to.Exec(fmt.Sprintf(`PRAGMA application_id = %d; ATTACH '%s' AS source`, applicationID, strings.ReplaceAll(c.uri(c.path), "'", "''"))); err != nil {
		return err
	}
	statements, err := copyStatements(to)
	if err != nil {
		return err
	}
	return to.Exec("BEGIN; " + strings.Join(append(statements, steps...), ";\n") + "; COMMIT; DETACH source")
}

// reserve prepares a new database so that SQLite stores a checksum in each page.
func reserve(db *sqlite3.Conn) error {
	_, err := db.FileControl("main", sqlite3.FCNTL_RESERVE_BYTES, pageReserve)
	return err
}

// copyStatements returns SQL statements that copy an attached database: they create its tables,
// copy its rows and create its indexes.
func copyStatements(db *sqlite3.Conn) (all []string, err error) {
	s, _, err := db.Prepare(`SELECT type, name, sql FROM source.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY type DESC, rowid`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for s.Step() { // the tables come before the indexes
		all = append(all, s.ColumnText(2))
		if s.ColumnText(0) == "table" {
			name := sqlite3.QuoteIdentifier(s.ColumnText(1))
			all = append(all, fmt.Sprintf("INSERT INTO main.%s SELECT * FROM source.%s", name, name))
		}
	}
	return all, s.Err()
}

// upgrade converts the catalog from an older format version to the newest one. It writes a new
// file, and replaces the old file when the new one is complete and durable. So after a crash there
// is either the old or the new file.
func (c *Catalog) upgrade(version int64) error {
	if err := c.removeUpgrade(); err != nil {
		return err
	}
	steps := append(upgrades[version-1:len(upgrades):len(upgrades)], fmt.Sprintf("UPDATE main.meta SET format_version = %d", FormatVersion))
	if err := c.copyTo(c.upgradePath(), steps); err != nil {
		return errors.Join(err, c.removeUpgrade())
	}
	// Close the old file with its journal. SQLite must not apply that journal to the new file.
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

// removeUpgrade removes the unfinished new file that a crash during an upgrade left.
func (c *Catalog) removeUpgrade() error {
	if err := c.fs.fs.Remove(c.upgradePath()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// checkReserve compares the file's header with the format version: the header must say that pages
// have checksums if and only if the format has them. Otherwise checkReserve returns an error,
// because one damaged byte in the header could turn off the verification of checksums.
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

// uri returns the URI by which SQLite opens the file at path. SQLite accepts a file system other
// than its own only in a URI.
func (c *Catalog) uri(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) + "?vfs=" + c.fs.name
}
