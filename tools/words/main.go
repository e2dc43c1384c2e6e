// Command words picks random comments of production code and random paragraphs of docs, so that
// somebody who does not know Scoter can try to explain each of them.
//
//	go run ./tools/words/main.go -seed 7 -comments 60 -paragraphs 20
//
// The same seed picks the same texts from the same tree. Each text is printed with its place and,
// for a comment, with the declaration that it belongs to.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// text is one text with its place. code is the line of code that a comment describes.
type text struct {
	path, text, code string
	line             int
}

func main() {
	seed := flag.Uint64("seed", 1, "seed of the random choice")
	comments := flag.Int("comments", 60, "number of comments")
	paragraphs := flag.Int("paragraphs", 20, "number of paragraphs of docs")
	flag.Parse()
	if err := run(*seed, *comments, *paragraphs); err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

func run(seed uint64, comments, paragraphs int) error {
	r := rand.New(rand.NewPCG(seed, 0))
	var all []text
	for _, root := range []string{"internal", "cmd", "bench", "clients/go"} {
		found, err := commentsBelow(root)
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	show("comment", pick(r, all, comments))
	all = nil
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		return err
	}
	for _, page := range append(pages, "README.md", "SECURITY.md", "CONTRIBUTING.md", "bench/README.md") {
		found, err := paragraphsOf(page)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		all = append(all, found...)
	}
	show("paragraph", pick(r, all, paragraphs))
	return nil
}

// pick returns n different texts, or all if there are fewer.
func pick(r *rand.Rand, from []text, n int) []text {
	r.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	return from[:min(n, len(from))]
}

func show(kind string, texts []text) {
	for i, t := range texts {
		fmt.Printf("### %s %d: %s:%d\n%s\n", kind, i+1, t.path, t.line, t.text)
		if t.code != "" {
			fmt.Printf("> %s\n", t.code)
		}
		fmt.Println()
	}
}

// commentsBelow returns the doc comments of declarations and fields, and the comments within
// functions that have at least two lines or 60 bytes.
func commentsBelow(root string) ([]text, error) {
	var out []text
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := strings.Split(string(source), "\n")
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, source, parser.ParseComments)
		if err != nil {
			return err
		}
		documents := map[*ast.CommentGroup]bool{file.Doc: true}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				documents[n.Doc] = true
			case *ast.GenDecl:
				documents[n.Doc] = true
			case *ast.TypeSpec:
				documents[n.Doc], documents[n.Comment] = true, true
			case *ast.ValueSpec:
				documents[n.Doc], documents[n.Comment] = true, true
			case *ast.Field:
				documents[n.Doc], documents[n.Comment] = true, true
			}
			return true
		})
		for _, group := range file.Comments {
			if strings.HasPrefix(group.List[0].Text, "//go:") || file.Pos() > group.End() && group != file.Doc {
				continue
			}
			body := strings.TrimSpace(group.Text())
			if body == "" || !documents[group] && len(body) < 60 {
				continue
			}
			begin, end := set.Position(group.Pos()), set.Position(group.End())
			code := strings.TrimSpace(lines[begin.Line-1][:begin.Column-1])
			if code == "" && end.Line < len(lines) {
				code = strings.TrimSpace(lines[end.Line])
			}
			out = append(out, text{path, body, code, begin.Line})
		}
		return nil
	})
	return out, err
}

// paragraphsOf returns the paragraphs and lists of a Markdown page, without headings, tables and
// code.
func paragraphsOf(page string) ([]text, error) {
	content, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	var out []text
	var block []string
	code, began := false, 0
	flush := func() {
		if body := strings.Join(block, "\n"); len(body) > 60 {
			out = append(out, text{page, body, "", began})
		}
		block = nil
	}
	for i, line := range strings.Split(string(content), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			flush()
			code = !code
		case code:
		case trimmed == "", strings.HasPrefix(trimmed, "#"), strings.HasPrefix(trimmed, "|"):
			flush()
		default:
			if block == nil {
				began = i + 1
			}
			block = append(block, line)
		}
	}
	flush()
	return out, nil
}
