package catalog

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ncruces/go-sqlite3"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

//go:embed schema.sql
var schemaSQL string

// applicationID marks the SQLite file as a catalog of Scoter ("SCTR"). The tool file(1) and Open
// check it.
const applicationID = 0x53435452

// Catalog is an open catalog. Its methods may be called concurrently, and run one at a time.
//
// It uses ncruces/go-sqlite3, which is SQLite without cgo and accepts a custom file system. No
// other Go driver does both.
type Catalog struct {
	path string
	mu   sync.Mutex // guards all fields below
	fs   *sqliteFS
	db   *sqlite3.Conn
	// lock keeps other SQLite programs out, if the file is on a real file system: see
	// lockOthersOut.
	lock io.Closer
	// statements has the prepared statements, by their SQL text.
	statements map[string]*sqlite3.Stmt
	// edits is the number of edits in the file, as far as Apply knows. It can be wrong only while
	// doubt is set.
	edits int64
	// doubt is set while it is unknown whether the file has the last edit. Apply has reported that
	// edit as failed.
	doubt  bool
	broken error // error that Apply returns for every edit; nil if edits are accepted
	closed bool
}

// Open opens the catalog at path and loads it. If the file does not exist, Open creates it. The
// caller must hold the data directory's lock. Errors:
//   - Invalid: the file has a newer format
//   - Corrupt: the file is damaged, or is not a catalog
//   - StorageFull or Unavailable: the disk fails
func Open(fsys vfs.FS, path string) (*Catalog, State, error) {
	c := &Catalog{path: path, fs: registerFS(fsys), statements: map[string]*sqlite3.Stmt{}}
	state, err := c.open()
	if err != nil {
		return nil, State{}, errors.Join(c.wrap(err, "open"), c.Close())
	}
	return c, state, nil
}

// Format returns the format version of the catalog at path, without upgrading it. It returns 0 if
// the file is empty. Errors are those of Open.
func Format(fsys vfs.FS, path string) (int64, error) {
	c := &Catalog{path: path, fs: registerFS(fsys), statements: map[string]*sqlite3.Stmt{}}
	err := c.connect()
	var version int64
	if err == nil {
		version, err = c.format()
	}
	return version, errors.Join(c.wrap(err, "open"), c.Close())
}

func (c *Catalog) open() (_ State, err error) {
	if err := c.removeUpgrade(); err != nil {
		return State{}, err
	}
	if err := c.connect(); err != nil {
		return State{}, err
	}
	if err := c.createOrCheck(); err != nil {
		return State{}, err
	}
	if c.edits, err = c.countEdits(); err != nil {
		return State{}, err
	}
	if err := c.finishJournal(); err != nil {
		return State{}, err
	}
	return c.load()
}

