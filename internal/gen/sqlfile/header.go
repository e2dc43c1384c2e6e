package sqlfile

import (
	"strings"

	// This YAML library gives the line and column of each node. Errors about overrides need them.
	"gopkg.in/yaml.v3"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// modifiers lists, for each kind of block, what may follow the name in the block's header.
var modifiers = map[Kind][]string{
	Migrate:  {},
	Baseline: {":source="},
	Testdata: {":source="},
	Query:    {":one", ":all", ":pluck", ":result=", ":source="},
	Exec:     {":batch", ":source="},
	Table:    {":appender", ":write", ":source="},
	Write:    {":source="},
}

// everyModifier are the modifiers of all kinds of blocks. A modifier in this list that a block's
// kind does not allow is reported as misplaced. A modifier that is not in this list is reported as
// unknown.
var everyModifier = []string{":one", ":all", ":pluck", ":batch", ":appender", ":write", ":result=", ":source="}

var ops = map[string]ir.Op{
	"insert": ir.OpInsert, "update": ir.OpUpdate, "delete": ir.OpDelete, "upsert": ir.OpUpsert,
}

// Ops are all bulk operations on tables (such as insert), in the order in which modules list them.
var Ops = []ir.Op{ir.OpAppender, ir.OpInsert, ir.OpUpdate, ir.OpDelete, ir.OpUpsert}

// header parses t, the header comment of a block, and fills in b. It returns false if there can be
// no block, for example because the header has no name.
func (p *parser) header(b *Block, t Token) bool {
	text := t.Text
	if t.Kind == BlockComment {
		text = strings.TrimSuffix(text, "*/")
	}
	at := 2
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	word, _ := headerWord(text)
	wordAt := t.Start + at
	at += len(word)
	line := text[at:]
	yamlAt := len(text)
	if t.Kind == BlockComment {
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			yamlAt = at + n + 1
			line = line[:n]
		}
	}
	fields := splitFields(line, t.Start+at)
	if len(fields) > 0 && !strings.HasPrefix(fields[0].text, ":") {
		b.Name, b.NameOffset = fields[0].text, fields[0].at
		fields = fields[1:]
	}
	if b.Kind != Kind(word) {
		p.list.Add(b.Errorf(diag.MisspelledKeyword, wordAt, wordAt+len(word), "%s is not a kind of block", word).
			Suggest("did you mean %s? (kinds are in capitals)", b.Kind))
	}
	if !p.name(b) {
		return false
	}
	p.modifiers(b, fields)
	if t.Kind == BlockComment {
		p.yaml(b, text[yamlAt:], t.Start+yamlAt)
	}
	return true
}

// name checks the name of block b. It reports an error and returns false if the name is missing or
// invalid.
func (p *parser) name(b *Block) bool {
	switch {
	case b.Name == "" && b.Kind != Testdata && b.Kind != Baseline:
		p.list.Add(b.Errorf(diag.SQLParse, b.HeaderStart, b.HeaderEnd, "%s has no name", b.Kind).
			Suggest("write -- %s some_name", b.Kind))
		return false
	case (b.Kind == Query || b.Kind == Exec) && !isName(b.Name):
		p.list.Add(b.NameErrorf(diag.SQLParse, "%q is not a name for a method", b.Name).
			Suggest("use letters, digits and _ only"))
		return false
	case (b.Kind == Query || b.Kind == Exec) && strings.Trim(b.Name, "_0123456789") == "":
		p.list.Add(b.NameErrorf(diag.SQLParse, "the name %q has no letter", b.Name))
		return false
	}
	return true
}

type field struct {
	text string
	at   int
}

// splitFields splits the text s at white space, except inside of quotes and parentheses. at is the
// byte offset of s in the file.
func splitFields(s string, at int) []field {
	var out []field
	start, depth := -1, 0
	quote := false
	for i := 0; i <= len(s); i++ {
		if i == len(s) || (isSpace(s[i]) && depth == 0 && !quote) {
			if start >= 0 {
				out = append(out, field{s[start:i], at + start})
				start = -1
			}
			continue
		}
		if start < 0 {
			start = i
		}
		switch s[i] {
		case '"':
			quote = !quote
		case '(':
			depth++
		case ')':
			depth = max(0, depth-1)
		}
	}
	return out
}

