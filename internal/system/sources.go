package system

import (
	"strconv"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

// known returns a number as SQL. It returns NULL for a negative number, which means that it is
// unknown.
func known(n int64) string {
	if n < 0 {
		return "NULL"
	}
	return number(n)
}

// seconds returns a duration in seconds as SQL. It returns NULL for a negative duration, which
// means that it is unknown.
func seconds(d time.Duration) string {
	if d < 0 {
		return "NULL"
	}
	return decimal(d.Seconds())
}

func (t *Tables) listSources(who asker) (rows [][]string, err error) {
	for _, s := range t.sources() {
		definition, err := definition(s.Definition, who)
		if err != nil {
			return nil, base.Errorf(base.Internal, "definition of source %q: %w", s.Name.Name, err)
		}
		rows = append(rows, []string{text(s.Name.Database), text(s.Name.Schema), text(s.Name.Name), number(s.ID), text(s.State), optional(t.within(s.Error)),
			moment(s.ErrorAt), known(s.Lag), seconds(s.LagTime), number(s.Messages), number(s.Rows), number(s.Bytes), number(s.DeadLetters), number(s.Errors),
			decimal(s.MessageRate), decimal(s.RowRate), decimal(s.ByteRate), number(s.QueueBytes), moment(s.Created), text(definition)})
	}
	return rows, nil
}

func (t *Tables) listPartitions(asker) (rows [][]string, err error) {
	for _, s := range t.sources() {
		for _, p := range s.Partitions {
			rows = append(rows, []string{text(s.Name.Database), text(s.Name.Schema), text(s.Name.Name), text(p.Topic), number(int64(p.Partition)),
				known(p.Next), known(p.End)})
		}
	}
	return rows, nil
}
