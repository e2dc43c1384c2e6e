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

// Of [], {} and null in JSON nobody can tell the type. Where the table knows it, they are values of it; else they are left out, as
// if the message did not have them: what it has beside them must not depend on whether another message came before.

// withoutUnknown returns rows without the columns, and fields of structs, whose type neither a value nor the table, if there is one, tells.
// It calls left with their paths. The rows that it is given stay the caller's.
func withoutUnknown(rec arrow.RecordBatch, t *schema.Table, left func(path []string)) arrow.RecordBatch {
	found := false
	for _, f := range rec.Schema().Fields() {
		switch {
		case f.Type.ID() != arrow.NULL:
			found = found || hasUnknown(f.Type)
		case t == nil || t.ColumnIndex(f.Name) < 0:
			left([]string{f.Name}) // which a table does by itself, but does not tell
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
		column := known(rec.Column(i), want, path, left)
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

// known returns the array at a path, for a column or field of the type want, if that is known, without what is of an unknown type in it; nil if nothing is left.
func known(a arrow.Array, want *schema.Type, path []string, left func(path []string)) arrow.Array {
	t := a.DataType()
	alike := want == nil || want.Kind == schema.Struct && t.ID() == arrow.STRUCT || want.Kind == schema.List && t.ID() == arrow.LIST
	if !alike || !hasUnknown(t) {
		a.Retain() // whether it fits is for the table to say
		return a
	}
	switch a := a.(type) {
	case *array.Struct:
		return knownStruct(a, want, path, left)
	case *array.List:
		var elem *schema.Type
		if want != nil {
			elem = want.Elem
		}
		values := known(a.ListValues(), elem, path, left)
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

func knownStruct(a *array.Struct, want *schema.Type, path []string, left func(path []string)) arrow.Array {
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
		column := known(whole, of, at, left)
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

// unknowns are the paths of columns, and of fields of structs, that messages have, and of which no value told the type yet. A query that
// names one fails until a message does.
type unknowns struct {
	mu    sync.Mutex
	paths map[string][]string // guarded by mu; by their names, joined
}

// maxUnknown bounds how many paths are kept from one batch to the next: messages choose their names.
const maxUnknown = 1000

func (u *unknowns) note(path []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.paths == nil {
		u.paths = map[string][]string{}
	}
	u.paths[strings.Join(path, "\x00")] = path
}

// settle forgets the paths that the table of messages has by now, and all if they are too many.
func (u *unknowns) settle(t schema.Table) {
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

// in returns the table of messages with the paths that it lacks, as text, and whether there is one.
func (u *unknowns) in(t schema.Table) (_ schema.Table, lacks bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, path := range u.paths {
		with, more := withPath(t, path)
		t, lacks = with, lacks || more
	}
	return t, lacks
}

// withMissing returns the table of messages with what an error of DuckDB's says that a query names, and nobody has: as a column, and as a field of all structs, of text.
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
		// What it is missed in comes before it.
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

// withFieldEverywhere returns a type with a field in all structs in it, and whether one lacks that.
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

// withPath returns a table with a path, of text, and whether it lacks that.
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

// withField is withPath for a type. What a path goes through may be structs, and lists of them.
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