// finishJournal makes sure that a crash cannot roll back the last edit any more. SQLite commits an
// edit by writing zeros over the journal's header. These zeros may be only in the page cache if the
// process was killed, or if their sync failed (the kernel then marks the pages as clean). After
// finishJournal, files that the edit made obsolete can be removed safely.
func (c *Catalog) finishJournal() (err error) {
	f, err := c.fs.fs.OpenReadWrite(c.path + JournalSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// The catalog was just created and has no edit yet.
	if size, err := f.Size(); err != nil || size == 0 {
		return err
	}
	// If the first byte is 0, SQLite does not take the file for a journal.
	if _, err := f.WriteAt([]byte{0}, 0); err != nil {
		return err
	}
	return f.Sync()
}

// connect locks and opens the catalog's file. If a crash interrupted an edit, SQLite rolls the edit
// back.
func (c *Catalog) connect() (err error) {
	if c.fs.fs == vfs.OS {
		if err := c.lockFile(); err != nil {
			return err
		}
	}
	if c.db, err = sqlite3.Open(c.uri(c.path)); err != nil {
		return err
	}
	// In the journal mode PERSIST, SQLite writes zeros over the journal's header and keeps the
	// file. So a transaction changes no file name and rarely a length, which makes syncs as cheap
	// as possible: an Apply takes 0.1 ms, instead of 2 ms in the mode TRUNCATE. With synchronous =
	// FULL, SQLite syncs the journal and the database at every commit.
	return c.db.Exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = PERSIST; PRAGMA journal_size_limit = 1048576; PRAGMA synchronous = FULL;
		PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF`)
}

// lockFile locks the catalog's file before SQLite opens it. Otherwise SQLite might roll back a
// journal that belongs to another program which is running. If there is no file, lockFile creates
// an empty one.
func (c *Catalog) lockFile() (err error) {
	f, err := c.fs.fs.Create(c.path)
	switch {
	case err == nil:
		err = errors.Join(f.Close(), c.fs.fs.SyncDir(filepath.Dir(c.path)))
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	if err != nil {
		return err
	}
	c.lock, err = lockOthersOut(c.path)
	return err
}

// format returns the format version of the catalog's file, or 0 if the file is empty. If this
// binary cannot read that format, it returns an error.
func (c *Catalog) format() (version int64, err error) {
	var id, objects int64
	if err := c.queryRow(`PRAGMA application_id`, &id); err != nil {
		return 0, err
	}
	if err := c.queryRow(`SELECT count(*) FROM sqlite_schema`, &objects); err != nil {
		return 0, err
	}
	if objects == 0 && id == 0 {
		return 0, nil
	}
	if id != applicationID {
		return 0, base.Errorf(base.Corrupt, "this SQLite database is not a catalog")
	}
	if err := c.queryRow(`SELECT format_version FROM meta`, &version); err != nil {
		return 0, err
	}
	if version > FormatVersion {
		return 0, base.Errorf(base.Invalid, "format version %d is newer than %d, the newest that this version of Scoter reads", version, FormatVersion).
			WithHint("use the version of Scoter that wrote this directory, or a later one")
	}
	if version < 1 {
		return 0, base.Errorf(base.Corrupt, "format version %d", version)
	}
	return version, c.checkReserve(version)
}

// createOrCheck creates the tables of the catalog if the file is empty, in one transaction.
// Otherwise it checks that the file is a catalog in a known format, and upgrades it to the newest
// one.
func (c *Catalog) createOrCheck() error {
	version, err := c.format()
	if err != nil {
		return err
	}
	switch {
	case version == 0:
		if err := reserve(c.db); err != nil {
			return err
		}
		return c.transaction(func() error {
			return c.db.Exec(fmt.Sprintf(`%s; PRAGMA application_id = %d;
				INSERT INTO meta VALUES (1, %d, 0, 0, 1, 1, 1, 1, 1)`, schemaSQL, applicationID, FormatVersion))
		})
	case version < FormatVersion:
		return c.upgrade(version)
	}
	return nil
}

// upgrades[i] is SQL that converts a catalog from format i+1 to format i+2. A catalog that was
// converted by all of them has the tables of schema.sql.
var upgrades = [FormatVersion - 1]string{upgrade2, upgrade3, upgrade4, upgrade5, upgrade6, upgrade7, upgrade8, upgrade9}

//go:embed upgrade2.sql
var upgrade2 string

//go:embed upgrade3.sql
var upgrade3 string

// upgrade4 is empty, because format 4 changes no table: it only allows more in the JSON of
// definitions.
const upgrade4 = ""

//go:embed upgrade5.sql
var upgrade5 string

//go:embed upgrade6.sql
var upgrade6 string

//go:embed upgrade7.sql
var upgrade7 string

//go:embed upgrade8.sql
var upgrade8 string

//go:embed upgrade9.sql
var upgrade9 string

// Close closes the catalog's file. It may be called more than once.
func (c *Catalog) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	err := c.disconnect()
	c.fs.unregister()
	return c.wrap(err, "close")
}

// disconnect closes the connection to SQLite, and drops the lock that connect took.
func (c *Catalog) disconnect() error {
	var errs []error
	for _, s := range c.statements {
		errs = append(errs, s.Close())
	}
	clear(c.statements)
	if c.db != nil {
		errs = append(errs, c.db.Close())
	}
	if c.lock != nil {
		errs = append(errs, c.lock.Close())
	}
	c.db, c.lock = nil, nil
	return errors.Join(errs...)
}

// read calls the function do, which must only read, if the catalog is open. Otherwise it returns an
// error. The argument doing names the operation in errors.
func (c *Catalog) read(doing string, do func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return base.Errorf(base.Internal, "%s catalog %s: it is closed", doing, c.path)
	}
	c.fs.lastErr = nil
	return c.wrap(do(), doing)
}

// transaction calls the function do within a transaction, and commits it. If the function or the
// commit fails, transaction rolls back and returns the first error. After an error of COMMIT, the
// file may have the transaction or not: see commit and resolve.
func (c *Catalog) transaction(do func() error) error {
	c.fs.lastErr = nil
	if err := c.db.Exec(`BEGIN IMMEDIATE`); err != nil {
		return err
	}
	err := do()
	if err == nil {
		err = c.db.Exec(`COMMIT`)
	}
	if err == nil {
		return nil
	}
	err = c.classify(err)
	// After some errors SQLite has rolled back already. If ROLLBACK fails, the next access to the
	// file rolls back from the journal.
	if !c.db.GetAutocommit() {
		if rollbackErr := c.db.Exec(`ROLLBACK`); rollbackErr != nil && !c.db.GetAutocommit() {
			c.broken = base.Errorf(base.Unavailable, "catalog %s: roll back: %w", c.path, rollbackErr)
			return errors.Join(err, c.broken)
		}
	}
	return err
}

// maxValueBytes is the maximum length in bytes of a text or BLOB that is passed to SQLite. SQLite
// may use 256 MiB of memory in total, and an INSERT takes twice the size of the value. If there is
// no memory to bind a value, the driver panics.
const maxValueBytes = 64 << 20

// prepare returns the prepared statement for an SQL text, with the given arguments bound.
func (c *Catalog) prepare(sql string, args []any) (*sqlite3.Stmt, error) {
	s := c.statements[sql]
	if s == nil {
		var err error
		if s, _, err = c.db.Prepare(sql); err != nil {
			return nil, err
		}
		c.statements[sql] = s
	}
	for i, arg := range args {
		var err error
		switch v := arg.(type) {
		case int64:
			err = s.BindInt64(i+1, v)
		case string:
			if err = checkValue(len(v)); err == nil {
				err = s.BindText(i+1, v)
			}
		case []byte:
			if v == nil {
				v = []byte{} // SQLite would store a nil slice as NULL
			}
			if err = checkValue(len(v)); err == nil {
				err = s.BindBlob(i+1, v)
			}
		default:
			err = base.Errorf(base.Internal, "bind a %T", arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

func checkValue(bytes int) error {
	if bytes > maxValueBytes {
		return base.Errorf(base.TooLarge, "a value of %d bytes: the limit of the catalog is %d", bytes, maxValueBytes)
	}
	return nil
}

// exec runs a statement without result rows in the open transaction, and returns the number of
// changed rows. If no transaction is open, it returns an error. That check is needed because some
// errors make SQLite end the transaction, and then a later statement would commit on its own.
func (c *Catalog) exec(sql string, args ...any) (int64, error) {
	if c.db.GetAutocommit() {
		return 0, base.Errorf(base.Internal, "no transaction is open for %s", sql)
	}
	s, err := c.prepare(sql, args)
	if err != nil {
		return 0, err
	}
	// Release the bound values now, instead of at the statement's next run, to free their memory.
	if err := errors.Join(s.Exec(), s.ClearBindings()); err != nil {
		return 0, err
	}
	return c.db.Changes(), nil
}

// query runs a statement and calls the function row for each row of its result.
func (c *Catalog) query(sql string, row func(*sqlite3.Stmt) error, args ...any) error {
	s, err := c.prepare(sql, args)
	if err != nil {
		return err
	}
	for s.Step() {
		if err := row(s); err != nil {
			return errors.Join(err, s.Reset())
		}
	}
	err = s.Err()
	// Reset returns the error of the statement's last step again. So an error of Reset counts only
	// if the last step had none.
	if resetErr := s.Reset(); err == nil {
		err = resetErr
	}
	return err
}

// queryRow runs a statement whose result is one row of integers, and stores them in out.
func (c *Catalog) queryRow(sql string, out ...*int64) error {
	found := false
	err := c.query(sql, func(s *sqlite3.Stmt) error {
		found = true
		for i := range out {
			*out[i] = s.ColumnInt64(i)
		}
		return nil
	})
	if err == nil && !found {
		return base.Errorf(base.Corrupt, "no row in %s", sql)
	}
	return err
}

// classify gives an error of SQLite its base.Kind. If a file operation failed, the kind is that of
// the operation's error. Otherwise it follows from SQLite's error code.
func (c *Catalog) classify(err error) error {
	var known *base.Error
	var failed *sqlite3.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case c.fs.lastErr != nil:
		return base.Errorf(base.KindOf(c.fs.lastErr), "%w (%v)", err, c.fs.lastErr)
	case errors.Is(err, sqlite3.CORRUPT), errors.Is(err, sqlite3.NOTADB):
		return base.Errorf(base.Corrupt, "%w", err)
	case errors.Is(err, sqlite3.IOERR_DATA):
		return base.Errorf(base.Corrupt, "a page has a wrong checksum: %w", err)
	case errors.Is(err, sqlite3.FULL):
		return base.Errorf(base.StorageFull, "%w", err)
	case errors.Is(err, sqlite3.CONSTRAINT):
		return base.Errorf(base.Conflict, "%w", err)
	case errors.As(err, &failed) && strings.Contains(failed.Error(), "no such"):
		return base.Errorf(base.Corrupt, "a table of the catalog is missing: %w", err)
	}
	return base.Errorf(base.Internal, "%w", err)
}

func (c *Catalog) wrap(err error, doing string) error {
	if err == nil {
		return nil
	}
	return base.Wrap(c.classify(err), "%s catalog %s", doing, c.path)
}
