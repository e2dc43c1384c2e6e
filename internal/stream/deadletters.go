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

// deadLetter is a dead letter: a record that could not be stored, or a report that records are
// lost.
type deadLetter struct {
	partition partition
	topicID   [16]byte
	offset    int64
	// record is nil if the record is lost, or too large to be stored.
	record      *kgo.Record
	schemaID    uint32
	hasSchemaID bool // hasSchemaID is true if schemaID is known.
	reason      string
	// replayed is true if the record was decoded again and stored, so that it is not a dead letter
	// any more. The row of such a letter only records this.
	replayed bool
}

// The dead letters of a database are rows of the table dead_letter_log. When a dead letter is
// replayed (decoded again and stored), a second row is added that says so. The view dead_letters
// shows the dead letters without such a second row.
const (
	deadLetterSchema = "scoter"
	deadLetterLog    = "dead_letter_log"
	deadLetterView   = "dead_letters"
)

// deadLetterQuery is the SQL text of the view dead_letters, which hides replayed dead letters. A
// dead letter without a value is never replayed and never hidden, although a replayed one may have
// the same offset.
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

// DeadLetterColumns returns the columns of the view dead_letters, each as "name TYPE".
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

// oldDeadLetterQuery is the SQL text of the view dead_letters in older versions of Scoter. It
// wrongly hid a dead letter without a value if a replayed one had the same offset.
const oldDeadLetterQuery = `SELECT * EXCLUDE (replayed) FROM scoter.dead_letter_log l WHERE NOT replayed AND NOT EXISTS (
	SELECT 1 FROM scoter.dead_letter_log r WHERE r.replayed AND r.source_id = l.source_id AND r.topic = l.topic
	AND r.topic_id = l.topic_id AND r.partition = l.partition AND r."offset" = l."offset")`

// createDeadLetterTable creates the table dead_letter_log and the view dead_letters if they are
// missing. It does not change a view that a user has changed.
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

// maxReason is the maximum length of a dead letter's reason, in bytes. Without it the reason could
// be very long, because it may quote a value.
const maxReason = 4 << 10

func (s *source) newDeadLetter(p *plan, topicID [16]byte, rec *kgo.Record, reason string) deadLetter {
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "..."
	}
	l := deadLetter{partition: partition{rec.Topic, rec.Partition}, topicID: topicID, offset: rec.Offset, record: rec, reason: reason}
	l.schemaID, l.hasSchemaID = p.format.SchemaID(rec.Value)
	return l
}

// dropDeadLetterValues makes a batch smaller: it removes the records from the dead letters of the
// batch, and keeps only the reasons. It returns false if the batch had no records, neither in dead
// letters nor decoded ones.
func (b *recordBatch) dropDeadLetterValues() bool {
	deadLetters := slices.Clone(b.deadLetters)
	for i, l := range deadLetters {
		if l.record != nil {
			deadLetters[i].reason += fmt.Sprintf("; the record of %d bytes is too large to be stored", sizeOf(l.record))
			deadLetters[i].record = nil
		}
	}
	shorter := len(b.allRecords()) > 0
	b.deadLetters = deadLetters
	return shorter
}

// deadLetterTableRows returns dead letters as rows for the table dead_letter_log.
func (s *source) deadLetterTableRows(deadLetters []deadLetter) engine.TableRows {
	rows := engine.TableRows{Table: s.deadLetterTable()}
	if len(deadLetters) > 0 {
		rows.Batches = []arrow.RecordBatch{s.deadLetterBatch(deadLetters, time.Now())}
	}
	return rows
}

// deadLetterBatch returns dead letters as a record batch with the columns of the table
// dead_letter_log. now becomes the value of the column "at", the time when the dead letter was
// stored.
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
