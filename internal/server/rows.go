package server

import (
	"crypto/sha256"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/arrowipc"
	"github.com/scoterdb/scoter/internal/ingest/csv"
	"github.com/scoterdb/scoter/internal/ingest/msgpack"
	"github.com/scoterdb/scoter/internal/ingest/ndjson"
	"github.com/scoterdb/scoter/internal/ingest/parquet"
	"github.com/scoterdb/scoter/internal/mutate"
	"github.com/scoterdb/scoter/internal/schema"
)

// written answers a request that added rows.
type written struct {
	Rows int64 `json:"rows"`
	mutate.Counts
	Durable bool `json:"durable"`
}

// rows takes a body for one table, in the format that its Content-Type names.
func (s *Server) rows(w http.ResponseWriter, r *http.Request, _ caller) error {
	q := r.URL.Query()
	mode, err := mutate.ParseMode(q.Get("mode"))
	if err != nil {
		return err
	}
	var key []string
	if list := q.Get("key"); list != "" {
		key = strings.Split(list, ",")
	}
	if mode == mutate.Append && key != nil {
		return base.Errorf(base.Invalid, "mode=append takes no key").WithHint("mode=upsert changes the rows of the same key")
	}
	o, err := appendOptions(r)
	if err != nil {
		return err
	}
	switch create := q.Get("create"); create {
	case "", "true":
	case "false":
		o.Create = false
	default:
		return base.Errorf(base.Invalid, "create %q is neither true nor false", create)
	}
	table, err := tableName(r.PathValue("database"), r.PathValue("table"))
	if err != nil {
		return err
	}
	b, err := s.readBody(w, r, s.gate)
	if err != nil {
		return err
	}
	defer b.Close()
	batches, err := s.decodeTable(r, table, b)
	if err != nil {
		return err
	}
	defer func() {
		for _, rec := range batches {
			rec.Release()
		}
	}()
	identify(&o, r, b.bytes)
	if err := b.unpacked(s.columnTypes(table), batches); err != nil {
		return err
	}
	if err := b.decoded(r.Context(), batches...); err != nil {
		return err
	}
	var counts mutate.Counts
	if !empty(batches) {
		rows := engine.TableRows{Table: table, Batches: batches}
		if mode == mutate.Append {
			counts, err = s.append(r, []engine.TableRows{rows}, o)
		} else {
			counts, err = s.counted(s.executor.Write(r.Context(), rows, mode, key, o))
		}
		if err != nil {
			return err
		}
	}
	writeJSON(w, http.StatusOK, written{Rows: counts.Rows(), Counts: counts, Durable: !o.Async})
	return nil
}

// empty reports whether a body says nothing: no rows, and no column of a type for a table to
// be made of.
func empty(batches []arrow.RecordBatch) bool {
	typed := func(f arrow.Field) bool { return f.Type.ID() != arrow.NULL }
	return !slices.ContainsFunc(batches, func(rec arrow.RecordBatch) bool {
		return rec.NumRows() > 0 || slices.ContainsFunc(rec.Schema().Fields(), typed)
	})
}

func (s *Server) append(r *http.Request, tables []engine.TableRows, o engine.AppendOptions) (mutate.Counts, error) {
	return s.counted(s.executor.Append(r.Context(), tables, o))
}

// counted enters what a request did in the metrics.
func (s *Server) counted(counts mutate.Counts, err error) (mutate.Counts, error) {
	if err == nil {
		s.metrics.rowsIn.Add(int(counts.Rows()))
	}
	return counts, err
}

// appendOptions reads what every write request can say about durability and repetition.
func appendOptions(r *http.Request) (engine.AppendOptions, error) {
	o := engine.AppendOptions{Create: true, IdempotencyKey: r.Header.Get("Idempotency-Key")}
	switch d := r.URL.Query().Get("durability"); d {
	case "", "sync":
	case "async":
		o.Async = true
	default:
		return o, base.Errorf(base.Invalid, "durability %q is neither sync nor async", d)
	}
	return o, nil
}

// identify lets the engine tell a repeated request from another one with the same key: by
// where it goes and by its body.
func identify(o *engine.AppendOptions, r *http.Request, body []byte) {
	if o.IdempotencyKey == "" {
		return
	}
	q := r.URL.Query()
	q.Del("u")
	q.Del("p") // credentials may change between two attempts
	hash := sha256.New()
	for _, s := range []string{r.URL.Path, q.Encode(), r.Header.Get("X-Arc-Database")} {
		fmt.Fprintf(hash, "%q\n", s)
	}
	hash.Write(body)
	o.BodyHash = hash.Sum(nil)
}

// tableName reads [schema.]table of a database.
func tableName(database, table string) (engine.TableName, error) {
	n := engine.TableName{Database: database, Schema: engine.DefaultSchema, Name: table}
	if schemaName, name, ok := strings.Cut(table, "."); ok {
		n.Schema, n.Name = schemaName, name
	}
	for what, name := range map[string]string{"database": n.Database, "schema": n.Schema, "table": n.Name} {
		if err := ingest.CheckName(what, name); err != nil {
			return n, err
		}
	}
	return n, nil
}

