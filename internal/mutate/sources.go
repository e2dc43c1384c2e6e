package mutate

import (
	"context"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
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
func (x *ddlStatement) source() (counts engine.Counts, err error) {
	c := x.c
	verb := x.c.statement.Verb()
	c.at = 2
	ifNotExists := verb == "CREATE" && c.accept("IF", "NOT", "EXISTS")
	ifExists := verb == "DROP" && c.accept("IF", "EXISTS")
	place := c.at
	parts, err := c.name()
	if err != nil {
		return counts, err
	}
	var name catalog.SourceName
	name.Database, name.Schema, name.Name = x.tableName(parts)
	if verb == "CREATE" {
		d, err := x.definition()
		if err != nil {
			return counts, err
		}
		return counts, x.sources.Create(x.ctx, name, d, ifNotExists)
	}
	if err := c.end(); err != nil {
		return counts, err
	}
	switch verb {
	case "DROP":
		if err = x.sources.Drop(x.ctx, name); ifExists && base.KindOf(err) == base.NotFound {
			err = nil
		}
	case "PAUSE":
		err = x.sources.Pause(x.ctx, name)
	case "RESUME":
		err = x.sources.Resume(x.ctx, name)
	case "REPLAY":
		counts.Inserted, err = x.sources.Replay(x.ctx, name)
	}
	return counts, c.withPosition(err, place)
}

// definition parses the definition of a Kafka source: FROM KAFKA (...) [KEY FORMAT name [(...)]]
// FORMAT name [(...)], then one or more of INTO TABLE and INTO VIEW.
func (x *ddlStatement) definition() (d stream.Definition, err error) {
	c := x.c
	if !c.accept("FROM", "KAFKA") {
		return d, c.unexpected("FROM KAFKA")
	}
	if d.Kafka, err = c.options(); err != nil {
		return d, err
	}
	if c.accept("KEY", "FORMAT") {
		if d.Key, err = x.format(); err != nil {
			return d, err
		}
	}
	if !c.accept("FORMAT") {
		return d, c.unexpected("FORMAT")
	}
	if d.Format, err = x.format(); err != nil {
		return d, err
	}
	for first := true; first || !c.done(); first = false {
		t, err := x.sourceTable()
		if err != nil {
			return d, err
		}
		d.Tables = append(d.Tables, t)
	}
	return d, nil
}

// format parses the format of a source's messages: name [(options)]. In the returned options, the
// name is an option too.
func (x *ddlStatement) format() (options map[string]string, err error) {
	name, err := x.c.identifier()
	if err != nil {
		return nil, err
	}
	options = map[string]string{}
	if x.c.peek("(") {
		if options, err = x.c.options(); err != nil {
			return nil, err
		}
	}
	options["name"] = strings.ToLower(name)
	return options, nil
}

// sourceTable parses a table that a source fills: INTO TABLE name [(path [AS name], ...)] [METADATA
// (name, ...)] [AS query], or INTO VIEW name AS query.
func (x *ddlStatement) sourceTable() (t stream.Table, err error) {
	c := x.c
	t.View = c.accept("INTO", "VIEW")
	if !t.View && !c.accept("INTO", "TABLE") {
		return t, c.unexpected("INTO TABLE")
	}
	parts, err := c.name()
	if err != nil {
		return t, err
	}
	t.Name = engine.TableName{}
	t.Name.Database, t.Name.Schema, t.Name.Name = x.tableName(parts)
	texts := func() (all []string, err error) {
		items, err := c.brackets()
		for _, item := range list(items) {
			if len(item) == 0 {
				return nil, c.unexpected("a name between commas")
			}
			all = append(all, c.textOf(item))
		}
		return all, err
	}
	if c.peek("(") {
		if t.Columns, err = texts(); err != nil {
			return t, err
		}
	}
	if c.accept("METADATA") {
		if t.Metadata, err = texts(); err != nil {
			return t, err
		}
	}
	if c.accept("AS") {
		end := c.find("INTO TABLE", "INTO VIEW")
		t.Query, _ = c.text(c.at, end)
		if c.at = end; t.Query == "" {
			return t, c.unexpected("a query")
		}
	}
	return t, nil
}
