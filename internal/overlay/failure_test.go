package overlay

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// TestUnreadableRowsAreNoFaultOfTheStatement damages parts. Their rows are read because only some
// of their columns are patched.
func TestUnreadableRowsAreNoFaultOfTheStatement(t *testing.T) {
	for name, damage := range map[string]func(path string, bytes []byte) error{
		"truncated": func(path string, bytes []byte) error { return os.WriteFile(path, bytes[:len(bytes)/2], 0o644) },
		"gone":      func(path string, bytes []byte) error { return os.Remove(path) },
		"no footer": func(path string, bytes []byte) error {
			for i := len(bytes) - 200; i < len(bytes)-8; i++ {
				bytes[i] = 0xff
			}
			return os.WriteFile(path, bytes, 0o644)
		},
		"pages": func(path string, bytes []byte) error {
			for i := 4; i < len(bytes)/2; i++ {
				bytes[i] = 0xff
			}
			return os.WriteFile(path, bytes, 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := newPatchedTable(f, newTable(t, schema.Of(schema.BigInt), schema.Of(schema.Varchar)), 1)
			p.addPart(10, 20_000)
			path := f.overlay.file(p.now.Parts[0]).Path()
			bytes, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(path, bytes); err != nil {
				t.Fatal(err)
			}
			read := func(options RelationOptions) error {
				t.Helper()
				r, err := f.overlay.Relation(context.Background(), &p.now, nil, options)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				rows, err := f.conn.Query(context.Background(), "SELECT sum(length(v1)) FROM ("+r.SQL+")")
				if err == nil {
					rows.Close()
				}
				return err
			}
			plain := read(RelationOptions{})
			p.update(10, p.some(10, 20_000), p.now.Schema.Columns[0])
			// the part is read only for its changed rows
			changed := read(RelationOptions{InMemory: true})
			if base.KindOf(plain) != base.Corrupt || base.KindOf(changed) != base.Corrupt {
				t.Errorf("plain: %v, %v\nchanged: %v, %v", base.KindOf(plain), plain, base.KindOf(changed), changed)
			}
			if changed != nil && !strings.Contains(changed.Error(), "rows that were changed, of part 10") {
				t.Error(changed)
			}
		})
	}
}
