package stream

import (
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/schema"
)

// plan is a parsed definition of a source.
type plan struct {
	kafka  kafka
	format *format
	keys   *plan // how keys are decoded; nil if keys are bytes
	// Each is a set of columns that messages are decoded to; a nil set has all columns.
	shapes  [][]wire.Column
	targets []target
}

// target is one table that a source fills. shape is an index of plan.shapes: the set of columns
// that the table takes, or that its query reads.
type target struct {
	Table
	shape int
	// columns are the columns that are listed by path. They are only set for formats whose decoders
	// return all columns.
	columns []column
	// primary are the columns of the table's primary key that are filled from the record's key. It
	// is set only while the rows of a batch are made.
	primary []string
}

// queried reports whether the target's rows are the result of a query over the batch.
func (t *target) queried() bool { return t.Query != "" || t.columns != nil }

// newPlan parses the options of a definition, and reads the schema files that they name. The error
// is Invalid.
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
	// Put the shape with all columns first. Then an invalid message fails in that decoder, before
	// the decoders of other shapes have added the message.
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

// wholeShape is the list of shapes that has only the shape with all columns.
var wholeShape = [][]wire.Column{nil}

// close releases the resources of the plan's formats.
func (p *plan) close() {
	p.format.close()
	if p.keys != nil {
		p.keys.close()
	}
}

// folded returns a name in the form in which names are compared.
func folded(n engine.TableName) engine.TableName {
	return engine.TableName{Database: schema.Fold(n.Database), Schema: schema.Fold(n.Schema), Name: schema.Fold(n.Name)}
}
