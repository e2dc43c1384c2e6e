package snapshot

import (
	"testing"

	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/memtable"
)

func TestOnlyTheLastReferenceReleases(t *testing.T) {
	for _, misuses := range [][]string{{"Release", "Retain"}, {"Retain", "Release"}} {
		onlyTheLastReferenceReleases(t, misuses)
	}
}

func onlyTheLastReferenceReleases(t *testing.T, misuses []string) {
	t.Helper()
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
	for _, name := range misuses {
		misuse := map[string]func(){"Release": s.Release, "Retain": s.Retain}[name]
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
