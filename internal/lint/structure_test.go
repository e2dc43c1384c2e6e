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

// slack is how much less than its entry in the map exceeding a package may have.
var slack = size{files: 2, lines: 500, methods: 5, demanded: 1, against: 5}

// exceeding lists the packages that exceed a limit, with what each may have. A zero stands for the
// figure of limit. The figures may only fall: if a package has less than its entry says, by more
// than slack, the test fails until the entry is lowered.
var exceeding = map[string]size{
	".":                             {against: 50},
	"clients/go":                    {lines: 5250},
	"cmd/scoter":                    {against: 21},
	"internal/app":                  {against: 27},
	"internal/batch":                {lines: 5750, against: 15},
	"internal/blocks":               {against: 16},
	"internal/catalog":              {methods: 65, against: 22},
	"internal/config":               {against: 40},
	"internal/duck":                 {against: 15},
	"internal/encode":               {lines: 4750, against: 17},
	"internal/engine":               {files: 55, lines: 11750, methods: 284, against: 13},
	"internal/export":               {demanded: 9, against: 17},
	"internal/gen":                  {against: 12},
	"internal/gen/analyze":          {demanded: 9, against: 18},
	"internal/gen/analyze/duckdb":   {against: 20},
	"internal/gen/analyze/postgres": {against: 29},
	"internal/gen/analyze/sqlite":   {methods: 42, against: 20},
	"internal/gen/config":           {against: 33},
	"internal/gen/lang/emit":        {against: 28},
	"internal/gen/lang/golang":      {methods: 46, against: 35},
	"internal/gen/lang/java":        {against: 37},
	"internal/gen/lang/python":      {against: 41},
	"internal/gen/lang/typescript":  {methods: 54, against: 27},
	"internal/gen/sqlfile":          {against: 27},
	"internal/ingest":               {methods: 42},
	"internal/ingest/arrowipc":      {against: 30},
	"internal/ingest/avro":          {against: 23},
	"internal/ingest/csv":           {against: 14},
	"internal/ingest/lineprotocol":  {against: 42},
	"internal/ingest/msgpack":       {against: 11},
	"internal/ingest/ndjson":        {against: 12},
	"internal/ingest/parquet":       {against: 25},
	"internal/ingest/plain":         {demanded: 25},
	"internal/ingest/protobuf":      {against: 18},
	"internal/keys":                 {against: 21},
	"internal/ledger":               {against: 20},
	"internal/memtable":             {against: 25},
	"internal/merge":                {against: 21},
	"internal/metrics":              {against: 40},
	"internal/mutate":               {files: 43, lines: 10250, methods: 114, demanded: 35, against: 15},
	"internal/part":                 {lines: 5000, demanded: 15},
	"internal/patch":                {against: 11},
	"internal/query":                {lines: 4500, against: 23},
	"internal/schema":               {methods: 42, against: 11},
	"internal/server":               {demanded: 8, against: 11},
	"internal/spool":                {against: 50},
	"internal/stream":               {files: 29, lines: 6000, methods: 44, against: 18},
	"internal/system":               {demanded: 7, against: 36},
	"internal/vfs":                  {demanded: 11},
}

func TestPackagesAndTypesAreSmall(t *testing.T) {
	entries := maps.Clone(exceeding)
	for _, p := range loadPackages(t) {
		path := short(p.PkgPath)
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
	degree := func(file string) (out, in int) {
		for _, other := range left {
			if uses[reference{file, other}] {
				out++
			}
			if uses[reference{other, file}] {
				in++
			}
		}
		return out, in
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
			at := slices.Index(order, file)
			others := slices.Delete(slices.Clone(order), at, at+1)
			// against[i] is how many references of the file run against the order if it is at i.
			against := make([]int, len(order))
			for i, other := range others {
				if uses[reference{file, other}] {
					for j := range i + 1 {
						against[j]++
					}
				}
				if uses[reference{other, file}] {
					for j := i + 1; j < len(against); j++ {
						against[j]++
					}
				}
			}
			if best := slices.Index(against, slices.Min(against)); against[best] < against[at] {
				order, improved = slices.Insert(others, best, file), true
			}
		}
	}
	return order
}