// decodeTable decodes a body that holds rows of one table.
func (s *Server) decodeTable(r *http.Request, table engine.TableName, b *body) ([]arrow.RecordBatch, error) {
	body := b.bytes
	q, contentType := r.URL.Query(), r.Header.Get("Content-Type")
	mediaType, _, _ := mime.ParseMediaType(contentType)
	one := func(rec arrow.RecordBatch, err error) ([]arrow.RecordBatch, error) {
		if err != nil {
			return nil, err
		}
		return []arrow.RecordBatch{rec}, nil
	}
	switch mediaType {
	case "application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.file":
		if err := b.claimed(r.Context(), arrowipc.Claimed(body, b.largest)); err != nil {
			return nil, err
		}
		return arrowipc.Decode(body, int64(s.settings.MaxBody), s.largest())
	case "application/vnd.apache.parquet":
		if err := b.claimed(r.Context(), parquet.Claimed(body, b.largest)); err != nil {
			return nil, err
		}
		return parquet.Decode(body, s.largest())
	case "application/json", "application/x-ndjson", "application/ndjson", "application/jsonl":
		return one(ndjson.Decode(body, ndjson.Options{Types: s.columnTypes(table), Moments: true}))
	case "application/msgpack", "application/x-msgpack", "application/vnd.msgpack":
		return one(msgpack.DecodeTable(body, s.columnTypes(table)))
	case "text/csv":
		o := csv.Options{}
		if d := q.Get("delimiter"); d != "" {
			if len(d) != 1 {
				return nil, base.Errorf(base.Invalid, "delimiter %q is not one character", d)
			}
			o.Delimiter = d[0]
		}
		o.NullText = q.Get("null")
		o.Types = make(map[string]arrow.DataType)
		for _, c := range s.columnTypes(table) {
			o.Types[schema.Fold(c.Name)] = c.Type.Arrow()
		}
		return one(csv.Decode(body, o))
	}
	return nil, base.Errorf(base.Invalid, "Content-Type %q is no format of rows", contentType).
		WithHint("send application/vnd.apache.arrow.stream, application/vnd.apache.parquet, application/x-ndjson, application/json, text/csv or application/msgpack")
}

// columnTypes returns the types of a table's columns, so that text is read as what it is to
// become; nothing for a table that is yet to be made.
func (s *Server) columnTypes(name engine.TableName) []schema.Field {
	t, err := s.store.Lookup(name.Database, name.Schema, name.Name)
	if err != nil {
		return nil
	}
	types := make([]schema.Field, len(t.Columns))
	for i, c := range t.Columns {
		types[i] = schema.Field{Name: c.Name, Type: c.Type}
	}
	return types
}

// arcMsgpack takes Arc's MessagePack, whose maps name their tables.
func (s *Server) arcMsgpack(w http.ResponseWriter, r *http.Request, _ caller) error {
	precision, err := ingest.ParsePrecision(r.URL.Query().Get("precision"))
	if err != nil {
		return err
	}
	o, err := appendOptions(r)
	if err != nil {
		return err
	}
	b, err := s.readBody(w, r, s.gate)
	if err != nil {
		return err
	}
	defer b.Close()
	decoded, err := msgpack.Decode(b.bytes, msgpack.Options{Now: time.Now(), Precision: precision})
	if err != nil {
		return err
	}
	defer ingest.Release(decoded)
	identify(&o, r, b.bytes)
	if err := b.decoded(r.Context(), batchesOf(decoded)...); err != nil {
		return err
	}
	tables, err := s.tables(r, decoded)
	if err != nil {
		return err
	}
	if _, err := s.append(r, tables, o); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// database is the one that a request without a path for it means. A bucket of InfluxDB's
// may be written DATABASE/RETENTION-POLICY; there is but the default policy.
func (s *Server) database(r *http.Request) string {
	q := r.URL.Query()
	bucket := q.Get("bucket")
	if name, policy, _ := strings.Cut(bucket, "/"); policy == "" || policy == "autogen" {
		bucket = name
	}
	for _, name := range []string{q.Get("db"), bucket, q.Get("database"), r.Header.Get("X-Arc-Database")} {
		if name != "" {
			return name
		}
	}
	return s.settings.Database
}

// tables names the tables of decoded rows that name theirs.
func (s *Server) tables(r *http.Request, decoded []ingest.Rows) ([]engine.TableRows, error) {
	database := s.database(r)
	if err := ingest.CheckName("database", database); err != nil {
		return nil, err
	}
	tables := make([]engine.TableRows, len(decoded))
	for i, rows := range decoded {
		name := engine.TableName{Database: database, Schema: engine.DefaultSchema, Name: rows.Table}
		exact, err := s.exactTime(name, rows.Batch)
		if err != nil {
			return nil, err
		}
		if exact != nil {
			rows.Batch.Release()
			rows.Batch, decoded[i].Batch = exact, exact
		}
		tables[i] = engine.TableRows{Table: name, Batches: []arrow.RecordBatch{rows.Batch}, Tags: tagNames(rows)}
	}
	return tables, nil
}

func batchesOf(decoded []ingest.Rows) []arrow.RecordBatch {
	batches := make([]arrow.RecordBatch, len(decoded))
	for i, rows := range decoded {
		batches[i] = rows.Batch
	}
	return batches
}

func tagNames(rows ingest.Rows) []string {
	names := make([]string, len(rows.Tags))
	for i, at := range rows.Tags {
		names[i] = rows.Batch.ColumnName(at)
	}
	return names
}
