package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"testing"

	"github.com/scoterdb/scoter/clients"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang"
)

// goPackage is a package into which cases of one target are generated.
type goPackage struct {
	name    string
	runtime []string        // its files of the runtime
	names   map[string]bool // what the cases declare
}

// shareGoPackages puts cases into packages, so that the runtime is compiled and checked some ten
// times instead of once for each case. Cases share a package only if they declare different names
// and use the same files of the runtime. A file that the generator forgets is therefore still
// missing.
func shareGoPackages(t *testing.T, cases []*testCase, ids []string) {
	for _, id := range ids {
		tg := target{id}
		var packages []*goPackage
		for _, c := range cases {
			if !c.runs(tg) {
				continue
			}
			c.goPackage = tg.folder()
			files, err := lang.Generate(c.module, tg.irTarget(c))
			if err != nil {
				t.Fatalf("%s %s: %v", c.path, id, err)
			}
			runtime, names := goDeclares(t, files)
			at := slices.IndexFunc(packages, func(p *goPackage) bool {
				return slices.Equal(p.runtime, runtime) && !slices.ContainsFunc(names, func(name string) bool { return p.names[name] })
			})
			if at < 0 {
				at = len(packages)
				packages = append(packages, &goPackage{name: fmt.Sprintf("%s_%d", tg.folder(), at), runtime: runtime, names: map[string]bool{}})
			}
			for _, name := range names {
				packages[at].names[name] = true
			}
			c.goPackage = packages[at].name
		}
	}
}

// goDeclares returns the names of the files that belong to the runtime, and the names that the
// other files declare.
func goDeclares(t *testing.T, files []ir.File) (runtime, names []string) {
	for _, f := range files {
		name := path.Base(f.Path)
		if _, err := fs.Stat(clients.Files, "go/"+name); err == nil {
			runtime = append(runtime, name)
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names = append(names, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names = append(names, s.Name.Name)
					case *ast.ValueSpec:
						for _, name := range s.Names {
							names = append(names, name.Name)
						}
					}
				}
			}
		}
	}
	return runtime, names
}
