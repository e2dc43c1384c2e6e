package server

import (
	"crypto/sha256"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/format"
	"github.com/scoterdb/scoter/internal/ingest/msgpack"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/write"
)

// writeResponse is the JSON response to a request that wrote rows of one table.
type writeResponse struct {
	Rows int64 `json:"rows"`
	engine.Counts
	Durable bool `json:"durable"`
}

// rows handles a write request with rows of one table. The header Content-Type says in which wire
// format the body is.
func (s *Server) rows(w http.ResponseWriter, r *http.Request, _ caller) error {
	q := r.URL.Query()
	mode, err := write.ParseMode(q.Get("mode"))
	if err != nil {
		return err
	}
	var key []string
	if list := q.Get("key"); list != "" {
		key = strings.Split(list, ",")
	}
	if err := mode.CheckKey(key); err != nil {
		return err
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
	b, err := s.readBody(w, r, s.budget, func() error { return s.awaitTable(r.Context(), table) })
	if err != nil {
		return err
	}
	defer b.Close()
	o.BeforeLockWait = b.beginTableWait
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
	if err := b.checkUnpacked(s.columnTypes(table), batches); err != nil {
		return err
	}
	if err := b.reserveDecoded(r.Context(), batches...); err != nil {
		return err
	}
	var counts engine.Counts
	if !format.Empty(batches) {
		rows := engine.TableRows{Table: table, Batches: batches}
		if counts, err = s.executor.Write(r.Context(), rows, mode, key, o); err != nil {
			return err
		}
	}
	if counts.Replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	writeJSON(w, http.StatusOK, writeResponse{Rows: counts.Rows(), Counts: counts, Durable: !o.Async})
	return nil
}

// appendOptions reads the options that all write requests have: the parameter durability and the
// header Idempotency-Key.
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

// identify sets o.BodyHash if the request has an idempotency key. BodyHash is a hash of the
// request's URL, without credentials, and its body. If a later request has the same key but another
// hash, the engine refuses it, because it is not a repetition.
func identify(o *engine.AppendOptions, r *http.Request, body []byte) {
	if o.IdempotencyKey == "" {
		return
	}
	q := r.URL.Query()
	// Leave out the user name and the password, which may change between two attempts.
	q.Del("u")
	q.Del("p")
	hash := sha256.New()
	for _, s := range []string{r.URL.Path, q.Encode(), r.Header.Get("X-Arc-Database")} {
		fmt.Fprintf(hash, "%q\n", s)
	}
	hash.Write(body)
	o.BodyHash = hash.Sum(nil)
}

// tableName returns the full name of a table in the URL path of a request. The argument table has
// the form table or schema.table.
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

// decodeTable decodes a body with rows of one table. Before that, it reserves the memory that the
// rows will take, if the body says how much that is.
func (s *Server) decodeTable(r *http.Request, table engine.TableName, b *body) ([]arrow.RecordBatch, error) {
	q, contentType := r.URL.Query(), r.Header.Get("Content-Type")
	mediaType, _, _ := mime.ParseMediaType(contentType)
	f, err := format.OfMediaType(mediaType)
	if err != nil {
		return nil, err
	}
	o := wire.Options{Types: s.columnTypes(table), NullText: q.Get("null"), MaxBody: int64(s.settings.MaxBody), Largest: s.largest()}
	if o.Delimiter, err = format.Delimiter(q.Get("delimiter")); err != nil {
		return nil, err
	}
	if f.Claimed != nil {
		if err := b.reserveClaimed(r.Context(), f.Claimed(b.bytes, b.largest)); err != nil {
			return nil, err
		}
	}
	return f.Decode(b.bytes, o)
}

// columnTypes returns the columns of a table with their types, which decoders need. It returns nil
// for a table that does not exist.
func (s *Server) columnTypes(name engine.TableName) []schema.Field {
	t, err := s.store.Lookup(name.Database, name.Schema, name.Name)
	if err != nil {
		return nil
	}
	return t.Fields()
}

// arcMsgpack handles a write request in MessagePack, in the form that the database Arc accepts.
// Each map in the body names its table.
func (s *Server) arcMsgpack(w http.ResponseWriter, r *http.Request, _ caller) error {
	precision, err := ingest.ParsePrecision(r.URL.Query().Get("precision"))
	if err != nil {
		return err
	}
	o, err := appendOptions(r)
	if err != nil {
		return err
	}
	b, err := s.readBody(w, r, s.budget, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	o.BeforeLockWait = b.beginTableWait
	decoded, err := msgpack.Format.DecodeTables(b.bytes, wire.TableOptions{Now: time.Now(), Precision: precision})
	if err != nil {
		return err
	}
	defer ingest.Release(decoded.Rows)
	identify(&o, r, b.bytes)
	if err := b.reserveDecoded(r.Context(), batchesOf(decoded.Rows)...); err != nil {
		return err
	}
	tables, err := s.tables(r, decoded.Rows)
	if err != nil {
		return err
	}
	if _, err := s.executor.Append(r.Context(), tables, o); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// database returns the database of a write request whose URL path does not name it. The database is
// in a parameter or header, or else the server's default. InfluxDB's parameter bucket may be
// DATABASE/RETENTION-POLICY. Scoter only has the default policy, which is named autogen.
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

// tables converts decoded rows to the form that the engine takes. Each element of decoded has the
// rows of one table, and the table's name.
func (s *Server) tables(r *http.Request, decoded []ingest.Rows) ([]engine.TableRows, error) {
	database := s.database(r)
	if err := ingest.CheckName("database", database); err != nil {
		return nil, err
	}
	tables := make([]engine.TableRows, len(decoded))
	for i, rows := range decoded {
		name := engine.TableName{Database: database, Schema: engine.DefaultSchema, Name: rows.Table}
		exact, err := s.splitTime(name, rows.Batch)
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

// batchesOf returns the record batches of decoded rows, one for each table.
func batchesOf(decoded []ingest.Rows) []arrow.RecordBatch {
	batches := make([]arrow.RecordBatch, len(decoded))
	for i, rows := range decoded {
		batches[i] = rows.Batch
	}
	return batches
}

// tagNames returns the names of the tag columns of decoded rows. The tags identify a time series.
func tagNames(rows ingest.Rows) []string {
	names := make([]string, len(rows.Tags))
	for i, at := range rows.Tags {
		names[i] = rows.Batch.ColumnName(at)
	}
	return names
}
