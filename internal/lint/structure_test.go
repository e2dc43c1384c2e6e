package lint

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// size has figures of the production code of one package.
type size struct {
	files, lines int
	methods      int // the most methods of one type
	demanded     int // the most methods of one interface
	// against is the share of references between files that run against the file order, in percent.
	// A reference is a pair of files: the first uses a package-level name or a method that the
	// second declares. The file order is the list in the package's comment after filesHeading. A
	// package without such a list is measured with the order that fits its references best. Only
	// packages of more than smallPackage files are measured.
	against int
}

const smallPackage = 12

// limit is what each package may have at most. RFC 0003 says why.
var limit = size{files: 25, lines: 4000, methods: 40, demanded: 6, against: 10}

// filesHeading begins the list of files, from the bottom up, in the comment of a package.
const filesHeading = "Files, from the bottom up:"

// slack is how much less than its entry in the map exceeding a package may have.
var slack = size{files: 2, lines: 500, methods: 5, demanded: 1, against: 5}

// exceeding lists the packages that exceed a limit, with their present figures. A zero stands for
// the figure of limit. The figures may only fall: if a package has less than its entry says, by
// more than slack, the test fails until the entry is lowered.
var exceeding = map[string]size{
	"clients/go":                   {lines: 5250},
	"cmd/scoter":                   {against: 21},
	"internal/batch":               {lines: 5750, against: 16},
	"internal/catalog":             {methods: 65},
	"internal/duck":                {against: 21},
	"internal/encode":              {lines: 4750, against: 17},
	"internal/engine":              {files: 55, lines: 12000, methods: 284, against: 13},
	"internal/export":              {demanded: 9},
	"internal/gen/analyze":         {demanded: 9},
	"internal/gen/analyze/sqlite":  {methods: 42},
	"internal/gen/lang/golang":     {methods: 46},
	"internal/gen/lang/typescript": {methods: 54},
	"internal/ingest":              {methods: 42},
	"internal/ingest/protobuf":     {against: 18},
	"internal/part":                {lines: 5000, against: 11},
	"internal/query":               {lines: 4500, against: 23},
	"internal/schema":              {methods: 42, against: 11},
	"internal/server":              {demanded: 8, against: 12},
	"internal/stream":              {files: 29, lines: 6250, methods: 44, against: 19},
	"internal/system":              {demanded: 7},
	"internal/vfs":                 {demanded: 11}, // the operations of a file system
}

func TestPackagesAndTypesAreSmall(t *testing.T) {
	entries := maps.Clone(exceeding)
	for _, p := range sources(t) {
		path := p.path
		entry, is := entries[path], measure(t, p)
		delete(entries, path)
		check := func(figure string, is, entry, limit, slack int) {
			switch {
			case is > max(entry, limit):
				t.Errorf("%s has %d %s, but at most %d are allowed", path, is, figure, max(entry, limit))
			case entry > limit && is < entry-slack:
				t.Errorf("%s has only %d %s: lower its entry in the map exceeding (%d)", path, is, figure, entry)
			}
		}
		check("files", is.files, entry.files, limit.files, slack.files)
		check("lines", is.lines, entry.lines, limit.lines, slack.lines)
		check("methods of one type", is.methods, entry.methods, limit.methods, slack.methods)
		check("methods of one interface", is.demanded, entry.demanded, limit.demanded, slack.demanded)
		check("percent of references against the file order", is.against, entry.against, limit.against, slack.against)
	}
	for path := range entries {
		t.Errorf("the map exceeding has %s, which is not a package", path)
	}
}

// source is the production code of a package, without generated files. Names of other packages are
// not resolved in its types.
type source struct {
	path  string // relative to the repository
	set   *token.FileSet
	files map[string]*ast.File // by name
	types *types.Package
	uses  map[*ast.Ident]types.Object
}

