package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// PartitionKey identifies one partition of a table.
type PartitionKey struct {
	// Values has a value for each field of Table.PartitionBy. NULL has a partition of its own. If
	// the transform of the field is Identity, that is the value of the column. Otherwise it is the
	// number of years, months, days or hours since 1970-01-01 in UTC.
	Values []schema.Value
	// Text is the Hive path of the partition, such as "region=eu/day=2024-03-09". It is empty if
	// the table is not partitioned. Names and values are percent-escaped, so the text is safe as a
	// path, and different keys have different texts.
	Text string
}

// PartitionRows are the rows of one partition.
type PartitionRows struct {
	Key  PartitionKey
	Rows []uint32 // global ordinals of the rows (row numbers through all batches)
}

// hiveNull is the text for NULL in a partition's path, as in Hive, Spark and DuckDB.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// Partition splits rows of the batches by the partitioning of the table. The argument ordinals has
// the global numbers of the rows to split, in an order such as that of Sort. Nil stands for all
// rows. The rows of a partition stay in that order. The partitions are sorted by their keys, with
// NULL last.
func Partition(recs []arrow.RecordBatch, table schema.Table, ordinals []uint32) ([]PartitionRows, error) {
	total := Rows(recs)
	if ordinals == nil {
		ordinals = make([]uint32, total)
		for i := range ordinals {
			ordinals[i] = uint32(i)
		}
	}
	if len(ordinals) == 0 {
		return nil, nil
	}
	if len(table.PartitionBy) == 0 {
		return []PartitionRows{{Rows: ordinals}}, nil
	}
	groups := grouping{ids: make([]uint32, total), keys: [][]schema.Value{nil}}
	for _, f := range table.PartitionBy {
		i := table.ColumnByID(f.Column)
		if i < 0 {
			return nil, base.Errorf(base.Internal, "partitioning names column id %d, which table %s lacks", f.Column, table.QualifiedName())
		}
		if err := groups.split(recs, i, f.Transform); err != nil {
			return nil, base.Wrap(err, "partition by column %q", table.Columns[i].Name)
		}
	}
	parts := make([]PartitionRows, len(groups.keys))
	for i, key := range groups.keys {
		parts[i].Key = PartitionKey{Values: key, Text: pathOf(table, key)}
	}
	for _, o := range ordinals {
		if int(o) >= total {
			return nil, base.Errorf(base.Internal, "partition row %d of %d", o, total)
		}
		p := &parts[groups.ids[o]]
		p.Rows = append(p.Rows, o)
	}
	parts = slices.DeleteFunc(parts, func(p PartitionRows) bool { return len(p.Rows) == 0 })
	slices.SortFunc(parts, func(a, b PartitionRows) int { return compareKeys(a.Key.Values, b.Key.Values) })
	return parts, nil
}

// grouping assigns each row to a group of rows with equal partition values. It begins with one
// group, and splits the groups by one field of the partitioning after the other.
type grouping struct {
	ids  []uint32
	keys [][]schema.Value // partition values of each group, by the number of the group
}

// split splits the groups by one more field of the partitioning: a column and its transform.
// Neighbouring rows mostly belong to the same group, so the group of the previous row is cached.
func (g *grouping) split(recs []arrow.RecordBatch, column int, transform schema.Transform) error {
	type step struct {
		group uint32
		value schema.Value
	}
	next := make(map[step]uint32)
	var keys [][]schema.Value
	var last step
	lastID, known := uint32(0), false
	at := 0
	for _, rec := range recs {
		value, err := partitionValues(rec.Column(column), transform)
		if err != nil {
			return err
		}
		for i := range int(rec.NumRows()) {
			s := step{g.ids[at], value(i)}
			if !known || s != last {
				id, seen := next[s]
				if !seen {
					id = uint32(len(keys))
					next[s] = id
					keys = append(keys, append(slices.Clip(slices.Clone(g.keys[s.group])), s.value))
				}
				last, lastID, known = s, id, true
			}
			g.ids[at] = lastID
			at++
		}
	}
	g.keys = keys
	return nil
}

// partitionValues returns a function that gets a row number and returns the partition value of that
// row. The argument a is the column of a field of the partitioning, and transform is the field's
// transform, such as day.
func partitionValues(a arrow.Array, transform schema.Transform) (func(row int) schema.Value, error) {
	if transform == schema.Identity {
		return scalarsOf(a)
	}
	toTime := func(int) time.Time { return time.Time{} }
	// Numbers of the column's time units in an hour and in a day.
	perHour, perDay := int64(0), int64(0)
	var units func(row int) int64
	switch a := a.(type) {
	case *array.Date32:
		units, perDay = func(row int) int64 { return int64(a.Value(row)) }, 1
		toTime = func(row int) time.Time { return time.Unix(int64(a.Value(row))*86400, 0).UTC() }
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		perHour = int64(time.Hour / unit.Multiplier())
		perDay = 24 * perHour
		units = func(row int) int64 { return int64(a.Value(row)) }
		toTime = func(row int) time.Time { return a.Value(row).ToTime(unit) }
	default:
		return nil, base.Errorf(base.Internal, "%s of type %s", transform, a.DataType())
	}
	return func(row int) schema.Value {
		if a.IsNull(row) {
			return schema.Value{}
		}
		switch transform {
		case schema.Hour:
			return schema.IntValue(floorDivide(units(row), perHour))
		case schema.Day:
			return schema.IntValue(floorDivide(units(row), perDay))
		case schema.Month:
			t := toTime(row)
			return schema.IntValue(int64(t.Year()-1970)*12 + int64(t.Month()) - 1)
		default:
			return schema.IntValue(int64(toTime(row).Year() - 1970))
		}
	}, nil
}

