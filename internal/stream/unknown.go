package stream

import (
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// The JSON values [], {} and null do not tell the type of a column. If the table has the column,
// such a value gets the type that the column has there. Otherwise the column is left out of the
// batch, as if the message did not have it, until a later message tells the type.

// dropUnknownTypes returns the rows rec without the columns and struct fields of unknown type. A
// type is unknown if neither the values nor the table t tell it. t may be nil. For each removed
// column or field, dropUnknownTypes calls the function left with its path. The caller still owns
// rec.
func dropUnknownTypes(rec arrow.RecordBatch, t *schema.Table, left func(path []string)) arrow.RecordBatch {
	found := false
	for _, f := range rec.Schema().Fields() {
		switch {
		case f.Type.ID() != arrow.NULL:
			found = found || hasUnknownType(f.Type)
		case t == nil || t.ColumnIndex(f.Name) < 0:
			// The type of this column is unknown. The append to the table leaves out such columns
			// too, but does not report them.
			left([]string{f.Name})
		}
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
		path := []string{f.Name}
		column := resolve(rec.Column(i), want, path, left)
		if column == nil {
			left(path)
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

// hasUnknownType reports whether a type is unknown in part: whether it is, or contains, the type
// NULL or a struct without fields.
func hasUnknownType(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.NullType:
		return true
	case *arrow.StructType:
		for _, f := range t.Fields() {
			if hasUnknownType(f.Type) {
				return true
			}
		}
		return t.NumFields() == 0
	case *arrow.ListType:
		return hasUnknownType(t.Elem())
	}
	return false
}

// resolve returns the array a without its struct fields of unknown type. path is the path of the
// array, from its column on. The argument want is the type that the table has for it, or nil if the
// table has none. For each removed field, resolve calls the function left with its path. The result
// is nil if nothing remains.
func resolve(a arrow.Array, want *schema.Type, path []string, left func(path []string)) arrow.Array {
	t := a.DataType()
	alike := want == nil || want.Kind == schema.Struct && t.ID() == arrow.STRUCT || want.Kind == schema.List && t.ID() == arrow.LIST
	if !alike || !hasUnknownType(t) {
		a.Retain() // keep the array: the append to the table checks whether its type fits
		return a
	}
	switch a := a.(type) {
	case *array.Struct:
		return resolveStruct(a, want, path, left)
	case *array.List:
		var elem *schema.Type
		if want != nil {
			elem = want.Elem
		}
		values := resolve(a.ListValues(), elem, path, left)
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
	return nil // the array has the type NULL
}

func resolveStruct(a *array.Struct, want *schema.Type, path []string, left func(path []string)) arrow.Array {
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
		at := append(slices.Clone(path), f.Name)
		column := resolve(whole, of, at, left)
		whole.Release()
		if column == nil {
			left(at)
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

// unknowns are the paths of columns and struct fields that occur in messages, but only with values
// that do not tell a type. A query that names such a path fails until a message tells the type.
type unknowns struct {
	mu sync.Mutex
	// paths maps the joined names of each path to the path. It is guarded by mu.
	paths map[string][]string
}

// maxUnknown is the maximum number of paths of unknown type that a source remembers from one batch
// to the next. Without it there could be any number, because messages choose the names.
const maxUnknown = 1000

func (u *unknowns) add(path []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.paths == nil {
		u.paths = map[string][]string{}
	}
	u.paths[strings.Join(path, "\x00")] = path
}

// forgetKnown removes the paths whose type is known now, because t, the table of messages, has
// these columns or fields. If there are more than maxUnknown paths, it removes others too.
func (u *unknowns) forgetKnown(t schema.Table) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for key, path := range u.paths {
		if _, lacks := withPath(t, path); !lacks || len(u.paths) > maxUnknown {
			delete(u.paths, key)
		}
	}
}

func (u *unknowns) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.paths)
}

// addTo returns t, the table of messages, with all paths of unknown type added, as columns and
// fields of type VARCHAR. lacks reports whether a path was added.
func (u *unknowns) addTo(t schema.Table) (_ schema.Table, lacks bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, path := range u.paths {
		with, more := withPath(t, path)
		t, lacks = with, lacks || more
	}
	return t, lacks
}

// withMissing is for a query that failed because the table t, which it reads, lacks a column or
// field. err is DuckDB's error, which has the name of the column or field. If the query contains
// this name, withMissing returns t with it added, as a column of type VARCHAR, and as a field of
// all structs. The result lacks reports whether anything was added.
func withMissing(t schema.Table, query string, err error) (_ schema.Table, lacks bool) {
	tokens, splitErr := sqltoken.Split(query)
	if splitErr != nil {
		return t, false
	}
	line, missing, last := schema.Fold(firstLine(err)), "", -1
	for _, token := range tokens {
		if !token.IsName() {
			continue
		}
		// In the query, the name of a column or struct precedes the name of the missing field.
		if at := strings.LastIndex(line, `"`+schema.Fold(token.Name())+`"`); at > last {
			missing, last = token.Name(), at
		}
	}
	if missing == "" {
		return t, false
	}
	t.Columns = slices.Clone(t.Columns)
	for i := range t.Columns {
		var more bool
		t.Columns[i].Type, more = withFieldEverywhere(t.Columns[i].Type, missing)
		lacks = lacks || more
	}
	t, more := withPath(t, []string{missing})
	return t, lacks || more
}

// withFieldEverywhere returns the type t with a field of type VARCHAR added to all structs in it
// that do not have a field of this name. lacks reports whether a field was added.
func withFieldEverywhere(t schema.Type, name string) (_ schema.Type, lacks bool) {
	switch t.Kind {
	case schema.List:
		elem, lacks := withFieldEverywhere(*t.Elem, name)
		return schema.ListOf(elem), lacks
	case schema.Struct:
		fields := slices.Clone(t.Fields)
		for i := range fields {
			var more bool
			fields[i].Type, more = withFieldEverywhere(fields[i].Type, name)
			lacks = lacks || more
		}
		t, more := withField(schema.StructOf(fields...), []string{name})
		return t, lacks || more
	}
	return t, false
}

// withPath returns the table t with a column or field of type VARCHAR added at a path. If t already
// has the column or field, t is returned as it is, and the result lacks is false.
func withPath(t schema.Table, path []string) (_ schema.Table, lacks bool) {
	i := t.ColumnIndex(path[0])
	if i < 0 {
		column := schema.Column{ID: t.NextColumnID, Name: path[0], Type: schema.Of(schema.Varchar)}
		t.Columns = append(slices.Clone(t.Columns), column)
		t.NextColumnID++
		return t, true
	}
	typ, lacks := withField(t.Columns[i].Type, path[1:])
	if lacks {
		t.Columns = slices.Clone(t.Columns)
		t.Columns[i].Type = typ
	}
	return t, lacks
}

// withField returns the type t with a field of type VARCHAR added, at a path through structs and
// lists of structs. If t already has the field, t is returned as it is, and the result lacks is
// false.
func withField(t schema.Type, path []string) (_ schema.Type, lacks bool) {
	switch {
	case len(path) == 0:
		return t, false
	case t.Kind == schema.List:
		elem, lacks := withField(*t.Elem, path)
		return schema.ListOf(elem), lacks
	case t.Kind != schema.Struct:
		return t, false
	}
	fields := slices.Clone(t.Fields)
	for i := range fields {
		if schema.Fold(fields[i].Name) == schema.Fold(path[0]) {
			fields[i].Type, lacks = withField(fields[i].Type, path[1:])
			return schema.StructOf(fields...), lacks
		}
	}
	return schema.StructOf(append(fields, schema.Field{Name: path[0], Type: schema.Of(schema.Varchar)})...), true
}
