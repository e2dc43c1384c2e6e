package snapshot

import (
	"testing"

	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/memtable"
)

func TestOnlyTheLastReferenceReleases(t *testing.T) {
	released := 0
	s := New(3, nil, func() { released++ })
	s.Retain()
	s.Release()
	if released != 0 {
		t.Fatal("released while a reference is held")
	}
	s.Release()
	if released != 1 {
		t.Fatalf("released %d times", released)
	}
	for name, misuse := range map[string]func(){"Release": s.Release, "Retain": s.Retain} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s after the last release went unnoticed", name)
				}
			}()
			misuse()
		}()
	}
	if released != 1 {
		t.Fatalf("released %d times", released)
	}
}

func TestRowsCountsPartsAndMemtables(t *testing.T) {
	table := Table{Parts: []*catalog.Part{{Rows: 3}, {Rows: 4}}, Memtables: []memtable.View{{Rows: 5}}}
	if table.Rows() != 12 {
		t.Fatalf("%d rows", table.Rows())
	}
}
