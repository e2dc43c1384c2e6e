package stream

import (
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/schema"
)

// plan is the definition of a source in parsed form.
type plan struct {
	kafka  kafka
	format *format
	keys   *plan // keys says how the keys of records are decoded. It is nil if keys stay bytes.
	// shapes are the sets of columns to which messages are decoded. A nil set means all columns.
	shapes  [][]wire.Column
	targets []target
}

// target is one table that a source fills. shape is an index of plan.shapes: the set of columns
// that the table takes, or that its query reads.
type target struct {
	Table
	shape int
	// columns are the columns that the definition lists by path, if a query must select them. For
	// formats whose decoders can select columns, it is nil.
	columns []column
	// primary are the names of the primary key columns that are filled from the record's key. It is
	// set only while the rows of a batch are made.
	primary []string
}

// queried reports whether the rows of the target (a table that the source fills) are the result of
// a query over the batch.
func (t *target) queried() bool { return t.Query != "" || t.columns != nil }

// newPlan parses the options of a source's definition, and reads the schema files that the options
// name. Errors are base.Invalid.
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
	// Each shape (set of columns) has a decoder, and every decoder reads each message. The decoder
	// of all columns comes first. So if a message is invalid, it refuses the message before another
	// decoder has added a row for it.
	if !p.format.Projects || slices.ContainsFunc(d.Tables, func(t Table) bool { return len(t.Columns) == 0 }) {
		p.shapes = append(p.shapes, nil)
	}
	for _, t := range d.Tables {
		name := folded(t.Name)
		if seen[name] {
			return nil, base.Errorf(base.Invalid, "table %q is listed twice", t.Name.Name)
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
			return nil, base.Errorf(base.Invalid, "table %q: columns by path need a table without a query", t.Name.Name)
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

// wholeShape is a list with one shape (set of columns): all columns.
var wholeShape = [][]wire.Column{nil}

// close releases the resources of the plan's formats.
func (p *plan) close() {
	p.format.close()
	if p.keys != nil {
		p.keys.close()
	}
}

// folded returns a table's name in the form in which names are compared, which ignores case.
func folded(n engine.TableName) engine.TableName {
	return engine.TableName{Database: schema.Fold(n.Database), Schema: schema.Fold(n.Schema), Name: schema.Fold(n.Name)}
}