// sources returns the packages of the database, the generator and the Go runtime of generated code.
func sources(t *testing.T) (all []source) {
	t.Helper()
	folders := map[string]bool{}
	for _, path := range repositoryFiles(t, ".go") {
		folder := filepath.ToSlash(filepath.Dir(path))
		top, _, _ := strings.Cut(folder, "/")
		if top == "internal" || top == "cmd" || folder == "clients/go" || folder == "." {
			folders[folder] = true
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		list, err := build.ImportDir(filepath.Join(root, folder), 0)
		if nothing := (*build.NoGoError)(nil); errors.As(err, &nothing) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		s := source{path: folder, set: token.NewFileSet(), files: map[string]*ast.File{}, uses: map[*ast.Ident]types.Object{}}
		for _, name := range slices.Concat(list.GoFiles, list.CgoFiles) {
			file, err := parser.ParseFile(s.set, filepath.Join(list.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if !ast.IsGenerated(file) {
				s.files[name] = file
			}
		}
		check := types.Config{Importer: nothing{}, FakeImportC: true, Error: func(error) {}}
		s.types, _ = check.Check(folder, s.set, slices.Collect(maps.Values(s.files)), &types.Info{Uses: s.uses})
		all = append(all, s)
	}
	return all
}

// nothing imports no package.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) { return nil, errors.New(path) }

func measure(t *testing.T, p source) (s size) {
	for _, file := range p.files {
		s.files++
		s.lines += p.set.File(file.Package).LineCount()
	}
	for _, name := range p.types.Scope().Names() {
		typeName, ok := p.types.Scope().Lookup(name).(*types.TypeName)
		if !ok || typeName.IsAlias() {
			continue
		}
		if named, ok := typeName.Type().(*types.Named); ok {
			s.methods = max(s.methods, named.NumMethods())
			if i, ok := named.Underlying().(*types.Interface); ok {
				s.demanded = max(s.demanded, i.NumMethods())
			}
		}
	}
	if s.files <= smallPackage {
		return s
	}
	uses := references(p)
	order := declaredOrder(t, p)
	if order == nil {
		order = bestOrder(slices.Sorted(maps.Keys(p.files)), uses)
	}
	if len(uses) > 0 {
		s.against = 100 * len(againstOrder(order, uses)) / len(uses)
	}
	return s
}

// reference is a pair of files: from uses a name that to declares.
type reference struct{ from, to string }

func references(p source) map[reference]bool {
	out := map[reference]bool{}
	for name, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			ident, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := p.uses[ident]
			if used == nil || used.Pkg() != p.types {
				return true
			}
			function, _ := used.(*types.Func)
			if function == nil && used.Parent() != p.types.Scope() {
				return true // a local variable or a field
			}
			if to := filepath.Base(p.set.Position(used.Pos()).Filename); to != name {
				out[reference{name, to}] = true
			}
			return true
		})
	}
	return out
}

// declaredOrder returns the list of files in the comment of the package, or nil if it has none.
func declaredOrder(t *testing.T, p source) (order []string) {
	for _, file := range p.files {
		_, list, found := strings.Cut(file.Doc.Text(), filesHeading)
		if !found {
			continue
		}
		list, _, _ = strings.Cut(strings.TrimSpace(list), "\n\n")
		for line := range strings.SplitSeq(list, "\n") {
			name, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "-")), ":")
			if strings.HasSuffix(name, ".go") {
				order = append(order, name)
			}
		}
		if has := slices.Sorted(maps.Keys(p.files)); !slices.Equal(slices.Sorted(slices.Values(order)), has) {
			t.Errorf("%s: its comment lists the files %q, but it has %q", p.path, order, has)
		}
	}
	return order
}

func againstOrder(order []string, uses map[reference]bool) (against []reference) {
	for r := range uses {
		if slices.Index(order, r.from) < slices.Index(order, r.to) {
			against = append(against, r)
		}
	}
	return against
}

// bestOrder returns an order of the files, from the bottom up, against which few references run. It
// starts with the files that use the fewest others, and then moves single files to better places as
// long as there are any.
func bestOrder(files []string, uses map[reference]bool) []string {
	use := func(from, to string) int {
		if uses[reference{from, to}] {
			return 1
		}
		return 0
	}
	degree := map[string]int{}
	for r := range uses {
		degree[r.from]++
		degree[r.to]--
	}
	order := slices.Clone(files)
	slices.SortStableFunc(order, func(a, b string) int { return degree[a] - degree[b] })
	for moved := true; moved; {
		moved = false
		for _, file := range files {
			place := slices.Index(order, file)
			others := slices.Delete(slices.Clone(order), place, place+1)
			// cost is how many references of the file run against the order if it is before
			// others[i]: its references to later files, and those of earlier files to it.
			cost := 0
			for _, other := range others {
				cost += use(file, other)
			}
			best, least, present := 0, cost, cost
			for i, other := range others {
				cost += use(other, file) - use(file, other)
				if i+1 == place {
					present = cost
				}
				if cost < least {
					best, least = i+1, cost
				}
			}
			if least < present {
				order, moved = slices.Insert(others, best, file), true
			}
		}
	}
	return order
}
