package ddl

import (
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// tableClauses are the clauses that may follow the columns of CREATE TABLE, such as WITH (options).
type tableClauses struct {
	partitionedBy, sortedBy [][]sqltoken.Token
	options                 map[string]string
}

func (t *tableClauses) read(c *clause.Reader) error {
	for {
		switch {
		case c.Accept("PARTITIONED", "BY"):
			items, err := c.Brackets()
			if err != nil {
				return err
			}
			t.partitionedBy = clause.List(items)
		case c.Accept("SORTED", "BY"):
			items, err := c.Brackets()
			if err != nil {
				return err
			}
			t.sortedBy = clause.List(items)
		case c.Peek("WITH") && !c.Peek("WITH", "NO", "DATA"):
			c.Accept("WITH")
			var err error
			if t.options, err = c.Options(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// apply sets the sort key, partitioning and options of a new table. The columns of the table have
// no ids yet. So apply uses the position of a column + 1 as its id, as schema.New expects.
func (t *tableClauses) apply(table *schema.Table) error {
	column := func(tok sqltoken.Token) (base.ColumnID, error) {
		i := table.ColumnIndex(tok.Name())
		if !tok.IsName() || i < 0 {
			return 0, base.Errorf(base.Invalid, "there is no column %s to sort or partition by", tok.Text()).At(tok.Start + 1)
		}
		if id := table.Columns[i].ID; id != 0 {
			return id, nil
		}
		return base.ColumnID(i + 1), nil
	}
	for _, item := range t.sortedBy {
		id, err := column(item[0])
		if err != nil {
			return err
		}
		f := schema.SortField{Column: id}
		for i := 1; i < len(item); i++ {
			switch {
			case item[i].Is("ASC"), item[i].Is("NULLS"), item[i].Is("LAST"):
			case item[i].Is("DESC"):
				f.Descending = true
			case item[i].Is("FIRST"):
				f.NullsFirst = true
			default:
				return base.Errorf(base.Invalid, "SORTED BY takes columns, not expressions").At(item[i].Start + 1)
			}
		}
		table.SortKey = append(table.SortKey, f)
	}
	for _, item := range t.partitionedBy {
		f := schema.PartitionField{}
		var err error
		switch {
		case len(item) == 1:
			f.Column, err = column(item[0])
		case len(item) == 4 && item[1].Is("(") && item[3].Is(")"):
			if err = f.Transform.UnmarshalText([]byte(strings.ToLower(item[0].Text()))); err != nil {
				return base.Wrap(err, "PARTITIONED BY")
			}
			f.Column, err = column(item[2])
		default:
			err = base.Errorf(base.Invalid, "PARTITIONED BY takes columns and year, month, day or hour of one").At(item[0].Start + 1)
		}
		if err != nil {
			return err
		}
		table.PartitionBy = append(table.PartitionBy, f)
	}
	var err error
	*table, err = table.WithOptions(t.options)
	return err
}
