package emit

import (
	"go/token"
	"strings"
	"unicode"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// words returns the words of s, a text with words separated by white space, as a set.
func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// keywords are the keywords of each language. A keyword can never be a name in generated code.
var keywords = map[Language]map[string]bool{
	Java: words(`abstract assert boolean break byte case catch char class const continue default do double else enum extends
		false final finally float for goto if implements import instanceof int interface long native new null package private
		protected public return short static strictfp super switch synchronized this throw throws transient true try void
		volatile while _`),
	Python: words(`False None True and as assert async await break class continue def del elif else except finally for from
		global if import in is lambda nonlocal not or pass raise return try while with yield`),
}

// reserved are further words that generated code must not use as names, for each language. Some are
// keywords only in certain places. Others are names that already exist, such as built-in functions,
// and generated code would break if it redefined them.
var reserved = map[Language]map[string]bool{
	Java: words(`var yield record sealed permits when exports module
		clone finalize getClass hashCode notify notifyAll toString wait equals rt`),
	TypeScript: words(`break case catch class const continue debugger default delete do else enum export extends false finally for
		function if import in instanceof new null return super switch this throw true try typeof var void while with
		implements interface let package private protected public static yield await async of arguments eval undefined NaN Infinity
		constructor prototype rt SQL migrations JSON`),
	Python: words(`self match case print
		list dict int str float bool bytes tuple type set object iter len rt`),
	Go: words(`break case chan const continue default defer else fallthrough for func go goto if import interface map package
		range return select struct switch type var
		any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8
		uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag len make max min new
		panic print println real recover
		ctx q err row rows context json time big fmt iter sql`),
}

// Identifier turns base into a valid identifier of the language. It adds an underscore before a
// leading digit, and after a reserved word. Different names stay different.
func Identifier(l Language, base string) string {
	if base == "" {
		return "_"
	}
	if unicode.IsDigit([]rune(base)[0]) {
		base = "_" + base
	}
	if keywords[l][base] || reserved[l][base] {
		return base + "_"
	}
	return base
}

// IsIdentifier reports whether a word is a valid name in the language.
func IsIdentifier(l Language, word string) bool {
	if l == Go {
		return token.IsIdentifier(word) && word != "_"
	}
	for i, r := range word {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return word != "" && !keywords[l][word]
}

// Case joins the words of a name into an identifier in one letter case, such as camel case.
type Case func(ir.Name) string

// These variables are the letter cases that each language has for methods, fields, parameters and
// types.
var (
	methodCase = map[Language]Case{Java: ir.Name.Camel, TypeScript: ir.Name.Camel, Python: ir.Name.Snake}
	fieldCase  = map[Language]Case{Java: ir.Name.Camel, Python: ir.Name.Snake}
	paramCase  = map[Language]Case{Java: ir.Name.Camel, TypeScript: paramOriginal, Python: ir.Name.Snake, Go: ir.Name.Camel}
)

// paramOriginal returns the name of a parameter as the user wrote it, if that is a valid
// identifier. Otherwise it returns the name in another form that is one.
func paramOriginal(n ir.Name) string {
	for i, r := range n.Original {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return n.Camel()
		}
	}
	if strings.HasPrefix(n.Original, "__") || n.Original == "" {
		return n.Camel()
	}
	return n.Original
}

// exported changes a name in Pascal case so that Go exports it, which requires a capital letter at
// the beginning. If the name begins with a digit, or with a letter of a script without capitals,
// exported puts an X before it.
func exported(name string) string {
	if !unicode.IsUpper([]rune(name)[0]) {
		return "X" + name
	}
	return name
}

// Type returns the name in generated code of an enum, struct or row type with the name n.
func Type(l Language, n ir.Name) string {
	if l == Go {
		return exported(n.Pascal())
	}
	return Identifier(l, n.Pascal())
}

// Method returns the name in generated code of a method with the name n.
func Method(l Language, n ir.Name) string {
	if l == Go {
		return exported(n.Pascal())
	}
	return Identifier(l, methodCase[l](n))
}

// Field returns the name in generated code of a field of a row or struct. n is the name of the
// column or field in SQL. In TypeScript the result is the column's own name, which may need quotes.
func Field(l Language, n ir.Name) string {
	switch l {
	case TypeScript:
		return n.Original
	case Go:
		return exported(n.Pascal())
	}
	return Identifier(l, fieldCase[l](n))
}

// Param returns the name in generated code of a parameter with the name n.
func Param(l Language, n ir.Name) string { return Identifier(l, paramCase[l](n)) }

// Scope has the names that are taken in one scope of generated code, such as the methods of a
// class. It never gives out a name twice.
type Scope struct {
	taken map[string]string
}

// NewScope returns a scope in which the given names are taken.
func NewScope(taken ...string) *Scope {
	s := &Scope{taken: map[string]string{}}
	for _, n := range taken {
		s.taken[n] = "the runtime"
	}
	return s
}

// First returns the first of the candidates that is still free in the scope, and marks it as taken.
// If none is free, it appends underscores to the last candidate until the name is free. owner is
// the thing to be named, for error messages.
func (s *Scope) First(owner string, candidates ...string) string {
	for _, c := range candidates {
		if _, taken := s.taken[c]; !taken {
			s.taken[c] = owner
			return c
		}
	}
	name := candidates[len(candidates)-1]
	for s.taken[name] != "" {
		name += "_"
	}
	s.taken[name] = owner
	return name
}

// Derived marks the given name as taken in the scope, and returns it. If the name is taken already,
// the error is Invalid: there is no second candidate, because the parts of the name have a meaning
// for readers. owner is the thing to be named, for error messages.
func (s *Scope) Derived(owner, name string) (string, error) {
	if other, taken := s.taken[name]; taken {
		return "", base.Errorf(base.Invalid, "%s needs the name %s, which %s already has: rename one of them", owner, name, other)
	}
	s.taken[name] = owner
	return name, nil
}
