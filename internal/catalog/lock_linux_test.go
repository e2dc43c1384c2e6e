package catalog

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

func TestOtherProgramsAreLockedOutWhileTheCatalogIsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	c, _ := mustOpen(t, vfs.OS, path)
	other, err := sqlite3.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Exec(`SELECT * FROM meta`); !errors.Is(err, sqlite3.BUSY) {
		t.Fatalf("another program reads: %v", err)
	}
	if err := c.Apply(script()[0]); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := other.Exec(`BEGIN; SELECT * FROM meta`); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(vfs.OS, path); base.KindOf(err) != base.Conflict {
		t.Fatalf("opened while another program reads: %v", err)
	}
	if err := other.Exec(`COMMIT`); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, vfs.OS, path)
}
