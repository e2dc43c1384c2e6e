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
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// A tombstone is a record with a key and no value. If a table's primary key is filled from the
// record's key, a tombstone deletes the row of that key.
//
// If a target (a table that the source fills) has a query, the query reads a tombstone as a message
// whose columns are NULL, except for the metadata columns. Only two things of the query's result
// are used: the primary key, and the version column if it is filled from the metadata.
//
// The last record of a key wins, so the order of records matters. Therefore, in a batch with
// tombstones, each row comes with the index of its record in the batch.

// addTombstone adds a tombstone (a record without a value) to the batch. number is the index of the
// record in the batch. The error is Invalid if the source's option makes tombstones dead letters,
// or if the record has no key.
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

// splitTombstones separates decoded rows (pieces): values are the pieces of records with a value,
// and tombstones the pieces of records without one.
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

// deletingBatches returns a list that says for each batch whether its rows are deletions. It has
// false for the batches of records with a value, which come first, and true for the batches of
// tombstones. The arguments values and tombstones say how many batches of each kind there are.
func deletingBatches(values, tombstones int) []bool {
	return append(make([]bool, values), slices.Repeat([]bool{true}, tombstones)...)
}

// tombstoneDelete says how tombstones (records without a value) delete rows of a target, which is a
// table that the source fills. A nil *tombstoneDelete means that tombstones delete no rows of the
// target.
type tombstoneDelete struct {
	// filters is true if the query that fills the table filters rows by values other than the
	// record's key. Tombstones lack these values.
	filters bool
}

// placeColumns are the metadata columns that say from which record a row was made.
var placeColumns = []string{"_topic", "_partition", "_offset"}

// tombstoneDeleteFor returns how tombstones (records without a value) delete rows of a target,
// which is a table that the source fills. If tombstones cannot delete rows of the target,
// tombstoneDeleteFor returns an Invalid error that says why.
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
			return nil, errTombstone("column " + schema.QuoteIfNeeded(name) + " of the primary key does not come from the record's key")
		}
		named = named || schema.Fold(name) == keyColumn
	}
	if !named {
		return nil, errTombstone("the primary key does not come from the record's key")
	}
	return &tombstoneDelete{}, nil
}

// primary returns the names of the primary key columns that are filled from the record's key: all
// columns of the primary key that are neither metadata columns nor listed by path. The result is
// empty if a query fills the table, or if the source has no KEY FORMAT.
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

// keyColumn is the name of the metadata column that has the record's key.
const keyColumn = "_key"

// keyColumnsOf returns what Planner.Lineage must know about a table: the names of its key and
// version columns, and of the metadata columns from which they may be filled.
func keyColumnsOf(t schema.Table) sqlquery.KeyColumns {
	k := sqlquery.KeyColumns{Metadata: []string{keyColumn}, RecordPlace: placeColumns}
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

// lineage returns the result of Planner.Lineage for a query, and caches it. If the query is at
// fault, the error is Invalid.
func (s *source) lineage(ctx context.Context, query string, k sqlquery.KeyColumns) (sqlquery.Lineage, error) {
	key := query + "\x00" + strings.Join(append(k.Key, k.Version), "\x00")
	if known, ok := s.lineages.Load(key); ok {
		return known.(sqlquery.Lineage), nil
	}
	l, err := s.manager.planner.Lineage(ctx, query, Messages, k)
	switch {
	case err == nil:
		s.lineages.Store(key, l)
	case isRecordError(err):
		err = errTombstone(err.Error())
	}
	return l, err
}

// withRecordPlace returns the target t, a table that the source fills, with another query. That
// query also selects the topic, partition and offset of the record from which each row was made. If
// keys is true, it selects nothing else but the key of each row. The query is empty if no message
// has the fields that the target lists.
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

// The method deletions runs the query of a target (a table that the source fills) over tombstones
// (records without a value). It adds the result to the argument all, as rows to delete.
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

// addWithPlaces adds the result of a query to the rows in the argument all. The last columns of the
// result are the topic, partition and offset of each row's record. addWithPlaces replaces them by
// the index of the record in the batch. deletes says whether the rows are to be deleted.
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
	return base.Errorf(base.Invalid, "the messages have columns named %s, which are reserved for the record's place", strings.Join(placeColumns, ", "))
}

// places returns a map from the topic, partition and offset of each record to its index in the
// batch.
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

// chooseTombstoneOption is called when a source is created. It returns the source's definition with
// the option tombstones. If the user did not set this option, and tombstones can delete rows of one
// of the tables by the record's key alone, chooseTombstoneOption sets it to "delete". If the user
// set it to "delete", and tombstones cannot delete rows of any table, the error is Invalid.
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
