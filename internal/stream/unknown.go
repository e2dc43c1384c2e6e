package stream

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/schema"
)

// Of [], {} and null in JSON nobody can tell the type. Where the table knows it, they are values of it; else they are left out, as
// if the message did not have them: what it has beside them must not depend on whether another message came before.

// withoutUnknown returns rows without the columns, and fields of structs, whose type neither a value nor the table, if there is one, tells.
// It calls left with their names. The rows that it is given stay the caller's.
func withoutUnknown(rec arrow.RecordBatch, t *schema.Table, left func(name string)) arrow.RecordBatch {
	found := false
	for _, f := range rec.Schema().Fields() {
		found = found || f.Type.ID() != arrow.NULL && hasUnknown(f.Type)
	}
	if !found {
		rec.Retain()
		return rec
	}
	var fields []arrow.Field
	var columns []arrow.Array
	defer func() { releaseArrays(columns) }()
	for i, f := range rec.Schema().Fields() {
		var want *schema.Type
		if t != nil {
			if at := t.ColumnIndex(f.Name); at >= 0 {
				want = &t.Columns[at].Type
			}
		}
		column := known(rec.Column(i), want, left)
		if column == nil {
			left(f.Name)
			continue
		}
		f.Type = column.DataType()
		fields, columns = append(fields, f), append(columns, column)
	}
	md := rec.Schema().Metadata()
	return array.NewRecordBatch(arrow.NewSchema(fields, &md), columns, rec.NumRows())
}

func releaseArrays(all []arrow.Array) {
	for _, a := range all {
		a.Release()
	}
}

// hasUnknown reports whether there is NULL, or a struct without fields, in a type.
func hasUnknown(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.NullType:
		return true
	case *arrow.StructType:
		for _, f := range t.Fields() {
			if hasUnknown(f.Type) {
				return true
			}
		}
		return t.NumFields() == 0
	case *arrow.ListType:
		return hasUnknown(t.Elem())
	}
	return false
}

// known returns an array, for a column or field of the type want, if that is known, without what is of an unknown type in it; nil if nothing is left.
func known(a arrow.Array, want *schema.Type, left func(name string)) arrow.Array {
	t := a.DataType()
	alike := want == nil || want.Kind == schema.Struct && t.ID() == arrow.STRUCT || want.Kind == schema.List && t.ID() == arrow.LIST
	if !alike || !hasUnknown(t) {
		a.Retain() // whether it fits is for the table to say
		return a
	}
	switch a := a.(type) {
	case *array.Struct:
		return knownStruct(a, want, left)
	case *array.List:
		var elem *schema.Type
		if want != nil {
			elem = want.Elem
		}
		values := known(a.ListValues(), elem, left)
		if values == nil {
			return nil
		}
		defer values.Release()
		field := a.DataType().(*arrow.ListType).ElemField()
		field.Type = values.DataType()
		data := array.NewData(arrow.ListOfField(field), a.Len(), a.Data().Buffers(), []arrow.ArrayData{values.Data()}, a.NullN(), a.Data().Offset())
		defer data.Release()
		return array.MakeFromData(data)
	}
	return nil // NULL
}

func knownStruct(a *array.Struct, want *schema.Type, left func(name string)) arrow.Array {
	var fields []arrow.Field
	var children []arrow.ArrayData
	var columns []arrow.Array
	defer func() { releaseArrays(columns) }()
	for i, f := range a.DataType().(*arrow.StructType).Fields() {
		var of *schema.Type
		if want != nil {
			for j := range want.Fields {
				if schema.Fold(want.Fields[j].Name) == schema.Fold(f.Name) {
					of = &want.Fields[j].Type
				}
			}
		}
		whole := array.MakeFromData(a.Data().Children()[i])
		column := known(whole, of, left)
		whole.Release()
		if column == nil {
			left(f.Name)
			continue
		}
		f.Type = column.DataType()
		fields, columns, children = append(fields, f), append(columns, column), append(children, column.Data())
	}
	if len(fields) == 0 && want == nil {
		return nil
	}
	data := array.NewData(arrow.StructOf(fields...), a.Len(), a.Data().Buffers(), children, a.NullN(), a.Data().Offset())
	defer data.Release()
	return array.MakeFromData(data)
}

// namesUnknown reports whether a query's error names something of which messages did not tell the type yet. That is theirs, and passes
// once one does.
func (s *source) namesUnknown(err error) bool {
	found := false
	s.unknown.Range(func(name, _ any) bool {
		found = strings.Contains(schema.Fold(err.Error()), schema.Fold(`"`+name.(string)+`"`))
		return !found
	})
	return found
}
