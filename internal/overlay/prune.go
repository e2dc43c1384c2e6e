package overlay

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// keepParts chooses the parts to read, by the bounds (conditions that all result rows meet) and the
// statistics of the parts. The result remaining has the parts in which values of the part's file
// may meet all bounds. The result changed has the parts with patches in which values that updates
// have set may meet all bounds. A part may be in both.
func (x *indexes) keepParts(t *snapshot.Table, bounds []Bound) (remaining, changed []*catalog.Part) {
	keep, keepChanged := slices.Repeat([]bool{true}, len(t.Parts)), slices.Repeat([]bool{true}, len(t.Parts))
	for i := range bounds {
		b := &bounds[i]
		index := x.of(t, b.Column)
		// Some parts lack an expression update (an UPDATE that is stored as SQL) that sets the
		// column. The statistics of these parts describe the values before the update.
		if setByAny(t.Expressions, b.Column) {
			before := slices.Clone(keep)
			index.narrow(keep, b)
			for i, p := range t.Parts {
				keep[i] = keep[i] || before[i] && setByAny(t.Pending(p), b.Column)
			}
		} else {
			index.narrow(keep, b)
		}
		if len(t.Patches) == 0 {
			continue
		}
		within := slices.Repeat([]bool{true}, len(t.Parts))
		index.narrow(within, b)
		for i, p := range t.Parts {
			if set := t.Patches[p.ID]; set != nil && !within[i] && !slices.Contains(set.Columns(), b.Column) {
				keepChanged[i] = false
			}
		}
	}
	if len(bounds) == 0 && len(t.Patches) == 0 {
		return t.Parts, nil
	}
	for i, p := range t.Parts {
		if keep[i] {
			remaining = append(remaining, p)
		}
		if keepChanged[i] && t.Patches[p.ID] != nil {
			changed = append(changed, p)
		}
	}
	return remaining, changed
}

// setByAny reports whether at least one of the expression updates (UPDATEs that are stored as SQL)
// sets the column.
func setByAny(expressions []*patch.Expression, id base.ColumnID) bool {
	return slices.ContainsFunc(expressions, func(x *patch.Expression) bool { return slices.Contains(x.Columns(), id) })
}

// know returns what the statistics of a part say about a column, and the column's least and
// greatest value. The argument now is the current column. The argument written is the column as it
// was when the part was written, or nil if it did not exist then.
func know(p *catalog.Part, now, written *schema.Column) (k knowledge, least, most schema.Value) {
	if written == nil {
		// In all rows of the part the column has its initial value. That value is known without
		// evaluation only if it is NULL. NULL does not meet any comparison.
		if now.Initial == "" {
			return never, least, most
		}
		return unknown, least, most
	}
	if !comparable(written.Type, now.Type) {
		return unknown, least, most
	}
	stats, ok := p.Stats[now.ID]
	switch {
	case !ok:
		return unknown, least, most
	case stats.Nulls == p.Rows:
		return never, least, most
	}
	return ranged, stats.Min, stats.Max
}

func columnIn(t schema.Table, id base.ColumnID) *schema.Column {
	if i := t.ColumnByID(id); i >= 0 {
		return &t.Columns[i]
	}
	return nil
}

// comparable reports whether the least and greatest values of a column are still bounds of its
// values after these are converted from their old type (written) to the current one (now). That is
// so for numbers. It is not so if the unit changes, for example from days to microseconds.
func comparable(written, now schema.Type) bool {
	return written.StorageType().Equal(now.StorageType()) || numeric(written.Kind) && numeric(now.Kind)
}

func numeric(k schema.Kind) bool {
	switch k {
	case schema.HugeInt, schema.UHugeInt: // these types are stored as text
		return false
	}
	return k >= schema.TinyInt && k <= schema.Decimal
}

// mayMatch reports whether some value v with least <= v <= most can meet the bound. If one of these
// two limits is unknown (NULL), or has a type that cannot be compared with the bound, that limit
// excludes nothing.
func (b *Bound) mayMatch(least, most schema.Value) bool {
	for _, v := range b.Values {
		overLeast, okLeast := v.Compare(least)
		overMost, okMost := v.Compare(most)
		switch b.Operator {
		case Equal:
			if !(okLeast && overLeast < 0) && !(okMost && overMost > 0) {
				return true
			}
		case Less:
			if !(okLeast && overLeast <= 0) {
				return true
			}
		case LessOrEqual:
			if !(okLeast && overLeast < 0) {
				return true
			}
		case Greater:
			if !(okMost && overMost >= 0) {
				return true
			}
		case GreaterOrEqual:
			if !(okMost && overMost > 0) {
				return true
			}
		}
	}
	return false
}
