package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// pgType is a row of PostgreSQL's catalog table pg_type, which describes a type.
type pgType struct {
	name, schema string
	visible      bool
	// class is the class of type, with the letters of pg_type: b base, c composite, d domain, e
	// enum, m multirange, p pseudo, r range.
	class      string
	category   string
	elem, base uint32
	baseMod    int32
	dims       int
	relation   uint32
	labels     []string
}

// kinds maps built-in base types to kinds of values. Values of base types that are not in the map
// are exchanged as text.
var kinds = map[string]ir.Kind{
	"bool": ir.Bool, "int2": ir.Int16, "int4": ir.Int32, "int8": ir.Int64, "oid": ir.Uint32,
	"float4": ir.Float32, "float8": ir.Float64, "numeric": ir.Decimal, "bytea": ir.Blob, "uuid": ir.UUID,
	"date": ir.Date, "time": ir.Time, "timetz": ir.TimeTZ, "timestamp": ir.Timestamp, "timestamptz": ir.TimestampTZ,
	"interval": ir.Interval, "json": ir.JSON, "jsonb": ir.JSON,
}

func (e *Engine) pgType(ctx context.Context, oid uint32) (*pgType, error) {
	if t := e.types[oid]; t != nil {
		return t, nil
	}
	t := &pgType{}
	err := e.conn.QueryRow(ctx, `SELECT t.typname, n.nspname, pg_type_is_visible(t.oid), t.typtype::text, t.typcategory::text,
		CASE WHEN t.typsubscript = 'array_subscript_handler'::regproc THEN t.typelem ELSE 0 END, t.typbasetype, t.typtypmod, t.typndims, t.typrelid
		FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.oid = $1`, oid).
		Scan(&t.name, &t.schema, &t.visible, &t.class, &t.category, &t.elem, &t.base, &t.baseMod, &t.dims, &t.relation)
	if err != nil {
		return nil, fmt.Errorf("read type %d: %w", oid, err)
	}
	if t.class == "e" {
		rows, err := e.conn.Query(ctx, `SELECT enumlabel FROM pg_enum WHERE enumtypid = $1 ORDER BY enumsortorder`, oid)
		if err != nil {
			return nil, err
		}
		if t.labels, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return nil, fmt.Errorf("read enum %s: %w", t.name, err)
		}
	}
	e.types[oid] = t
	return t, nil
}

// formatType returns the type with the given OID as it is written in SQL, such as numeric(10,2).
// typmod is the type's modifier, such as a length.
func (e *Engine) formatType(ctx context.Context, oid uint32, typmod int32) (string, error) {
	var name string
	err := e.conn.QueryRow(ctx, `SELECT format_type($1, nullif($2, -1))`, oid, typmod).Scan(&name)
	if err != nil {
		return "", fmt.Errorf("name type %d: %w", oid, err)
	}
	return name, nil
}

// typ describes the type with the given OID and modifier, such as a length. If it is an array type,
// dims is the declared number of dimensions; PostgreSQL itself ignores that number.
func (e *Engine) typ(ctx context.Context, oid uint32, typmod int32, dims int) (analyze.Type, error) {
	t, err := e.pgType(ctx, oid)
	if err != nil {
		return analyze.Type{}, err
	}
	native, err := e.formatType(ctx, oid, typmod)
	if err != nil {
		return analyze.Type{}, err
	}
	out := analyze.Type{Native: native, Kind: ir.Text}
	if !t.visible || t.schema != "pg_catalog" {
		out.Name = t.name
		if !t.visible {
			out.Schema = t.schema
		}
	}
	switch {
	case t.class == "d":
		inner, err := e.typ(ctx, t.base, t.baseMod, max(dims, t.dims))
		if err != nil {
			return analyze.Type{}, err
		}
		inner.Native = native
		return inner, nil
	case t.elem != 0:
		elem, err := e.typ(ctx, t.elem, typmod, 0)
		if err != nil {
			return analyze.Type{}, err
		}
		list := analyze.ListOf(elem, native, true)
		for ; dims > 1; dims-- {
			list = analyze.ListOf(list, native, true)
		}
		return list, nil
	case t.class == "e":
		out.Kind, out.Values = ir.EnumKind, t.labels
	case t.class == "c":
		return e.composite(ctx, t, out)
	case t.class == "p" && t.name == "record":
		out.Kind = ir.Any
	case t.schema == "pg_catalog":
		out.Name = ""
		if kind, known := kinds[t.name]; known {
			out.Kind = kind
		}
		switch {
		case out.Kind == ir.Decimal && typmod >= 4:
			out.Precision = int((typmod - 4) >> 16 & 0xffff)
			// The scale of the decimal is a signed number in the lowest 11 bits.
			out.Scale = int((typmod-4)&0x7ff^1024) - 1024
		case out.Kind == ir.Timestamp:
			out.Unit = "us"
		}
	}
	return out, nil
}

func (e *Engine) composite(ctx context.Context, t *pgType, out analyze.Type) (analyze.Type, error) {
	r, err := e.relation(ctx, t.relation)
	if err != nil {
		return out, err
	}
	out.Kind = ir.StructKind
	for _, a := range r.attributes {
		field, err := e.typ(ctx, a.typ, a.typmod, a.dims)
		if err != nil {
			return out, err
		}
		out.Fields = append(out.Fields, analyze.TypeField{Name: a.name, Type: field, Nullable: true})
	}
	return out, nil
}

// Type returns the type that the text names, in the spelling of PostgreSQL or of SQG (the generator
// that Scoter replaces). It implements analyze.Engine.
func (e *Engine) Type(ctx context.Context, text string) (analyze.Type, error) {
	var oid uint32
	var typmod int32
	err := e.guarded(ctx, true, func() error {
		d, err := e.conn.PgConn().Prepare(ctx, "", "SELECT NULL::"+strings.TrimSpace(text), nil)
		if err == nil && len(d.Fields) == 1 {
			oid, typmod = d.Fields[0].DataTypeOID, d.Fields[0].TypeModifier
		}
		return err
	})
	if err != nil {
		return analyze.Type{}, refused(err, text)
	}
	if oid == 0 {
		return analyze.Type{}, &analyze.SQLError{Message: "not a type", Offset: -1}
	}
	return e.typ(ctx, oid, typmod, strings.Count(text, "[]"))
}