func (p *parser) modifiers(b *Block, fields []field) {
	seen := map[string]bool{}
	fail := func(f field, code diag.Code, format string, args ...any) *diag.Diagnostic {
		return p.list.Add(b.Errorf(code, f.at, f.at+len(f.text), format, args...))
	}
	set := map[ir.Op]bool{}
	for _, f := range fields {
		key, value, hasValue := strings.Cut(f.text, "=")
		if hasValue {
			key += "="
		}
		if (b.Kind == Write || b.Kind == Table) && !strings.HasPrefix(f.text, ":") {
			p.writeField(b, f, set)
			continue
		}
		// `:appender(a, b)` is SQG's form of `columns(a, b)`.
		if columns, ok := p.columnList(b, f, ":appender"); ok && b.Kind == Table {
			set[ir.OpAppender] = true
			b.InsertColumns, b.InsertOffset = columns, f.at
			continue
		}
		if !strings.HasPrefix(f.text, ":") {
			d := fail(f, diag.SQLParse, "%q is not a modifier", f.text)
			if near := base.Nearest(":"+f.text, modifiers[b.Kind]); near != "" {
				d.Suggest("did you mean %s?", near)
			} else {
				d.Suggest("modifiers begin with a colon; if this is a plain comment, do not begin it with %s", b.Kind)
			}
			continue
		}
		if seen[key] {
			fail(f, diag.UnknownModifier, "%s is given twice", key)
			continue
		}
		seen[key] = true
		if !contains(modifiers[b.Kind], key) {
			p.badModifier(b, f, key)
			continue
		}
		if hasValue && !isName(value) {
			fail(f, diag.UnknownModifier, "%s needs a name of letters, digits and _", key)
			continue
		}
		switch key {
		case ":one":
			b.One = true
		case ":all":
			b.All = true
		case ":pluck":
			b.Pluck = true
		case ":batch":
			b.Batch = true
		case ":result=":
			b.Result = value
		case ":source=":
			b.AttachedTo = value
		case ":appender":
			set[ir.OpAppender] = true
		case ":write":
			for _, op := range ops {
				set[op] = true
			}
		}
	}
	if b.One && b.All {
		p.list.Add(b.NameErrorf(diag.UnknownModifier, ":one and :all exclude each other").Suggest("remove one of them"))
	}
	if b.Pluck && b.Result != "" {
		p.list.Add(b.NameErrorf(diag.UnknownModifier, ":pluck returns the bare value, so :result= has nothing to name").Suggest("remove one of them"))
	}
	p.finishWrite(b, set)
}

// writeField parses one field of a WRITE block's header: `insert|update`, `insert`, `key(a, b)`,
// `set(c, d)` or `columns(e, f)`.
func (p *parser) writeField(b *Block, f field, set map[ir.Op]bool) {
	if columns, ok := p.columnList(b, f, "key"); ok {
		b.Key, b.KeyOffset = columns, f.at
		return
	}
	if columns, ok := p.columnList(b, f, "set"); ok {
		b.SetColumns, b.SetOffset = columns, f.at
		return
	}
	if columns, ok := p.columnList(b, f, "columns"); ok {
		b.InsertColumns, b.InsertOffset = columns, f.at
		return
	}
	at := f.at
	for _, name := range strings.Split(f.text, "|") {
		if op := ops[name]; op != "" && b.Kind == Write {
			set[op] = true
		} else {
			d := p.list.Add(b.Errorf(diag.UnknownModifier, at, at+len(name), "%q is not an operation", name))
			if near := base.Nearest(name, []string{"insert", "update", "delete", "upsert"}); near != "" && b.Kind == Write {
				d.Suggest("did you mean %s?", near)
			} else if b.Kind == Table {
				d.Suggest("a TABLE block takes :appender, :write and key(column, ...)")
			} else {
				d.Suggest("write insert, update, delete, upsert with | between, then key(column, ...)")
			}
		}
		at += len(name) + 1
	}
}

// columnList parses a field of a header that has the form `word(a, b)`, and returns the names in
// the parentheses. ok is false if the field does not have this form.
func (p *parser) columnList(b *Block, f field, word string) (columns []string, ok bool) {
	if !strings.HasPrefix(strings.ToLower(f.text), word+"(") || !strings.HasSuffix(f.text, ")") {
		return nil, false
	}
	usage := "write " + word + "(column, column)"
	for _, t := range Tokenize(ir.Postgres, f.text[len(word)+1:len(f.text)-1], 0) {
		switch t.Kind {
		case Word, Ident:
			columns = append(columns, t.Unquote())
		case Space:
		default:
			if t.Text != "," {
				p.list.Add(b.Errorf(diag.BadKey, f.at, f.at+len(f.text), "%s(...) takes column names", word).Suggest("%s", usage))
				return nil, true
			}
		}
	}
	if len(columns) == 0 {
		p.list.Add(b.Errorf(diag.BadKey, f.at, f.at+len(f.text), "%s() names no column", word).Suggest("%s", usage))
	}
	return columns, true
}

func (p *parser) finishWrite(b *Block, set map[ir.Op]bool) {
	if b.Kind != Table && b.Kind != Write {
		return
	}
	for _, op := range Ops {
		if set[op] {
			b.Ops = append(b.Ops, op)
		}
	}
	if len(b.Ops) > 0 {
		p.unusedColumns(b, set)
		return
	}
	if b.Kind == Table {
		p.list.Add(b.NameErrorf(diag.UnknownModifier, "TABLE %s does not say what to generate", b.Name).Suggest("add :appender or :write"))
	} else {
		p.list.Add(b.NameErrorf(diag.UnknownModifier, "WRITE %s names no operation", b.Name).Suggest("add insert, update, delete or upsert, with | between"))
	}
}

