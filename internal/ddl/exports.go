package ddl

import (
	"context"
	"errors"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/export"
	"github.com/scoterdb/scoter/internal/schema"
)

// Exports manages exports for statements. Package export implements it.
type Exports interface {
	Create(ctx context.Context, name catalog.ExportName, t schema.Table, d export.Definition, ifNotExists bool) error
	Drop(ctx context.Context, name catalog.ExportName) error
	Pause(ctx context.Context, name catalog.ExportName) error
	Resume(ctx context.Context, name catalog.ExportName) error
}

// export runs a statement that manages exports, such as CREATE EXPORT.
func (x *Statement) export() error {
	c := x.Reader
	verb := c.Statement.Verb()
	c.At = 2
	ifNotExists := verb == "CREATE" && c.Accept("IF", "NOT", "EXISTS")
	ifExists := verb == "DROP" && c.Accept("IF", "EXISTS")
	place := c.At
	parts, err := c.Name()
	if err != nil {
		return err
	}
	var name catalog.ExportName
	name.Database, name.Schema, name.Name = x.TableName(parts)
	if verb == "CREATE" {
		t, d, start, err := x.exportDefinition()
		if err != nil {
			return err
		}
		err = x.Exports.Create(x.Ctx, name, t, d, ifNotExists)
		if e := new(base.Error); errors.As(err, &e) && e.Position > 0 {
			return e.At(e.Position + start)
		}
		return err
	}
	if err := c.End(); err != nil {
		return err
	}
	switch verb {
	case "DROP":
		if err = x.Exports.Drop(x.Ctx, name); ifExists && base.KindOf(err) == base.NotFound {
			err = nil
		}
	case "PAUSE":
		err = x.Exports.Pause(x.Ctx, name)
	case "RESUME":
		err = x.Exports.Resume(x.Ctx, name)
	}
	return c.WithPosition(err, place)
}

// exportDefinition reads FROM TABLE name INTO storage (...) [WITH (...)] [AS query]. start is the
// offset of the query in the statement.
func (x *Statement) exportDefinition() (t schema.Table, d export.Definition, start int, err error) {
	c := x.Reader
	if !c.Accept("FROM", "TABLE") {
		return t, d, 0, c.Unexpected("FROM TABLE")
	}
	if t, err = x.NamedTable(); err != nil {
		return t, d, 0, err
	}
	if !c.Accept("INTO") || !c.Peek("S3") && !c.Peek("FOLDER") {
		return t, d, 0, c.Unexpected("INTO S3 or INTO FOLDER")
	}
	storage, err := c.Identifier()
	if err != nil {
		return t, d, 0, err
	}
	d.Storage, d.Database = strings.ToUpper(storage), x.Request.Database
	if d.Options, err = c.Options(); err != nil {
		return t, d, 0, err
	}
	if c.Accept("WITH") {
		if d.With, err = c.Options(); err != nil {
			return t, d, 0, err
		}
	}
	if c.Accept("AS") {
		if d.Query, start = c.Rest(); d.Query == "" {
			return t, d, start, c.Unexpected("a query")
		}
		return t, d, start, nil
	}
	return t, d, start, c.End()
}
