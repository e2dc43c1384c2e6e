package ir

import (
	"strings"
	"unicode"
)

// Name is a name as the user wrote it and its words, from which every backend
// makes identifiers in its language's case.
type Name struct {
	// Original is exact: `my col`, `getUser`, `count(*)`.
	Original string `json:"original"`
	// Words are lower case, never empty, letters and digits only (of any
	// script). The first may begin with a digit (`9x`): a backend then
	// prefixes what its language needs. There is at least one word.
	Words []string `json:"words"`
}

// NewName splits a name into words: at everything that is not a letter or a
// digit, before a capital that follows a small letter or a digit (`getUser`),
// and before the last capital of a run that a small letter follows
// (`HTTPServer` is http, server). Digits stay with what they follow (`md5`,
// `user2`). A name without any letter or digit gets the word "x".
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

// With returns a name with further words at the end. Its Original is the
// snake-case form.
func (n Name) With(words ...string) Name {
	all := append(append([]string{}, n.Words...), words...)
	return Name{Original: strings.Join(all, "_"), Words: all}
}

// Snake is `get_user`.
func (n Name) Snake() string { return strings.Join(n.Words, "_") }

// Screaming is `GET_USER`.
func (n Name) Screaming() string { return strings.ToUpper(n.Snake()) }

// Kebab is `get-user`.
func (n Name) Kebab() string { return strings.Join(n.Words, "-") }

// Pascal is `GetUser`.
func (n Name) Pascal() string {
	var b strings.Builder
	for _, w := range n.Words {
		b.WriteString(title(w))
	}
	return b.String()
}

// Camel is `getUser`.
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

// Same reports whether two names become the same identifier in some case
// convention: `user_id`, `userId` and `USER ID` are the same, and so are
// `x_1` and `x1`, which Pascal case cannot tell apart.
func (n Name) Same(o Name) bool { return n.Key() == o.Key() }

// Key is equal for two names exactly when Same holds.
func (n Name) Key() string { return strings.Join(n.Words, "") }

func title(w string) string {
	r := []rune(w)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}
