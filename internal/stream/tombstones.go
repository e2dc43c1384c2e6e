package stream

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// A tombstone is a record with a key and no value. If a table's primary key is filled from the
// record's key, a tombstone deletes the row of that key.
//
// A query reads a tombstone as a message whose columns are NULL, except for the metadata. Of the
// query's result, only two things are used: the primary key, and the version column if it is filled
// from the metadata.
//
// The last record of a key wins, so the order of records matters. Therefore, in a batch with
// tombstones, each row is passed on with the index of its record.

// addTombstone adds a tombstone to the batch. number is its index in the batch.
func (d *decodings) addTombstone(rec *kgo.Record, number int) error {
	switch d.plan.kafka.tombstones {
	case tombstonesIgnored:
		return nil
	case tombstonesDeadLetter:
		return base.Errorf(base.Invalid, "a tombstone: the record has no value")
	}
	if rec.Key == nil {
		return errTombstone("the record has neither a key nor a value")
	}
	d.tombstones = append(d.tombstones, int32(number))
	return nil
}

func errTombstone(why string) error {
	return base.Errorf(base.Invalid, "a tombstone that deletes nothing: %s", why)
}

// emptyRows returns a batch that has n rows, but no columns.
func emptyRows(n int) arrow.RecordBatch {
	return array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, int64(n))
}

// splitTombstones returns first the pieces of records with a value, then the pieces of tombstones.
func splitTombstones(pieces []piece) (values, tombstones []piece) {
	for _, p := range pieces {
		if p.tombstones {
			tombstones = append(tombstones, p)
		} else {
			values = append(values, p)
		}
	}
	return values, tombstones
}

// deletingBatches returns, for a list of batches, whether each batch deletes rows. The list has
// values batches that do not, followed by tombstones batches that do.
func deletingBatches(values, tombstones int) []bool {
	return append(make([]bool, values), slices.Repeat([]bool{true}, tombstones)...)
}

// tombstoneDelete says how tombstones delete rows of a target. A nil *deletion means that they do
// not.
type tombstoneDelete struct {
	// filters means that the target's query filters by values other than the record's key. A
	// tombstone lacks those values.
	filters bool
}

// placeColumns are the metadata columns that say from which record a row was made.
var placeColumns = []string{"_topic", "_partition", "_offset"}

// tombstoneDeleteFor returns how tombstones delete rows of a target. If they cannot, it returns an
// Invalid error that says why.
func (s *source) tombstoneDeleteFor(ctx context.Context, p *plan, t target) (*tombstoneDelete, error) {
	table, err := s.manager.store.Lookup(t.Name.Database, t.Name.Schema, t.Name.Name)
	switch {
	case t.View:
		return nil, errTombstone("a view has no primary key")
	case base.KindOf(err) == base.NotFound && err != nil, err == nil && len(table.PrimaryKey) == 0:
		return nil, errTombstone("table " + schema.QuoteIfNeeded(t.Name.Name) + " has no primary key")
	case err != nil:
		return nil, err
	}
	k := keyColumnsOf(table)
	if t.Query != "" {
		l, err := s.lineage(ctx, t.Query, k)
		if err != nil {
			return nil, err
		}
		return &tombstoneDelete{filters: l.Filters}, nil
	}
	primary := s.primary(p, t)
	named := len(primary) > 0
	for _, name := range k.Key {
		if slices.Contains(primary, name) {
			continue
		}
		if !slices.ContainsFunc(t.Metadata, func(m string) bool { return schema.Fold("_"+m) == schema.Fold(name) }) {
			return nil, errTombstone("column " + schema.QuoteIfNeeded(name) + " of the primary key is not of the record's key")
		}
		named = named || schema.Fold(name) == keyColumn
	}
	if !named {
		return nil, errTombstone("the primary key is not of the record's key")
	}
	return &tombstoneDelete{}, nil
}

// primary returns the primary key columns of a target's table that are filled from the record's
// key: all columns of the primary key that are neither metadata nor listed by path. The result is
// empty if the target has a query, or if keys have no format.
func (s *source) primary(p *plan, t target) (names []string) {
	if p.keys == nil || t.Query != "" {
		return nil
	}
	table, err := s.manager.store.Lookup(t.Name.Database, t.Name.Schema, t.Name.Name)
	if err != nil {
		return nil // the table does not exist; a source creates tables without a primary key
	}
	for _, name := range keyColumnsOf(table).Key {
		same := func(other string) bool { return schema.Fold(other) == schema.Fold(name) }
		if !slices.ContainsFunc(t.Metadata, func(m string) bool { return same("_" + m) }) && !slices.ContainsFunc(t.Columns, func(text string) bool { return same(columnName(text)) }) {
			names = append(names, name)
		}
	}
	return names
}

// keyColumn is the metadata column with the record's key.
const keyColumn = "_key"

// keyColumnsOf returns the names of a table's key and version columns, and of the metadata columns,
// as Planner.Lineage takes them.
func keyColumnsOf(t schema.Table) KeyColumns {
	k := KeyColumns{Metadata: []string{keyColumn}, RecordPlace: placeColumns}
	for _, id := range t.PrimaryKey {
		k.Key = append(k.Key, t.Columns[t.ColumnByID(id)].Name)
	}
	if at := t.ColumnByID(t.RowVersion); t.RowVersion != 0 && at >= 0 {
		k.Version = t.Columns[at].Name
	}
	for _, name := range metadataNames() {
		if name = "_" + name; name != keyColumn {
			k.Metadata = append(k.Metadata, name)
		}
	}
	return k
}

