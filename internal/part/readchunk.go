package part

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// ReadChunk returns the values of one column in one row group of a part, in the storage type of the version of the
// table that the part was written with, on Go's heap. Nested columns are an Internal error: arrow-go reads them with
// goroutines of its own, where a damaged page panics and nobody can recover.
func ReadChunk(fsys vfs.FS, path string, table schema.Table, group int, column base.ColumnID) (values arrow.Array, err error) {
	at := table.ColumnByID(column)
	if at < 0 {
		return nil, base.Errorf(base.Internal, "part %s has no column %d", path, column)
	}
	want := table.Arrow().Field(at).Type
	if _, nested := want.(arrow.NestedType); nested {
		return nil, base.Errorf(base.Internal, "part %s: column %d is nested", path, column)
	}
	err = open(fsys, path, func(r *file.Reader, footer Footer) error {
		if err := matches(footer, table); err != nil {
			return err
		}
		if group < 0 || group >= footer.RowGroups {
			return base.Errorf(base.Internal, "row group %d of %d", group, footer.RowGroups)
		}
		fr, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{BatchSize: batchRows(r)}, memory.DefaultAllocator)
		if err != nil {
			return err
		}
		read, err := fr.RowGroup(group).Column(at).Read(context.Background())
		if err != nil {
			return err
		}
		defer read.Release()
		whole, err := array.Concatenate(read.Chunks(), memory.DefaultAllocator)
		if err != nil {
			return err
		}
		defer whole.Release()
		data, err := relabel(whole.Data(), want)
		if err != nil {
			return err
		}
		values = array.MakeFromData(data)
		data.Release()
		return nil
	})
	return values, err
}
