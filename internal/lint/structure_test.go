package lint

import (
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// size has figures of the production code of one package.
type size struct {
	files, lines int
	methods      int // the most methods of one type
	demanded     int // the most methods of one interface
	// against is the share of references between files that run against the file order, in percent.
	// A reference is a pair of files: the first uses a package-level name or a method that the
	// second declares. The file order is the list in the package's comment after filesHeading. A
	// package without such a list is measured with the order that fits its references best.
	against int
}

// limit is what each package may have at most.
var limit = size{files: 25, lines: 4000, methods: 40, demanded: 6, against: 10}

// filesHeading begins the list of files, from the bottom up, in the comment of a package.
const filesHeading = "Files, from the bottom up:"

// exceeding lists the packages that exceed a limit, with their present figures. A zero stands for
// the figure of limit. The figures may only fall: if a package has less than its entry says, the
// test fails until the entry is lowered.
var exceeding = map[string]size{}

func TestPackagesAndTypesAreSmall(t *testing.T) {
	entries := maps.Clone(exceeding)
	for _, p := range loadPackages(t) {
		path := short(p.PkgPath)
		entry, is := entries[path], measure(t, p)
		delete(entries, path)
		check := func(figure string, is, entry, limit int) {
			switch {
			case is > max(entry, limit):
				t.Errorf("%s has %d %s, but at most %d are allowed", path, is, figure, max(entry, limit))
			case entry > limit && is < entry:
				t.Errorf("%s has only %d %s: lower its entry in the map exceeding (%d)", path, is, figure, entry)
			}
		}
		check("files", is.files, entry.files, limit.files)
		check("lines", is.lines, entry.lines, limit.lines)
		check("methods of one type", is.methods, entry.methods, limit.methods)
		check("methods of one interface", is.demanded, entry.demanded, limit.demanded)
		check("percent of references against the file order", is.against, entry.against, limit.against)
	}
	for path := range entries {
		t.Errorf("the map exceeding has %s, which is not a package", path)
	}
}

// loadPackages returns the packages of the database and the generator, with types. Generated and
// test files are left out.
func loadPackages(t *testing.T) []*packages.Package {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir: root,
	}, "./internal/...", "./cmd/...", "./clients/go/...", ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range loaded {
		for _, err := range p.Errors {
			t.Fatalf("%s: %v", p.PkgPath, err)
		}
	}
	return loaded
}

func measure(t *testing.T, p *packages.Package) (s size) {
	names := map[*ast.File]string{}
	for _, file := range p.Syntax {
		position := p.Fset.Position(file.Package)
		if slices.Contains(p.GoFiles, position.Filename) && !ast.IsGenerated(file) {
			names[file] = filepath.Base(position.Filename)
			s.files++
			s.lines += p.Fset.File(file.Package).LineCount()
		}
	}
	for _, name := range p.Types.Scope().Names() {
		typeName, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
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
	uses := references(p, names)
	order := declaredOrder(t, p, names)
	if order == nil {
		order = bestOrder(slices.Sorted(maps.Values(names)), uses)
	}
	against := againstOrder(order, uses)
	if len(uses) > 0 {
		s.against = 100 * len(against) / len(uses)
	}
	return s
}

// reference is a pair of files: from uses a name that to declares.
type reference struct{ from, to string }

func references(p *packages.Package, names map[*ast.File]string) map[reference]bool {
	out := map[reference]bool{}
	for file, name := range names {
		ast.Inspect(file, func(n ast.Node) bool {
			ident, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := p.TypesInfo.Uses[ident]
			if used == nil || used.Pkg() != p.Types {
				return true
			}
			_, method := used.(*types.Func)
			if !method && used.Parent() != p.Types.Scope() {
				return true
			}
			to := filepath.Base(p.Fset.Position(used.Pos()).Filename)
			if to != name {
				out[reference{name, to}] = true
			}
			return true
		})
	}
	return out
}

// declaredOrder returns the list of files in the comment of the package, or nil if it has none.
func declaredOrder(t *testing.T, p *packages.Package, names map[*ast.File]string) (order []string) {
	for file := range names {
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
		if has := slices.Sorted(maps.Values(names)); !slices.Equal(slices.Sorted(slices.Values(order)), has) {
			t.Errorf("%s: its comment lists the files %q, but it has %q", short(p.PkgPath), order, has)
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
// places each file by the greedy rule of Eades, Lin and Smyth ("A fast and effective heuristic for
// the feedback arc set problem", 1993), and then moves single files as long as that helps.
func bestOrder(files []string, uses map[reference]bool) []string {
	var bottom, top []string
	left := slices.Clone(files)
	degree := func(file string) (uses_, used int) {
		for r := range uses {
			if r.from == file && slices.Contains(left, r.to) {
				uses_++
			}
			if r.to == file && slices.Contains(left, r.from) {
				used++
			}
		}
		return uses_, used
	}
	for len(left) > 0 {
		best, difference, isTop := "", 0, false
		for _, file := range left {
			out, in := degree(file)
			switch {
			case out == 0:
				best, difference, isTop = file, 1<<30, false
			case in == 0 && difference < 1<<29:
				best, difference, isTop = file, 1<<29, true
			case best == "" || in-out > difference:
				best, difference, isTop = file, in-out, false
			}
		}
		if isTop {
			top = append(top, best)
		} else {
			bottom = append(bottom, best)
		}
		left = slices.DeleteFunc(left, func(file string) bool { return file == best })
	}
	slices.Reverse(top)
	order := append(bottom, top...)
	for improved := true; improved; {
		improved = false
		for _, file := range files {
			least := len(againstOrder(order, uses))
			without := slices.DeleteFunc(slices.Clone(order), func(other string) bool { return other == file })
			for i := range len(order) {
				if moved := slices.Insert(slices.Clone(without), i, file); len(againstOrder(moved, uses)) < least {
					order, least, improved = moved, len(againstOrder(moved, uses)), true
				}
			}
		}
	}
	return order
}