// lineage returns the result of Planner.Lineage, and caches it.
func (s *source) lineage(ctx context.Context, query string, k KeyColumns) (Lineage, error) {
	key := query + "\x00" + strings.Join(append(k.Key, k.Version), "\x00")
	if known, ok := s.lineages.Load(key); ok {
		return known.(Lineage), nil
	}
	l, err := s.manager.planner.Lineage(ctx, query, k)
	switch {
	case err == nil:
		s.lineages.Store(key, l)
	case isRecordError(err):
		err = errTombstone(err.Error())
	}
	return l, err
}

// withRecordPlace returns a target whose query also selects the columns places, which say from
// which record each row was made. If keys is set, the query selects only the keys of the rows. The
// query is empty if no message has the paths that the target lists.
func (b *builder) withRecordPlace(t target, messages schema.Table, keys bool) (target, error) {
	table, err := b.manager.store.Lookup(t.Name.Database, t.Name.Schema, t.Name.Name)
	if err != nil {
		return t, err
	}
	if t.columns != nil {
		t.Query, t.columns = pathQuery(messages, t.columns, t.Metadata, t.primary), nil
		if t.Query == "" {
			return t, nil
		}
	}
	l, err := b.lineage(b.ctx, t.Query, keyColumnsOf(table))
	if t.Query = l.RowsSQL; keys {
		t.Query = l.KeysSQL
	}
	return t, err
}

// deletions runs a target's query over tombstones, and adds the result to all as rows to delete.
func (b *builder) deletions(t target, tombstones []piece, all *engine.TableRows) (err error) {
	if b.tombstones == nil {
		if b.tombstones, err = b.newBatchTable(b.plan, tombstones, b.records, b.keys); err != nil {
			return err
		}
	}
	if t, err = b.withRecordPlace(t, b.tombstones.table, true); err != nil || t.Query == "" {
		return err
	}
	result, _, err := b.source.query(b.ctx, t, b.tombstones)
	if err != nil {
		return base.Wrap(queryErrorKind(err, len(b.records)), "query of table %q for tombstones", t.Name.Name)
	}
	return b.addWithPlaces(result, all, true)
}

// addWithPlaces adds the result of a query that numbered returned to all. It replaces the columns
// places by the index of each row's record. deletes says that the rows are to be deleted.
// addWithPlaces releases result.
func (b *builder) addWithPlaces(result []arrow.RecordBatch, all *engine.TableRows, deletes bool) error {
	defer releaseBatches(result)
	at := b.places()
	for _, rec := range result {
		first := int(rec.NumCols()) - len(placeColumns)
		topics, isText := rec.Column(first).(*array.String)
		partitions, isInt := rec.Column(first + 1).(*array.Int32)
		offsets, isBig := rec.Column(first + 2).(*array.Int64)
		if !isText || !isInt || !isBig {
			return errPlaceColumns()
		}
		numbers := make([]int32, rec.NumRows())
		for i := range numbers {
			number, ok := at[place{partition{topics.Value(i), partitions.Value(i)}, offsets.Value(i)}]
			if !ok {
				return errPlaceColumns()
			}
			numbers[i] = number
		}
		all.Batches, all.Numbers, all.Deleting = append(all.Batches, withoutLast(rec, len(placeColumns))), append(all.Numbers, numbers), append(all.Deleting, deletes)
	}
	return nil
}

func errPlaceColumns() error {
	return base.Errorf(base.Invalid, "the messages have columns named as %s, which say of which record a row is", strings.Join(placeColumns, ", "))
}

// places returns the indexes of the batch's records, by topic, partition and offset.
func (b *builder) places() map[place]int32 {
	if b.numbers == nil {
		b.numbers = make(map[place]int32, len(b.records))
		for i, rec := range b.records {
			b.numbers[placeOf(rec)] = int32(i)
		}
	}
	return b.numbers
}

// withoutLast returns rows without their last n columns.
func withoutLast(rec arrow.RecordBatch, n int) arrow.RecordBatch {
	n = int(rec.NumCols()) - n
	md := rec.Schema().Metadata()
	return array.NewRecordBatch(arrow.NewSchema(rec.Schema().Fields()[:n], &md), rec.Columns()[:n], rec.NumRows())
}

// chooseTombstoneOption is called when a source is created. If a table takes its key from the
// record's key, it sets the option tombstones, unless the user set it, and returns the definition.
// The error is Invalid if the option is "delete" and tombstones cannot delete rows of any table.
func (s *source) chooseTombstoneOption(ctx context.Context, p *plan, d Definition) (Definition, error) {
	said := d.Kafka[optionTombstones]
	if said != "" && p.kafka.tombstones != tombstonesDelete {
		return d, nil
	}
	var reason error
	for _, t := range p.targets {
		deletes, err := s.tombstoneDeleteFor(ctx, p, t)
		switch {
		case err == nil && (said != "" || !deletes.filters):
			d.Kafka = maps.Clone(d.Kafka)
			d.Kafka[optionTombstones] = tombstonesDelete
			return d, nil
		case err != nil && !isRecordError(err):
			return d, err
		case err != nil:
			reason = err
		}
	}
	if said == "" {
		return d, nil
	}
	return d, base.Errorf(base.Invalid, "KAFKA tombstones = 'delete': %w", reason).WithHint("make a table with a primary key, and compute that from _key: INTO TABLE t AS SELECT _key::VARCHAR AS id, ... FROM messages")
}
