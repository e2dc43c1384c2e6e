package updates

import (
	"context"
	"fmt"
	"time"
)

// size says how much of the table is changed. The change consists of n updates, and of(i) returns
// update i.
type size struct {
	name string
	of   func(n int) update
	n    int
}

// The method sizes measures changes of Scoter's table that affect different shares of its rows, and
// the queries after each change.
func (b *bench) sizes(ctx context.Context) error {
	for _, share := range []size{
		{"1 row", func(n int) update { return single(n, b.Scale) }, 1},
		{"0.01%", func(int) update { return share(10_000) }, 1},
		{"1%", func(int) update { return share(100) }, 1},
		{"10%", func(int) update { return share(10) }, 1},
	} {
		if err := b.readChanged(ctx, share); err != nil {
			return err
		}
	}
	return nil
}

// The method unread measures a table after many of its rows were changed one by one, while no query
// read the table.
func (b *bench) unread(ctx context.Context) error {
	return b.readChanged(ctx, size{fmt.Sprintf("%d single rows", b.Unread), func(n int) update { return single(n, b.Scale) }, b.Unread})
}

// readChanged updates rows of Scoter's table and measures queries over it. Then it deletes the same
// rows from a new table, and measures queries over that.
func (b *bench) readChanged(ctx context.Context, size size) error {
	own := b.sides
	b.sides = b.sides[:1]
	defer func() { b.sides = own }()
	s := b.sides[0]
	for _, kind := range []string{"update", "delete"} {
		name := kind + " of " + size.name
		b.progress.Step(name)
		if err := s.fill(ctx, "changed", s.load("changed", b.parquet)); err != nil {
			return err
		}
		began := time.Now()
		for n := range size.n {
			if _, err := s.all(ctx, s.change("changed", size.of(n), kind == "delete")); err != nil {
				return err
			}
		}
		b.report.Add(name+": to visible", float64(time.Since(began).Microseconds())/1000, "ms")
		if err := b.read(ctx, name, b.report.Chart(name+": query, changed to written anew", "ratio")); err != nil {
			return err
		}
	}
	return nil
}
