package ddl

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
)

// drop runs a DROP statement. It reads the statement from the token after DROP on.
func (x *Statement) drop() error {
	c := x.Reader
	what := ""
	for _, w := range []string{"TABLE", "VIEW", "SCHEMA", "DATABASE"} {
		if c.Accept(w) {
			what = w
			break
		}
	}
	if what == "" {
		return c.Unexpected("TABLE, VIEW, SCHEMA or DATABASE")
	}
	ifExists := c.Accept("IF", "EXISTS")
	place := c.At
	parts, err := c.Name()
	if err != nil {
		return err
	}
	cascade := c.Accept("CASCADE")
	_ = cascade || c.Accept("RESTRICT")
	if err := c.End(); err != nil {
		return err
	}
	switch what {
	case "TABLE":
		var t schema.Table
		if t, err = x.Lookup(parts); err == nil {
			err = x.Tables.DropTable(x.Ctx, t.ID)
		}
	case "VIEW":
		database, schemaName, name := x.TableName(parts)
		err = x.Views.DropView(x.Ctx, catalog.ViewName{Database: database, Schema: schemaName, Name: name}, ifExists)
	case "SCHEMA":
		database, name := x.SchemaName(parts)
		err = dropNamespace(x, database, name, cascade, func() error { return x.Namespaces.DropSchema(x.Ctx, database, name, cascade) })
	case "DATABASE":
		if len(parts) > 1 {
			return c.WithPosition(base.Errorf(base.Invalid, "the name of a database has no dot"), place)
		}
		err = dropNamespace(x, parts[0], "", cascade, func() error { return x.Namespaces.DropDatabase(x.Ctx, parts[0], cascade) })
	}
	if ifExists && base.KindOf(err) == base.NotFound {
		return nil
	}
	return c.WithPosition(err, place)
}

// dropNamespace drops a database or schema by calling drop. Without CASCADE the database or schema
// must be empty, so there is no Kafka source to stop. With CASCADE, the sources that fill its
// tables are stopped first.
func dropNamespace(x *Statement, database, schemaName string, cascade bool, drop func() error) error {
	if !cascade {
		return drop()
	}
	return x.Sources.DropWithSources(database, schemaName, drop)
}

func (x *Statement) createDatabase() error {
	ifNotExists := x.Reader.Accept("IF", "NOT", "EXISTS")
	name, err := x.Reader.Identifier()
	if err != nil {
		return err
	}
	if err := x.Reader.End(); err != nil {
		return err
	}
	if err := schema.CheckReserved(name, ""); err != nil {
		return err
	}
	return x.Namespaces.CreateDatabase(x.Ctx, name, ifNotExists)
}

func (x *Statement) createSchema() error {
	ifNotExists := x.Reader.Accept("IF", "NOT", "EXISTS")
	parts, err := x.Reader.Name()
	if err != nil {
		return err
	}
	if err := x.Reader.End(); err != nil {
		return err
	}
	database, name := x.SchemaName(parts)
	if err := schema.CheckReserved(database, name); err != nil {
		return err
	}
	return x.Namespaces.CreateSchema(x.Ctx, database, name, ifNotExists)
}