func floorDivide(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// compareKeys compares two partition keys, one field after the other. NULL is last.
func compareKeys(a, b []schema.Value) int {
	for i := range a {
		switch {
		case a[i].IsNull() && b[i].IsNull():
			continue
		case a[i].IsNull():
			return 1
		case b[i].IsNull():
			return -1
		}
		if c, _ := a[i].Compare(b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// pathOf returns the Hive path of the partition with the given key.
func pathOf(table schema.Table, key []schema.Value) string {
	levels := PartitionLevels(table)
	for i, f := range table.PartitionBy {
		column := table.Columns[table.ColumnByID(f.Column)]
		levels[i] = escape(levels[i]) + "=" + valueText(column.Type, f.Transform, key[i])
	}
	return strings.Join(levels, "/")
}

// SamePartitions reports whether two versions of a table give each row the same partition path. A
// path contains column names, and the texts of values, which depend on the types of the columns.
func SamePartitions(a, b schema.Table) bool {
	if !slices.Equal(a.PartitionBy, b.PartitionBy) || !slices.Equal(PartitionLevels(a), PartitionLevels(b)) {
		return false
	}
	return !slices.ContainsFunc(a.PartitionBy, func(f schema.PartitionField) bool {
		return !writtenAlike(a.Columns[a.ColumnByID(f.Column)].Type, b.Columns[b.ColumnByID(f.Column)].Type)
	})
}

// writtenAlike reports whether equal values of two types have the same text in a partition path. If
// one type is DATE and the other is TIMESTAMP, it returns false, because infinite values of the two
// types have different texts under every transform.
func writtenAlike(a, b schema.Type) bool {
	whole := func(t schema.Type) bool {
		return t.Kind >= schema.TinyInt && t.Kind <= schema.UHugeInt || t.Kind == schema.Decimal && t.Scale == 0
	}
	switch {
	case whole(a) && whole(b):
		return true
	case a.Kind == schema.Decimal && b.Kind == schema.Decimal:
		return a.Scale == b.Scale
	}
	return a.StorageType().Equal(b.StorageType())
}

// PartitionLevels returns the names of the levels in the table's Hive paths, not escaped. For the
// transform Identity the name is that of the column. Otherwise it is the name of the transform. If
// another level has the same transform, or a column has the name of the transform, the name is
// column_transform.
func PartitionLevels(table schema.Table) []string {
	levels := make([]string, len(table.PartitionBy))
	for i, f := range table.PartitionBy {
		name := table.Columns[table.ColumnByID(f.Column)].Name
		if f.Transform != schema.Identity {
			alone := table.ColumnIndex(f.Transform.String()) < 0
			for j, other := range table.PartitionBy {
				alone = alone && (i == j || other.Transform != f.Transform)
			}
			if alone {
				name = f.Transform.String()
			} else {
				name += "_" + f.Transform.String()
			}
		}
		levels[i] = name
	}
	return levels
}

func valueText(t schema.Type, transform schema.Transform, v schema.Value) string {
	if v.IsNull() {
		return hiveNull
	}
	n, isInt := v.Int()
	switch transform {
	case schema.Year:
		return yearText(int(n) + 1970)
	case schema.Month:
		return yearText(1970+int(floorDivide(n, 12))) + fmt.Sprintf("-%02d", n-12*floorDivide(n, 12)+1)
	case schema.Day:
		return dayText(n)
	case schema.Hour:
		day := floorDivide(n, 24)
		return dayText(day) + fmt.Sprintf("-%02d", n-24*day)
	}
	switch {
	case isInt && t.Kind == schema.Boolean:
		return strconv.FormatBool(n != 0)
	case isInt && t.Kind == schema.Date:
		return dayText(n)
	case t.Kind == schema.UUID:
		b, _ := v.Text()
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
	}
	if isInt {
		return strconv.FormatInt(n, 10)
	}
	if n, ok := v.Uint(); ok {
		return strconv.FormatUint(n, 10)
	}
	if d, scale, ok := v.Decimal(); ok {
		return d.ToString(int32(scale))
	}
	s, _ := v.Text()
	// DuckDB would read such a folder's value as NULL, so the first character is escaped.
	if s == hiveNull || strings.EqualFold(s, "NULL") {
		return fmt.Sprintf("%%%02X%s", s[0], s[1:])
	}
	return escape(s)
}

// maxLevelBytes is the maximum length in bytes of a value in a path. The folder name of a level has
// the column's name, too, and must stay below the 255 bytes that file systems allow.
const maxLevelBytes = 120

// escape makes a name or value safe as part of a path. A long text is cut, and then ~ and the hash
// of the whole text are appended, so that it stays unique. A ~ in the text itself is escaped, so
// only cut texts contain one.
func escape(s string) string {
	escaped := strings.NewReplacer("=", "%3D", "~", "%7E", ":", "%3A").Replace(url.PathEscape(s))
	if strings.Trim(escaped, ".") == "" {
		escaped = strings.ReplaceAll(escaped, ".", "%2E")
	}
	if len(escaped) > maxLevelBytes {
		hash := sha256.Sum256([]byte(s))
		cut := maxLevelBytes - 33
		if i := strings.LastIndexByte(escaped[:cut], '%'); i > cut-3 {
			cut = i // the cut is never inside of an escape
		}
		return escaped[:cut] + "~" + hex.EncodeToString(hash[:16])
	}
	return escaped
}

func dayText(day int64) string {
	t := time.Unix(day*86400, 0).UTC()
	return yearText(t.Year()) + t.Format("-01-02")
}

func yearText(year int) string { return fmt.Sprintf("%04d", year) }
