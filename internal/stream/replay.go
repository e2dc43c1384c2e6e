package stream

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// replayPage is the maximum number of dead letters that are decoded and stored together.
// replayBytes is their maximum size in bytes.
const (
	replayPage  = 10_000
	replayBytes = 16 << 20
)

// Replay decodes a source's dead letters again, with the current schema and tables. If a dead
// letter can be stored now, one edit adds its rows and removes the dead letter. Otherwise the dead
// letter stays as it is. Replay returns the number of dead letters that became rows.
func (m *Manager) Replay(ctx context.Context, name catalog.SourceName) (replayed int64, err error) {
	s, err := m.find(name)
	if err != nil {
		return 0, err
	}
	s.replaying.Lock()
	defer s.replaying.Unlock()
	m.mu.Lock()
	d := s.definition
	m.mu.Unlock()
	p, err := newPlan(d)
	if err != nil {
		return 0, err
	}
	defer p.close()
	after := ""
	for {
		deadLetters, err := s.readDeadLetters(ctx, after)
		if err != nil || len(deadLetters) == 0 {
			return replayed, err
		}
		n, err := s.replay(ctx, p, deadLetters)
		replayed += n
		if err != nil {
			return replayed, err
		}
		last := deadLetters[len(deadLetters)-1]
		after = fmt.Sprintf(` AND (topic, topic_id, partition, "offset") > (%s, '%s', %d, %d)`,
			schema.QuoteString(last.partition.topic), hex.EncodeToString(last.topicID[:]), last.partition.number, last.offset)
	}
}

// replay stores the rows of the dead letters that can be decoded, and removes these dead letters.
// It returns their number. If several dead letters have the same record, they count as one.
func (s *source) replay(ctx context.Context, p *plan, deadLetters []deadLetter) (int64, error) {
	type key struct {
		place
		topicID [16]byte
	}
	seen := map[key]bool{}
	of := map[*kgo.Record]deadLetter{}
	var records []*kgo.Record
	for _, l := range deadLetters {
		at := key{placeOf(l.record), l.topicID}
		if !seen[at] {
			seen[at] = true
			l.replayed = true
			records, of[l.record] = append(records, l.record), l
		}
	}
	var done []deadLetter
	err := s.bisectRefused(ctx, p, records, func(good []*kgo.Record) {
		for _, rec := range good {
			done = append(done, of[rec])
		}
	}, func(*kgo.Record, string) {})
	if err != nil {
		return 0, err
	}
	return s.storeReplayed(ctx, p, done)
}

// storeReplayed stores the rows of dead letters, each of which the tables accepted alone. If their
// rows do not fit into one edit, it makes several edits. A dead letter that the tables no longer
// accept stays as it is. storeReplayed returns the number of dead letters that became rows.
func (s *source) storeReplayed(ctx context.Context, p *plan, deadLetters []deadLetter) (int64, error) {
	if len(deadLetters) == 0 {
		return 0, nil
	}
	var records []*kgo.Record
	for _, l := range deadLetters {
		records = append(records, l.record)
	}
	pieces, err := s.decodeRecords(ctx, p, records)
	if err == nil {
		_, err = s.insert(ctx, p, pieces, records, deadLetters, nil)
		releasePieces(pieces)
	}
	switch {
	case err == nil:
		return int64(len(deadLetters)), nil
	case ctx.Err() != nil, !isRecordError(err):
		return 0, err
	case len(deadLetters) == 1:
		return 0, nil
	}
	middle := len(deadLetters) / 2
	first, err := s.storeReplayed(ctx, p, deadLetters[:middle])
	if err != nil {
		return first, err
	}
	second, err := s.storeReplayed(ctx, p, deadLetters[middle:])
	return first + second, err
}

// readDeadLetters returns the next dead letters that have a value, ordered by topic, topic id,
// partition and offset. The argument after is an SQL condition that excludes the dead letters that
// were read before. The result has at most replayPage dead letters and replayBytes bytes. A dead
// letter that is larger is returned alone.
func (s *source) readDeadLetters(ctx context.Context, after string) (all []deadLetter, err error) {
	from := fmt.Sprintf(`FROM %s.%s WHERE source_id = %d AND value IS NOT NULL%s ORDER BY topic, topic_id, partition, "offset" LIMIT `, deadLetterSchema, deadLetterView, s.id, after)
	// First read only the sizes, so that DuckDB need not sort large values.
	const size = `SELECT (octet_length(value) + coalesce(octet_length(key), 0) + coalesce(list_sum([strlen(h.name) + coalesce(octet_length(h.value), 0) for h in headers]), 0))::BIGINT `
	n, bytes, full := 0, int64(0), false
	if err := s.collect(ctx, size+from+strconv.Itoa(replayPage), func(rec arrow.RecordBatch, i int) error {
		bytes += rec.Column(0).(*array.Int64).Value(i)
		if full = full || n > 0 && bytes > replayBytes; !full {
			n++
		}
		return nil
	}); err != nil || n == 0 {
		return nil, err
	}
	err = s.collect(ctx, `SELECT topic, topic_id, partition, "offset", time, key, value, headers, reason `+from+strconv.Itoa(n), func(rec arrow.RecordBatch, i int) error {
		l, err := readDeadLetter(rec, i)
		all = append(all, l)
		return err
	})
	return all, err
}

// collect runs a query, and calls the function each for every row of the result. The row has the
// index i in the batch rec.
func (s *source) collect(ctx context.Context, sql string, each func(rec arrow.RecordBatch, i int) error) error {
	result, err := s.manager.planner.Collect(ctx, sqlquery.Request{SQL: sql, Database: s.name.Database})
	if err != nil {
		return base.Wrap(err, "read dead letters")
	}
	defer releaseBatches(result)
	for _, rec := range result {
		for i := range int(rec.NumRows()) {
			if err := each(rec, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// readDeadLetter reads one dead letter from row i of the result of readDeadLetters' query. It
// checks the types of the columns, because any user may change the table.
func readDeadLetter(rec arrow.RecordBatch, i int) (l deadLetter, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = base.Errorf(base.Invalid, "the columns of the table of dead letters were changed: %v", r)
		}
	}()
	text := func(c int) string { return string([]byte(rec.Column(c).(*array.String).Value(i))) }
	bytes := func(c int) []byte {
		if rec.Column(c).IsNull(i) {
			return nil
		}
		return append([]byte{}, rec.Column(c).(*array.Binary).Value(i)...)
	}
	l.partition = partition{text(0), rec.Column(2).(*array.Int32).Value(i)}
	if _, err := hex.Decode(l.topicID[:], []byte(text(1))); err != nil {
		return l, base.Errorf(base.Invalid, "topic_id of a dead letter: %w", err)
	}
	l.offset, l.reason = rec.Column(3).(*array.Int64).Value(i), text(8)
	l.record = &kgo.Record{Topic: l.partition.topic, Partition: l.partition.number, Offset: l.offset, Key: bytes(5), Value: bytes(6),
		Timestamp: time.UnixMicro(int64(rec.Column(4).(*array.Timestamp).Value(i))).UTC()}
	headers := rec.Column(7).(*array.List)
	if headers.IsValid(i) {
		from, to := headers.ValueOffsets(i)
		entries := headers.ListValues().(*array.Struct)
		names, values := entries.Field(0).(*array.String), entries.Field(1).(*array.Binary)
		for k := int(from); k < int(to); k++ {
			l.record.Headers = append(l.record.Headers, kgo.RecordHeader{Key: string([]byte(names.Value(k))), Value: append([]byte(nil), values.Value(k)...)})
		}
	}
	return l, nil
}
