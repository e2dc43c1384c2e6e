package part

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
)

// leafPath identifies a leaf (a Parquet column without children) of a table's column. The leaf is
// the column itself or, in a nested column, a scalar value inside. In a nested column, the field
// path leads from the column to the leaf.
type leafPath struct {
	column   int
	nullable bool   // whether the table's column is nullable
	path     []step // steps from the column to the leaf; empty if the column is scalar
	first    bool   // whether it is the first leaf of its column
	typ      arrow.DataType
}

// step is one level of a path into a nested column. In a struct it leads to the field with the
// index child. In a list or map it leads to the elements or entries, and child is 0.
type step struct {
	repeated bool
	child    int
	nullable bool // whether the field or element to which the step leads is nullable
}

// appendLeaves appends the paths of all leaves (Parquet columns without children) of a table's
// column, in Parquet's order.
func appendLeaves(to []leafPath, column int, f arrow.Field) ([]leafPath, error) {
	start := len(to)
	var descend func(path []step, t arrow.DataType) error
	descend = func(path []step, t arrow.DataType) error {
		path = path[:len(path):len(path)]
		switch t := t.(type) {
		case *arrow.StructType:
			for i, child := range t.Fields() {
				if err := descend(append(path, step{child: i, nullable: child.Nullable}), child.Type); err != nil {
					return err
				}
			}
		case *arrow.MapType:
			entries := append(path, step{repeated: true})
			for i, child := range []arrow.Field{t.KeyField(), t.ItemField()} {
				into := append(entries[:len(entries):len(entries)], step{child: i, nullable: child.Nullable})
				if err := descend(into, child.Type); err != nil {
					return err
				}
			}
		case *arrow.ListType:
			return descend(append(path, step{repeated: true, nullable: t.ElemField().Nullable}), t.Elem())
		default:
			_, nested := t.(arrow.NestedType)
			if _, extension := t.(arrow.ExtensionType); nested && !extension {
				return base.Errorf(base.Internal, "type %s is not a storage type", t)
			}
			to = append(to, leafPath{column: column, nullable: f.Nullable, path: path, first: len(to) == start, typ: t})
		}
		return nil
	}
	return to, descend(nil, f.Type)
}
