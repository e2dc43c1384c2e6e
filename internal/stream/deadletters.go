package stream

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// deadLetter is a dead letter: a record that no table accepts, or a report that records are lost.
type deadLetter struct {
	partition partition
	topicID   [16]byte
	offset    int64
	// record is nil if it is lost, or too large to be stored.
	record      *kgo.Record
	schemaID    uint32
	hasSchemaID bool // schemaID is known
	reason      string
	// replayed means that the record was decoded again, and is not a dead letter any more. Its row
	// says only that.
	replayed bool
}

// The dead letters of a database are rows of dead_letter_log. When a dead letter is replayed, a
// second row is added that says so. The view dead_letters shows the dead letters without such a
// row.
const (
	deadLetterSchema = "scoter"
	deadLetterLog    = "dead_letter_log"
	deadLetterView   = "dead_letters"
)

// deadLetterQuery defines the view. A dead letter without a value is never replayed, but it may
// have the same offset as one that is.
const deadLetterQuery = `SELECT * EXCLUDE (replayed) FROM scoter.dead_letter_log l WHERE NOT replayed AND (l.value IS NULL OR NOT EXISTS (
	SELECT 1 FROM scoter.dead_letter_log r WHERE r.replayed AND r.source_id = l.source_id AND r.topic = l.topic
	AND r.topic_id = l.topic_id AND r.partition = l.partition AND r."offset" = l."offset"))`

