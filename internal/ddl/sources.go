package ddl

import (
	"context"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/stream"
)

// Sources manages Kafka sources for statements. Package stream implements it.
type Sources interface {
	Create(ctx context.Context, name catalog.SourceName, d stream.Definition, ifNotExists bool) error
	Drop(ctx context.Context, name catalog.SourceName) error
	Pause(ctx context.Context, name catalog.SourceName) error
	Resume(ctx context.Context, name catalog.SourceName) error
	Replay(ctx context.Context, name catalog.SourceName) (messages int64, err error)
	// DropWithSources stops the Kafka sources that fill tables of a database, or of one of its
	// schemas. Then it calls drop, which drops the database or schema.
	DropWithSources(database, schemaName string, drop func() error) error
}

// source runs a statement that manages Kafka sources, such as CREATE SOURCE.
func (x *Statement) source() (counts engine.Counts, err error) {
	c := x.Reader
	verb := x.Reader.Statement.Verb()
	c.At = 2
	ifNotExists := verb == "CREATE" && c.Accept("IF", "NOT", "EXISTS")
	ifExists := verb == "DROP" && c.Accept("IF", "EXISTS")
	place := c.At
	parts, err := c.Name()
	if err != nil {
		return counts, err
	}
	var name catalog.SourceName
	name.Database, name.Schema, name.Name = x.TableName(parts)
	if verb == "CREATE" {
		d, err := x.definition()
		if err != nil {
			return counts, err
		}
		return counts, x.Sources.Create(x.Ctx, name, d, ifNotExists)
	}
	if err := c.End(); err != nil {
		return counts, err
	}
	switch verb {
	case "DROP":
		if err = x.Sources.Drop(x.Ctx, name); ifExists && base.KindOf(err) == base.NotFound {
			err = nil
		}
	case "PAUSE":
		err = x.Sources.Pause(x.Ctx, name)
	case "RESUME":
		err = x.Sources.Resume(x.Ctx, name)
	case "REPLAY":
		counts.Inserted, err = x.Sources.Replay(x.Ctx, name)
	}
	return counts, c.WithPosition(err, place)
}

// definition parses the definition of a Kafka source: FROM KAFKA (...) [KEY FORMAT name [(...)]]
// FORMAT name [(...)], then one or more of INTO TABLE and INTO VIEW.
func (x *Statement) definition() (d stream.Definition, err error) {
	c := x.Reader
	if !c.Accept("FROM", "KAFKA") {
		return d, c.Unexpected("FROM KAFKA")
	}
	if d.Kafka, err = c.Options(); err != nil {
		return d, err
	}
	if c.Accept("KEY", "FORMAT") {
		if d.Key, err = format(x); err != nil {
			return d, err
		}
	}
	if !c.Accept("FORMAT") {
		return d, c.Unexpected("FORMAT")
	}
	if d.Format, err = format(x); err != nil {
		return d, err
	}
	for first := true; first || !c.Done(); first = false {
		t, err := sourceTable(x)
		if err != nil {
			return d, err
		}
		d.Tables = append(d.Tables, t)
	}
	return d, nil
}

// format parses the format of a source's messages: name [(options)]. In the returned options, the
// name is an option too.
func format(x *Statement) (options map[string]string, err error) {
	name, err := x.Reader.Identifier()
	if err != nil {
		return nil, err
	}
	options = map[string]string{}
	if x.Reader.Peek("(") {
		if options, err = x.Reader.Options(); err != nil {
			return nil, err
		}
	}
	options["name"] = strings.ToLower(name)
	return options, nil
}

// sourceTable parses a table that a source fills: INTO TABLE name [(path [AS name], ...)] [METADATA
// (name, ...)] [AS query], or INTO VIEW name AS query.
func sourceTable(x *Statement) (t stream.Table, err error) {
	c := x.Reader
	t.View = c.Accept("INTO", "VIEW")
	if !t.View && !c.Accept("INTO", "TABLE") {
		return t, c.Unexpected("INTO TABLE")
	}
	parts, err := c.Name()
	if err != nil {
		return t, err
	}
	t.Name = engine.TableName{}
	t.Name.Database, t.Name.Schema, t.Name.Name = x.TableName(parts)
	texts := func() (all []string, err error) {
		items, err := c.Brackets()
		for _, item := range clause.List(items) {
			if len(item) == 0 {
				return nil, c.Unexpected("a name between commas")
			}
			all = append(all, c.TextOf(item))
		}
		return all, err
	}
	if c.Peek("(") {
		if t.Columns, err = texts(); err != nil {
			return t, err
		}
	}
	if c.Accept("METADATA") {
		if t.Metadata, err = texts(); err != nil {
			return t, err
		}
	}
	if c.Accept("AS") {
		end := c.Find("INTO TABLE", "INTO VIEW")
		t.Query, _ = c.Text(c.At, end)
		if c.At = end; t.Query == "" {
			return t, c.Unexpected("a query")
		}
	}
	return t, nil
}