// unusedColumns reports an error if the header has a set(...) or columns(...) that no operation of
// the block uses.
func (p *parser) unusedColumns(b *Block, set map[ir.Op]bool) {
	if len(b.SetColumns) > 0 && !set[ir.OpUpdate] && !set[ir.OpUpsert] {
		p.list.Add(b.Errorf(diag.BadKey, b.SetOffset, b.SetOffset+3, "set(...) needs an update or upsert, but %s has neither", b.Name).
			Suggest("write columns(%s) if the inserted rows have only these columns", strings.Join(b.SetColumns, ", ")))
	}
	if len(b.InsertColumns) > 0 && !set[ir.OpInsert] && !set[ir.OpUpsert] && !set[ir.OpAppender] {
		p.list.Add(b.Errorf(diag.BadKey, b.InsertOffset, b.InsertOffset+7, "columns(...) needs an insert, but %s has none", b.Name).
			Suggest("add insert, or remove it"))
	}
}

func (p *parser) badModifier(b *Block, f field, key string) {
	d := p.list.Add(b.Errorf(diag.UnknownModifier, f.at, f.at+len(f.text), "%s does not support the modifier %s", b.Kind, f.text))
	allowed := modifiers[b.Kind]
	switch near := base.Nearest(key, allowed); {
	case key == ":result" || key == ":source":
		d.Suggest("write %s=Name", key)
	case near != "":
		d.Suggest("did you mean %s?", near)
	case contains(everyModifier, key) && b.Kind == Exec:
		d.Suggest("an EXEC returns a count; a statement that returns rows is a QUERY")
	case len(allowed) > 0:
		d.Suggest("it supports %s", strings.Join(allowed, " "))
	default:
		d.Suggest("it takes no modifiers")
	}
}

// yaml parses text, the YAML in a block comment. at is the byte offset of the text in the file.
func (p *parser) yaml(b *Block, text string, at int) {
	if strings.TrimSpace(text) == "" {
		return
	}
	page := p.file.Text
	firstLine, _ := page.Position(at)
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		p.list.Add(b.Errorf(diag.BadOverride, at, at, "the configuration in this comment is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: ")))
		return
	}
	if len(root.Content) == 0 {
		return
	}
	offset := func(n *yaml.Node) int {
		line := firstLine + n.Line - 1
		return lineOffset(page.Text, line) + columnBytes(page.Line(line), n.Column)
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode {
		p.list.Add(b.Errorf(diag.BadOverride, offset(top), offset(top)+1, "the configuration in this comment is not a mapping").
			Suggest("write result: and below it, indented, column: type not null"))
		return
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		from := offset(key)
		if key.Value != "result" {
			d := p.list.Add(b.Warnf(diag.BadOverride, from, from+len(key.Value), "the key %q has no meaning here", key.Value))
			if base.Nearest(key.Value, []string{"result"}) != "" {
				d.Suggest("did you mean result?")
			}
			continue
		}
		if value.Kind != yaml.MappingNode {
			p.list.Add(b.Errorf(diag.BadOverride, from, from+len(key.Value), "result: names no column").
				Suggest("below it, indented, write column: type not null"))
			continue
		}
		for j := 0; j+1 < len(value.Content); j += 2 {
			p.override(b, value.Content[j], value.Content[j+1], offset)
		}
	}
}

// override parses one entry `column: type [null | not null]` of the YAML `result:`, and adds it to
// the overrides of block b.
func (p *parser) override(b *Block, key, value *yaml.Node, offset func(*yaml.Node) int) {
	at := offset(key)
	o := Override{Column: key.Value, At: at, End: at + len(key.Value)}
	words := strings.Fields(value.Value)
	lower := strings.Fields(strings.ToLower(value.Value))
	n := len(words)
	yes, no := true, false
	switch {
	case value.Kind != yaml.ScalarNode || n == 0:
		p.list.Add(b.Errorf(diag.BadOverride, o.At, o.End, "the override of %s is empty", key.Value).Suggest("write %s: type not null", key.Value))
		return
	case n >= 2 && lower[n-2] == "not" && lower[n-1] == "null":
		o.Nullable, n = &no, n-2
	case n >= 2 && base.Distance(lower[n-2], "not") <= 1 && base.Distance(lower[n-1], "null") <= 1:
		from := offset(value)
		p.list.Add(b.Errorf(diag.BadOverride, from, from+len(value.Value), "the override of %s ends in %q", key.Value, words[n-2]+" "+words[n-1]).
			Suggest("did you mean not null?"))
		return
	case lower[n-1] == "null":
		o.Nullable, n = &yes, n-1
	}
	o.Type = strings.Join(words[:n], " ")
	b.Overrides = append(b.Overrides, o)
}

func lineOffset(text string, line int) int {
	at := 0
	for ; line > 1; line-- {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	return at
}

// columnBytes converts a column of a line, counted in characters from 1, into a byte offset from
// the beginning of the line.
func columnBytes(line string, column int) int {
	at := 0
	for i := range line {
		column--
		at = i
		if column == 0 {
			return at
		}
	}
	return len(line)
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
