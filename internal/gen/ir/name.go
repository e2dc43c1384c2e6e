package ir

import (
	"strings"
	"unicode"
)

// Name is a name that the user wrote, also split into words. Generators join the words in the case
// that their language uses.
type Name struct {
	// Original is the name exactly as the user wrote it, such as `my col`, `getUser`, `count(*)`.
	Original string `json:"original"`
	// Words are the words of the name: at least one, none empty. They contain only lower-case
	// letters and digits of any script. The first word may begin with a digit (`9x`); a generator
	// then adds the prefix that its language needs.
	Words []string `json:"words"`
}

// NewName splits a name into words:
//
//   - at everything that is not a letter or a digit
//   - before a capital letter that follows a small letter or a digit (`getUser`)
//   - before the last of several capital letters, if a small letter follows (`HTTPServer` is http,
//     server)
//
// Digits stay with the letters before them (`md5`, `user2`). A name without any letter or digit
// gets the word "x".
func NewName(original string) Name {
	n := Name{Original: original}
	var word []rune
	flush := func() {
		if len(word) > 0 {
			n.Words = append(n.Words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(original)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if len(word) > 0 && unicode.IsUpper(r) {
			last := word[len(word)-1]
			nextLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if !unicode.IsUpper(last) || nextLower {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	if len(n.Words) == 0 {
		n.Words = []string{"x"}
	}
	return n
}

// With returns a name with words added at the end. Its Original is the new name in snake case.
func (n Name) With(words ...string) Name {
	all := append(append([]string{}, n.Words...), words...)
	return Name{Original: strings.Join(all, "_"), Words: all}
}

// Snake returns the name in snake case, such as `get_user`.
func (n Name) Snake() string { return strings.Join(n.Words, "_") }

// Screaming returns the name in upper-case snake case, such as `GET_USER`.
func (n Name) Screaming() string { return strings.ToUpper(n.Snake()) }

// Kebab returns the name in kebab case, such as `get-user`.
func (n Name) Kebab() string { return strings.Join(n.Words, "-") }

// Pascal returns the name in Pascal case, such as `GetUser`.
func (n Name) Pascal() string {
	var b strings.Builder
	for _, w := range n.Words {
		b.WriteString(title(w))
	}
	return b.String()
}

// Camel returns the name in camel case, such as `getUser`.
func (n Name) Camel() string {
	var b strings.Builder
	for i, w := range n.Words {
		if i == 0 {
			b.WriteString(w)
		} else {
			b.WriteString(title(w))
		}
	}
	return b.String()
}

// Same reports whether two names become the same identifier in some case convention. `user_id`,
// `userId` and `USER ID` are the same. So are `x_1` and `x1`, because Pascal case cannot
// distinguish them.
func (n Name) Same(o Name) bool { return n.Key() == o.Key() }

// Key returns a text that is equal for two names if and only if Same is true for them.
func (n Name) Key() string { return strings.Join(n.Words, "") }

func title(w string) string {
	r := []rune(w)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}
