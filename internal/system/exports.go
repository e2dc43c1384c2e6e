package system

import (
	"encoding/json"
	"strconv"

	"github.com/scoterdb/scoter/internal/base"
)

func (t *Tables) listExports(string) (rows [][]string, err error) {
	for _, x := range t.exports() {
		definition, err := json.Marshal(x.Definition)
		if err != nil {
			return nil, base.Errorf(base.Internal, "definition of export %q: %w", x.Name.Name, err)
		}
		total := x.Total()
		rows = append(rows, []string{text(x.Name.Database), text(x.Name.Schema), text(x.Name.Name), number(x.ID), text(x.Table), text(x.State), optional(x.Error),
			moment(x.ErrorAt), number(x.Errors), number(x.Due), moment(x.DueSince), moment(total.Last), number(total.Objects), number(total.Rows), number(total.Bytes),
			moment(x.Created), text(string(definition))})
	}
	return rows, nil
}

func (t *Tables) listExportObjects(string) (rows [][]string, err error) {
	for _, x := range t.exports() {
		for _, o := range x.Objects {
			if o.Bytes == 0 {
				continue // of a partition without rows to export
			}
			rows = append(rows, []string{text(x.Name.Database), text(x.Name.Schema), text(x.Name.Name), text(o.Partition), number(o.Generation),
				number(o.Rows), number(o.Bytes), moment(o.Exported), strconv.FormatBool(o.Closed), text(o.Path)})
		}
	}
	return rows, nil
}
