package sqlite

import "strings"

// fromItem returns the tables, with their columns, of s: a FROM clause or a part of it. The result
// known is false if one of the tables is unknown. The meaning of a star, or of a column's name
// without a table, is then unknown, too.
func (w *walker) fromItem(s *fromItem, sc *scope) (out []*relation, known bool) {
	if s.left == nil {
		r, ok := w.relation(s, sc)
		return []*relation{r}, ok
	}
	left, leftKnown := w.fromItem(s.left, sc)
	// The arguments of a table function may refer to the tables on its left.
	sc.relations = left
	right, rightKnown := w.fromItem(s.right, sc)
	known = leftKnown && rightKnown
	if s.nullsLeft {
		null(left)
	}
	if s.nullsRight {
		null(right)
	}
	using := s.using
	if s.natural && known {
		for _, r := range right {
			for _, c := range r.columns[:len(r.columns)-r.hidden] {
				if find(left, c.name) != nil {
					using = append(using, c.name)
				}
			}
		}
	}
	for _, name := range using {
		from, r := findRelation(left, name), findRelation(right, name)
		if from == nil || r == nil {
			return append(left, right...), false
		}
		if key := strings.ToLower(name); s.nullsLeft {
			l, other := find(left, name), find(right, name)
			from.coalesced[key] = value{typ: unify(l.typ, other.typ), nullable: l.nullable && other.nullable}
		}
		r.merged[strings.ToLower(name)] = true
	}
	all := append(append([]*relation{}, left...), right...)
	if s.on != nil {
		on := &scope{relations: all, parent: sc.parent, env: sc.env, proven: map[*output]bool{}}
		w.value(s.on, on)
	}
	return all, known
}

func null(relations []*relation) {
	for _, r := range relations {
		for i := range r.columns {
			r.columns[i].nullable = true
		}
		for name, v := range r.coalesced {
			v.nullable = true
			r.coalesced[name] = v
		}
		r.rowid = false // an outer join can make the rowid NULL: treat it as unknown
	}
}

func find(relations []*relation, name string) *output {
	for _, r := range relations {
		for i := range r.columns {
			if strings.EqualFold(r.columns[i].name, name) && !r.merged[strings.ToLower(name)] {
				return &r.columns[i]
			}
		}
	}
	return nil
}

func findRelation(relations []*relation, name string) *relation {
	for _, r := range relations {
		if find([]*relation{r}, name) != nil {
			return r
		}
	}
	return nil
}

// relation returns a table in a FROM clause with its columns. s is a table, view, query of WITH,
// table function or subquery, but not a join. The boolean is false if s is unknown.
func (w *walker) relation(s *fromItem, sc *scope) (*relation, bool) {
	r := &relation{alias: s.alias, merged: map[string]bool{}, coalesced: map[string]value{}}
	if s.sub != nil {
		r.columns = w.queryIn(s.sub, sc.parent, sc.env)
		return r, r.columns != nil
	}
	if r.alias == "" {
		r.alias = s.table
	}
	for _, a := range s.args {
		w.value(a, &scope{relations: sc.relations, parent: sc.parent, env: sc.env})
	}
	if s.schema == "" && !s.call {
		for env := sc.env; env != nil; env = env.parent {
			if strings.EqualFold(env.name, s.table) {
				r.columns = append([]output{}, env.columns...)
				return r, env.columns != nil
			}
		}
	}
	t := w.table(s.schema, s.table)
	if t == nil {
		return r, false
	}
	r.schema, r.table, r.rowid, r.hidden = t.schema, t.name, t.rowid && !s.call, t.hidden
	r.columns = append([]output{}, t.columns...)
	return r, true
}
