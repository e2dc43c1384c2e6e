package overlay

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// ReadColumns reads columns of a part and passes them to rows, in batches in the order of the
// part's rows. The values are those that were written, without patches, converted to the storage
// types of the given columns. It uses a DuckDB connection of its own, because queries that hold a
// connection wait for the result.
func (o *Overlay) ReadColumns(ctx context.Context, t *snapshot.Table, p *catalog.Part, columns []schema.Column, rows func(columns []arrow.Array) error) error {
	asked := t.Schema.Bare()
	asked.Columns = slices.Clone(asked.Columns)
	for _, c := range columns {
		asked.Columns[asked.ColumnByID(c.ID)] = c
	}
	one := &snapshot.Table{Schema: asked, Parts: []*catalog.Part{p}, Versions: t.Versions}
	relation, err := o.Relation(ctx, one, nil, RelationOptions{Addresses: true})
	if err != nil {
		return err
	}
	defer relation.Close()
	conn, err := o.inst.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	result, err := conn.Query(ctx, "SELECT "+schema.OrdinalColumn+", "+stored(columns, asked)+" FROM ("+relation.SQL+")")
	if err != nil {
		return base.Wrap(err, "part %d", p.ID)
	}
	defer result.Close()
	for next := int64(0); ; {
		rec, err := result.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return base.Wrap(err, "part %d", p.ID)
		}
		for _, ordinal := range rec.Column(0).(*array.Int64).Int64Values() {
			if ordinal != next {
				rec.Release()
				return base.Errorf(base.Internal, "row %d of part %d where row %d is expected", ordinal, p.ID, next)
			}
			next++
		}
		values, err := inStorage(columns, rec.Columns()[1:])
		if err == nil {
			err = rows(values)
		}
		for _, v := range values {
			v.Release()
		}
		rec.Release()
		if err != nil {
			return err
		}
	}
}
