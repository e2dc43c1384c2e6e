package catalog

import "strings"

// CopyTo writes what the catalog holds now as a catalog of its own at path, where no file is. SQLite's VACUUM INTO
// writes it whole and without free pages; it is as durable as the caller makes it. While it is in doubt what the catalog holds, it is
// an error, as for Apply.
func (c *Catalog) CopyTo(path string) error {
	return c.read("copy", func() error {
		if err := c.resolve(); err != nil {
			return err
		}
		c.fs.lastErr = nil
		return c.db.Exec("VACUUM INTO '" + strings.ReplaceAll(c.uri(path), "'", "''") + "'")
	})
}

// uri names a file of the catalog's file system: the one way to tell SQLite of a file system that is not its own.
func (c *Catalog) uri(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) + "?vfs=" + c.fs.name
}
