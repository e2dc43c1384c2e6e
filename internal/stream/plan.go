package stream

import (
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/schema"
)

// plan is a definition that was understood.
type plan struct {
	kafka   kafka
	format  *format
	keys    *plan           // of the format of keys alone, or nil: they are bytes
	shapes  [][]wire.Column // sets of columns that messages are decoded to; nil: all
	targets []target
}

// target is a table to fill and the shape that its rows have, or its query reads.
type target struct {
	Table
	shape   int
	columns []column // by path, of formats whose decoders give all columns
	primary []string // columns of the table's primary key that are of the record's key; only while a batch is made rows of
}

// queried reports whether the target's rows are what a query gives of a batch.
func (t *target) queried() bool { return t.Query != "" || t.columns != nil }

// newPlan reads the options, and the schema files that they name. The error is Invalid.
func newPlan(d Definition) (*plan, error) {
	p := &plan{}
	var err error
	if p.kafka, err = newKafka(d.Kafka); err != nil {
		return nil, err
	}
	if len(d.Tables) == 0 {
		return nil, base.Errorf(base.Invalid, "a source needs a table").WithHint("INTO TABLE name")
	}
	if p.format, err = newFormat(d.Format); err != nil {
		return nil, err
	}
	keys, err := newKeyFormat(d.Key)
	if err != nil {
		return nil, err
	}
	if keys != nil {
		p.keys = &plan{format: keys, shapes: wholeShape}
	}
	seen := map[engine.TableName]bool{}
	// All columns come first: what is wrong with a message shows there, before other shapes have
	// rows of it.
	if !p.format.Projects || slices.ContainsFunc(d.Tables, func(t Table) bool { return len(t.Columns) == 0 }) {
		p.shapes = append(p.shapes, nil)
	}
	for _, t := range d.Tables {
		name := folded(t.Name)
		if seen[name] {
			return nil, base.Errorf(base.Invalid, "table %q comes twice", t.Name.Name)
		}
		seen[name] = true
		if err := checkMetadata(t.Metadata); err != nil {
			return nil, base.Wrap(err, "table %q", t.Name.Name)
		}
		if t.View && (t.Query == "" || len(t.Columns) > 0 || len(t.Metadata) > 0) {
			return nil, base.Errorf(base.Invalid, "view %q: a view merges the results of a query", t.Name.Name).
				WithHint("INTO VIEW %s AS SELECT ... FROM messages GROUP BY ALL", t.Name.Name)
		}
		one := target{Table: t}
		one.Query = strings.TrimSpace(t.Query)
		switch {
		case len(t.Columns) == 0:
		case one.Query != "":
			return nil, base.Errorf(base.Invalid, "table %q: columns by path are for tables without a query", t.Name.Name)
		case !p.format.Projects:
			if one.columns, err = parseColumns(t.Columns); err != nil {
				return nil, base.Wrap(err, "table %q", t.Name.Name)
			}
		default:
			var columns []wire.Column
			for _, text := range t.Columns {
				columns = append(columns, parseColumn(text))
			}
			one.shape = len(p.shapes)
			p.shapes = append(p.shapes, columns)
		}
		p.targets = append(p.targets, one)
	}
	return p, nil
}

// wholeShape is that of all columns.
var wholeShape = [][]wire.Column{nil}

// close gives back what the plan's formats hold.
func (p *plan) close() {
	p.format.close()
	if p.keys != nil {
		p.keys.close()
	}
}

// folded returns a name as it is compared.
func folded(n engine.TableName) engine.TableName {
	return engine.TableName{Database: schema.Fold(n.Database), Schema: schema.Fold(n.Schema), Name: schema.Fold(n.Name)}
}
