package ddl

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/engine"
)

// Execute runs the statement. It returns the counts of the rows that the statement changed.
func (x *Statement) Execute() (counts engine.Counts, err error) {
	s, c := x.Reader.Statement, x.Reader
	switch {
	case clause.IsSource(s):
		return x.source()
	case clause.IsExport(s):
		return counts, x.export()
	case c.Accept("CREATE"):
		return x.create()
	case c.Accept("DROP"):
		return counts, x.drop()
	case c.Accept("ALTER"):
		return counts, x.alter()
	case c.Accept("TRUNCATE"):
		return x.truncate()
	}
	return counts, base.Errorf(base.Invalid, "%s is not supported yet", s.Verb()).At(1)
}
