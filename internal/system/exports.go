package system

import (
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/export"
)

func (t *Tables) listExports(who asker) (rows [][]string, err error) {
	for _, x := range t.exports() {
		definition, err := definition(x.Definition, who)
		if err != nil {
			return nil, base.Errorf(base.Internal, "definition of export %q: %w", x.Name.Name, err)
		}
		total := x.Total()
		rows = append(rows, []string{text(x.Name.Database), text(x.Name.Schema), text(x.Name.Name), number(x.ID), text(x.Table), text(x.State), optional(hideFolder(t.within(x.Error), folderOf(&x, who))),
			moment(x.ErrorAt), number(x.Errors), number(x.Due), moment(x.DueSince), moment(total.Last), number(total.Objects), number(total.Rows), number(total.Bytes),
			moment(x.Created), text(definition)})
	}
	return rows, nil
}

func (t *Tables) listExportObjects(who asker) (rows [][]string, err error) {
	for _, x := range t.exports() {
		for _, o := range x.Objects {
			if o.Bytes == 0 {
				continue // a partition without rows to export has no object
			}
			rows = append(rows, []string{text(x.Name.Database), text(x.Name.Schema), text(x.Name.Name), text(o.Partition), number(o.Generation),
				number(o.Rows), number(o.Bytes), moment(o.Exported), strconv.FormatBool(o.Closed), text(hideFolder(o.Path, folderOf(&x, who)))})
		}
	}
	return rows, nil
}

// folderOf returns the folder to which an export writes, if it is a path on the server that the
// caller must not see. Otherwise it returns "".
func folderOf(x *export.Status, who asker) string {
	if who.admin || x.Definition.Storage != "FOLDER" {
		return ""
	}
	return strings.TrimRight(x.Definition.Options["path"], "/")
}
