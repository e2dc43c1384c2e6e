package gen

import (
	"context"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/config"
	"github.com/scoterdb/scoter/internal/gen/diag"
)

// One makes the code of one generator from SQL files, without a configuration. id is the
// generator's full or short id. The project has the settings that `scoter init` writes. One returns
// the generated file, without the runtime library that it needs. If the SQL has errors, they are
// added to list, and the code is empty. The returned error is for other failures, such as an
// unknown generator or a missing file.
func (g *Generator) One(ctx context.Context, id string, files []string, list *diag.List) (code string, err error) {
	generator, near, ok := config.FindGenerator(id)
	if !ok {
		err := base.Errorf(base.Invalid, "unknown generator %q", id)
		if near != "" {
			return "", err.WithHint("did you mean %s?", near)
		}
		return "", err.WithHint("available: %s", strings.Join(config.IDs(), ", "))
	}
	for _, f := range files {
		if _, err := readFile(f); err != nil {
			return "", base.Errorf(base.NotFound, "read the SQL: %w", err)
		}
	}
	p := config.OneOff(generator, files)
	out, err := g.project(ctx, p, list)
	if err != nil || out == nil {
		return "", err
	}
	for _, f := range out.Files {
		if f.Path == p.Entries[0].Gen[0].Output {
			return f.Content, nil
		}
	}
	return "", base.Errorf(base.Internal, "no generated file %s", p.Entries[0].Gen[0].Output)
}
