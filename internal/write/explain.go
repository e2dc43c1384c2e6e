package write

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// Explain returns the way that a statement takes and why, and then the plan of the query that finds
// the rows that it changes, and their new values, or the rows to insert.
func (m *Writer) Explain(s *dml.Statement) (sqlquery.Rows, error) {
	job, facts := &Job{Mode: s.Mode, Asked: s.Asked}, m.facts(-1)
	var rows sqlquery.Rows
	if s.Reader.Statement.Verb() == "INSERT" {
		in, err := s.Insertion()
		if err != nil {
			return nil, err
		}
		job = insertJob(&in)
		if rows, _, err = s.InsertQuery(in.Target.Table, in.Columns, in.ByName, in.Query); err != nil {
			return nil, err
		}
	} else {
		if s.Mode == dml.Expression {
			if _, _, job.Unstorable = s.ReadExpression(); job.Unstorable != nil && s.Asked {
				return nil, job.Unstorable
			}
		}
		p, err := s.Plan()
		if err != nil {
			return nil, err
		}
		if rows, err = (&execution{Statement: s, Writer: m}).find(p, s.Plan); err != nil {
			return nil, err
		}
		facts.FitsPatch = m.Loads.FitsPatch(0)
	}
	e := explain(job, facts)
	text := e.String()
	if strings.Contains(strings.ToUpper(s.Explain), "JSON") {
		b, err := json.Marshal(e)
		if err != nil {
			rows.Close()
			return nil, err
		}
		text = string(b)
	}
	return &explained{Rows: rows, text: text}, nil
}

// explanation says which way a job takes and why.
type explanation struct {
	Way  string `json:"way"`
	Does string `json:"does"`
	// Many is the way of more rows than fit into a chunk. It is empty if it is the same.
	Many  string            `json:"way_of_more_rows,omitempty"`
	Chunk int64             `json:"chunk_bytes,omitempty"`
	Not   []rejectedWayText `json:"not"`
}

type rejectedWayText struct {
	Way    string `json:"way"`
	Reason string `json:"reason"`
}

// explain returns the explanation of a job. It leaves out the ways that are for another kind of
// change.
func explain(j *Job, f Facts) explanation {
	way, others := Choose(j, f)
	e := explanation{Way: way.Name(), Does: way.Does(), Not: []rejectedWayText{}}
	for _, o := range others {
		if o.Reason != notIncoming && o.Reason != notFound {
			e.Not = append(e.Not, rejectedWayText{o.Way.Name(), o.Reason})
		}
	}
	if j.Incoming && !j.Returns {
		f.Bytes = f.Chunk + 1
		if many := choose(j, f).Name(); many != e.Way {
			e.Many, e.Chunk = many, f.Chunk
		}
	}
	return e
}

func (e explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Way, e.Does)
	if e.Many != "" {
		fmt.Fprintf(&b, "\n  more than %d bytes of rows (a chunk): %s", e.Chunk, e.Many)
	}
	for _, n := range e.Not {
		fmt.Fprintf(&b, "\n  not %s: %s", n.Way, n.Reason)
	}
	return b.String()
}

// explained is the result of EXPLAIN with one more row in front, which has the way.
type explained struct {
	sqlquery.Rows
	text string // empty after the first row was read
}

func (e *explained) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if e.text == "" {
		return e.Rows.Next(ctx)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, e.Schema())
	defer b.Release()
	for i, text := range []string{"way", e.text} {
		if err := b.Field(i).AppendValueFromString(text); err != nil {
			return nil, err
		}
	}
	e.text = ""
	return b.NewRecordBatch(), nil
}