var deadLetterColumns = []arrow.Field{
	{Name: "source", Type: arrow.BinaryTypes.String},
	{Name: "source_id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "topic", Type: arrow.BinaryTypes.String},
	{Name: "topic_id", Type: arrow.BinaryTypes.String},
	{Name: "partition", Type: arrow.PrimitiveTypes.Int32},
	{Name: "offset", Type: arrow.PrimitiveTypes.Int64},
	{Name: "time", Type: ingest.TimestampUS, Nullable: true},
	{Name: "key", Type: arrow.BinaryTypes.Binary, Nullable: true},
	{Name: "value", Type: arrow.BinaryTypes.Binary, Nullable: true},
	{Name: "headers", Type: headersType, Nullable: true},
	{Name: "schema_id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "reason", Type: arrow.BinaryTypes.String},
	{Name: "at", Type: ingest.TimestampUS},
	{Name: "replayed", Type: arrow.FixedWidthTypes.Boolean},
}

// DeadLetterColumns returns the columns of the view of dead letters, as "name TYPE".
func DeadLetterColumns() []string {
	var out []string
	for _, f := range deadLetterColumns {
		typ, err := schema.FromArrow(f.Type, f.Metadata)
		if err != nil {
			panic("stream: " + err.Error()) // the fields are constants
		}
		if f.Name != "replayed" {
			out = append(out, f.Name+" "+typ.String())
		}
	}
	return out
}

func (s *source) deadLetterTable() engine.TableName {
	return engine.TableName{Database: s.name.Database, Schema: deadLetterSchema, Name: deadLetterLog}
}

// oldDeadLetterQuery is how older versions defined the view. It wrongly hid dead letters without a
// value at the offset of a replayed one.
const oldDeadLetterQuery = `SELECT * EXCLUDE (replayed) FROM scoter.dead_letter_log l WHERE NOT replayed AND NOT EXISTS (
	SELECT 1 FROM scoter.dead_letter_log r WHERE r.replayed AND r.source_id = l.source_id AND r.topic = l.topic
	AND r.topic_id = l.topic_id AND r.partition = l.partition AND r."offset" = l."offset")`

// createDeadLetterTable creates the table and the view of dead letters if they are missing. A view
// that a user changed is left as it is.
func (s *source) createDeadLetterTable(ctx context.Context) error {
	store := s.manager.store
	there, viewErr := store.LookupView(s.name.Database, deadLetterSchema, deadLetterView)
	_, tableErr := store.Lookup(s.name.Database, deadLetterSchema, deadLetterLog)
	ours := viewErr != nil || there.SQL == oldDeadLetterQuery
	if !ours && tableErr == nil {
		return nil
	}
	if err := store.CreateSchema(ctx, s.name.Database, deadLetterSchema, true); err != nil {
		return err
	}
	t := schema.Table{Database: s.name.Database, Schema: deadLetterSchema, Name: deadLetterLog, SortKey: []schema.SortField{{Column: 1}, {Column: 13}}}
	view := catalog.View{Name: catalog.ViewName{Database: s.name.Database, Schema: deadLetterSchema, Name: deadLetterView}, SQL: deadLetterQuery}
	for _, f := range deadLetterColumns {
		typ, err := schema.FromArrow(f.Type, f.Metadata)
		if err != nil {
			return err
		}
		t.Columns = append(t.Columns, schema.Column{Name: f.Name, Type: typ, NotNull: !f.Nullable})
		if f.Name != "replayed" {
			view.Columns = append(view.Columns, catalog.ViewColumn{Name: f.Name, Type: typ})
		}
	}
	if ours {
		if err := store.PutView(ctx, view, true); err != nil {
			return err
		}
	}
	_, err := store.CreateTable(ctx, t, true)
	return err
}

// maxReason bounds the reason of a dead letter, in bytes, because the reason may quote a value.
const maxReason = 4 << 10

func (s *source) newDeadLetter(p *plan, topicID [16]byte, rec *kgo.Record, reason string) deadLetter {
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "..."
	}
	l := deadLetter{partition: partition{rec.Topic, rec.Partition}, topicID: topicID, offset: rec.Offset, record: rec, reason: reason}
	l.schemaID, l.hasSchemaID = p.format.SchemaID(rec.Value)
	return l
}

// dropDeadLetterValues removes the records from the dead letters of a batch. It reports whether
// there were any.
func (b *recordBatch) dropDeadLetterValues() bool {
	deadLetters := slices.Clone(b.deadLetters)
	for i, l := range deadLetters {
		if l.record != nil {
			deadLetters[i].reason += fmt.Sprintf("; the record, of %d bytes, is too large to be kept", sizeOf(l.record))
			deadLetters[i].record = nil
		}
	}
	shorter := len(b.allRecords()) > 0
	b.deadLetters = deadLetters
	return shorter
}

// deadLetterTableRows returns dead letters as rows for their table.
func (s *source) deadLetterTableRows(deadLetters []deadLetter) engine.TableRows {
	rows := engine.TableRows{Table: s.deadLetterTable()}
	if len(deadLetters) > 0 {
		rows.Batches = []arrow.RecordBatch{s.deadLetterBatch(deadLetters, time.Now())}
	}
	return rows
}

// deadLetterBatch returns dead letters as a record batch of their table.
func (s *source) deadLetterBatch(deadLetters []deadLetter, now time.Time) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(deadLetterColumns, nil))
	defer b.Release()
	text := func(i int, v string) { b.Field(i).(*array.StringBuilder).Append(v) }
	number := func(i int, v int64) { b.Field(i).(*array.Int64Builder).Append(v) }
	moment := func(i int, v time.Time) { b.Field(i).(*array.TimestampBuilder).Append(arrow.Timestamp(v.UnixMicro())) }
	for _, l := range deadLetters {
		text(0, s.name.Name)
		number(1, int64(s.id))
		text(2, l.partition.topic)
		text(3, hex.EncodeToString(l.topicID[:]))
		b.Field(4).(*array.Int32Builder).Append(l.partition.number)
		number(5, l.offset)
		if l.record == nil || l.replayed {
			for _, i := range []int{6, 7, 8, 9} {
				b.Field(i).AppendNull()
			}
		} else {
			moment(6, l.record.Timestamp)
			appendBytes(b.Field(7), l.record.Key)
			appendBytes(b.Field(8), l.record.Value)
			appendHeaders(b.Field(9), l.record)
		}
		if l.hasSchemaID {
			number(10, int64(l.schemaID))
		} else {
			b.Field(10).AppendNull()
		}
		text(11, l.reason)
		moment(12, now)
		b.Field(13).(*array.BooleanBuilder).Append(l.replayed)
	}
	return b.NewRecordBatch()
}
