package mutate

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
func (x *ddlStatement) export() error {
	c := x.c
	verb := c.statement.Verb()
	c.at = 2
	ifNotExists := verb == "CREATE" && c.accept("IF", "NOT", "EXISTS")
	ifExists := verb == "DROP" && c.accept("IF", "EXISTS")
	place := c.at
	parts, err := c.name()
	if err != nil {
		return err
	}
	var name catalog.ExportName
	name.Database, name.Schema, name.Name = x.tableName(parts)
	if verb == "CREATE" {
		t, d, start, err := x.exportDefinition()
		if err != nil {
			return err
		}
		err = x.exports.Create(x.ctx, name, t, d, ifNotExists)
		if e := new(base.Error); errors.As(err, &e) && e.Position > 0 {
			return e.At(e.Position + start)
		}
		return err
	}
	if err := c.end(); err != nil {
		return err
	}
	switch verb {
	case "DROP":
		if err = x.exports.Drop(x.ctx, name); ifExists && base.KindOf(err) == base.NotFound {
			err = nil
		}
	case "PAUSE":
		err = x.exports.Pause(x.ctx, name)
	case "RESUME":
		err = x.exports.Resume(x.ctx, name)
	}
	return c.withPosition(err, place)
}

// exportDefinition reads FROM TABLE name INTO storage (...) [WITH (...)] [AS query]. start is the
// offset of the query in the statement.
func (x *ddlStatement) exportDefinition() (t schema.Table, d export.Definition, start int, err error) {
	c := x.c
	if !c.accept("FROM", "TABLE") {
		return t, d, 0, c.unexpected("FROM TABLE")
	}
	if t, err = x.table(); err != nil {
		return t, d, 0, err
	}
	if !c.accept("INTO") || !c.peek("S3") && !c.peek("FOLDER") {
		return t, d, 0, c.unexpected("INTO S3 or INTO FOLDER")
	}
	storage, err := c.identifier()
	if err != nil {
		return t, d, 0, err
	}
	d.Storage, d.Database = strings.ToUpper(storage), x.req.Database
	if d.Options, err = c.options(); err != nil {
		return t, d, 0, err
	}
	if c.accept("WITH") {
		if d.With, err = c.options(); err != nil {
			return t, d, 0, err
		}
	}
	if c.accept("AS") {
		if d.Query, start = c.rest(); d.Query == "" {
			return t, d, start, c.unexpected("a query")
		}
		return t, d, start, nil
	}
	return t, d, start, c.end()
}
