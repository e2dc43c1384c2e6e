package duck

/*
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <duckdb.h>
#include <ext.h>

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};
struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

#include "copied.h"
#include "joinchunks.h"
#include "interval.h"

// scoter_work works on a statement's tasks until the statement has rows or an error.
// duckdb_execute_pending also does this, but it spins while other threads work on all the tasks.
// That costs a fifth of the processor time of the smallest queries, and a whole core that other
// queries could use. In scoter_work the thread yields or sleeps instead, longer each time.
static void scoter_work(duckdb_pending_result pending) {
	const int yields = 8;
	const long longest = 200000; // in nanoseconds
	int idle = 0;
	for (;;) {
		duckdb_pending_state state = duckdb_pending_execute_task(pending);
		if (duckdb_pending_execution_is_finished(state)) return;
		if (state != DUCKDB_PENDING_NO_TASKS_AVAILABLE) {
			idle = 0;
		} else if (idle++ < yields) {
			sched_yield();
		} else {
			long wait = 5000L << (idle - yields < 6 ? idle - yields : 6);
			struct timespec t = {0, wait < longest ? wait : longest};
			nanosleep(&t, NULL);
		}
	}
}

// scoter_begin runs a statement until it has its first rows.
static duckdb_state scoter_begin(duckdb_prepared_statement stmt, scoter_result *r, const char **error) {
	duckdb_pending_result pending;
	if (duckdb_pending_prepared_streaming(stmt, &pending) != DuckDBSuccess) {
		*error = strdup(duckdb_pending_error(pending));
		duckdb_destroy_pending(&pending);
		return DuckDBError;
	}
	scoter_work(pending);
	duckdb_state state = duckdb_execute_pending(pending, &r->result);
	if (state != DuckDBSuccess) {
		const char *message = duckdb_result_error(&r->result);
		if (!message) message = duckdb_pending_error(pending);
		*error = strdup(message ? message : "unknown error");
		duckdb_destroy_result(&r->result);
	} else {
		r->options = duckdb_result_get_arrow_options(&r->result);
	}
	duckdb_destroy_pending(&pending);
	return state;
}

// scoter_start calls scoter_begin. The memory that it allocates is counted for an account.
static duckdb_state scoter_start(scoter_account *account, duckdb_prepared_statement stmt, scoter_result *r, const char **error) {
	scoter_account *before = scoter_account_enter(account);
	duckdb_state state = scoter_begin(stmt, r, error);
	scoter_account_leave(before);
	return state;
}

static duckdb_error_data scoter_schema(scoter_result *r, struct ArrowSchema *out) {
	idx_t n = duckdb_column_count(&r->result);
	duckdb_logical_type *types = malloc(n * sizeof(duckdb_logical_type));
	const char **names = malloc(n * sizeof(char *));
	for (idx_t i = 0; i < n; i++) {
		types[i] = duckdb_column_logical_type(&r->result, i);
		names[i] = duckdb_column_name(&r->result, i);
	}
	duckdb_error_data error = duckdb_to_arrow_schema(r->options, types, names, n, out);
	for (idx_t i = 0; i < n; i++) duckdb_destroy_logical_type(&types[i]);
	free(types);
	free(names);
	return error;
}

// scoter_maps_as_lists replaces maps in a schema by lists of their entries. It returns whether the
// schema has any maps.
static int scoter_maps_as_lists(struct ArrowSchema *s) {
	int maps = strcmp(s->format, "+m") == 0;
	if (maps) s->format = "+l";
	for (int64_t i = 0; i < s->n_children; i++) maps |= scoter_maps_as_lists(s->children[i]);
	return maps;
}

// scoter_convert converts a chunk to Arrow and destroys the chunk. It returns 1, or -1 for an
// error. If the error is an INTERVAL that Arrow cannot represent, long_in is the index of its
// column.
static int scoter_convert(duckdb_arrow_options options, duckdb_data_chunk *chunk, bool intervals, struct ArrowArray *out,
                          int64_t *long_in, duckdb_error_data *error) {
	*long_in = intervals ? scoter_long_interval(*chunk) : -1;
	int64_t copies = 0;
	if (*long_in < 0 && scoter_reserve_copies(*chunk, &copies, error)) *error = duckdb_data_chunk_to_arrow(options, *chunk, out);
	duckdb_destroy_data_chunk(chunk);
	if (*long_in >= 0 || (*error && duckdb_error_data_has_error(*error))) {
		scoter_memory_give(copies);
		return -1;
	}
	scoter_own_reservation(out, copies);
	return 1;
}

// scoter_next fetches the next chunk of a result and converts it to Arrow. It returns 0 at the end
// of the result, 1 if there was a chunk, and -1 for an error as scoter_convert does.
static int scoter_next(scoter_account *account, scoter_result *r, bool intervals, struct ArrowArray *out, int64_t *long_in, duckdb_error_data *error) {
	scoter_account *before = scoter_account_enter(account);
	duckdb_data_chunk chunk = r->ahead ? r->ahead : scoter_fetch(r);
	r->ahead = NULL;
	if (chunk && r->gather) chunk = scoter_join_chunks(r, chunk);
	int status;
	if (chunk) {
		status = scoter_convert(r->options, &chunk, intervals, out, long_in, error);
	} else {
		status = duckdb_result_error(&r->result) && *duckdb_result_error(&r->result) ? -1 : 0;
	}
	scoter_account_leave(before);
	return status;
}

// scoter_take converts a chunk that has all rows of a result, and destroys the chunk. It returns 0
// if the chunk has no rows, 1 if it has rows, and -1 for an error as scoter_convert does.
static int scoter_take(duckdb_arrow_options options, duckdb_data_chunk *chunk, bool intervals, struct ArrowArray *out,
                       int64_t *long_in, duckdb_error_data *error) {
	if (!*chunk || duckdb_data_chunk_get_size(*chunk) == 0) return 0;
	return scoter_convert(options, chunk, intervals, out, long_in, error);
}

// scoter_close frees a result. If the result was not read to its end, DuckDB's threads may still
// run and read memory that the caller lent to the query. Destroying the result does not stop these
// threads (DuckDB 1.5.5). They are stopped and awaited when the connection begins another
// statement, so scoter_close runs an empty statement.
static void scoter_close(scoter_account *account, scoter_result *r, duckdb_connection conn) {
	scoter_account *before = scoter_account_enter(account);
	if (r->ahead) duckdb_destroy_data_chunk(&r->ahead);
	duckdb_destroy_arrow_options(&r->options);
	duckdb_destroy_result(&r->result);
	if (!r->ended) {
		duckdb_prepared_statement none;
		duckdb_prepare(conn, "", &none);
		duckdb_destroy_prepare(&none);
	}
	scoter_account_leave(before);
	free(r);
}
*/
import "C"

import (
	"context"
	"io"
	"slices"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"

	"github.com/scoterdb/scoter/internal/base"
)

// Result streams a query's rows as Arrow batches of at most 2,048 rows. DuckDB computes rows in
// advance into a buffer of limited size, so memory does not grow with the size of the result.
type Result struct {
	columns
	stmt *Stmt
	res  *C.scoter_result
	// chunk has all rows of a result that StartInline returned. It is nil after Next has returned
	// them.
	chunk  C.duckdb_data_chunk
	unhook func()
	ctx    context.Context
}

// columns describes the batches of a result: their schema, and how they are converted.
type columns struct {
	schema *arrow.Schema
	raw    *arrow.Schema // the schema as DuckDB returns it
	// whether raw and schema differ, so that toCanonical must convert each batch
	differ    bool
	intervals bool // whether a value may be an INTERVAL, also inside of a nested value
}

// Start executes a bound statement. The result owns the statement, and closes it.
func (s *Stmt) Start(ctx context.Context) (*Result, error) {
	ctx, unhook := s.conn.interruptible(ctx)
	r := &Result{stmt: s, res: (*C.scoter_result)(C.calloc(1, C.sizeof_scoter_result)), unhook: unhook, ctx: ctx}
	var message *C.char
	if C.scoter_start(s.conn.cAccount(), s.stmt, r.res, &message) != C.DuckDBSuccess {
		text := C.GoString(message)
		C.free(unsafe.Pointer(message))
		C.free(unsafe.Pointer(r.res))
		err := contextError(ctx, s.conn.failure(text))
		unhook()
		s.Close()
		return nil, err
	}
	if known := s.columns; known != nil {
		r.columns = *known
		return r, nil
	}
	if err := r.importSchema(); err != nil {
		r.Close()
		return nil, err
	}
	// The columns are not stored for a statement with parameters, because they may have other types
	// in its next run.
	if s.cached && C.duckdb_nparams(s.stmt) == 0 {
		s.columns = &r.columns
	}
	return r, nil
}

// arrowSchema returns the schema of the result's batches. If asLists is true, the schema has lists
// of entries in place of maps. Then the second result says whether it has any maps.
func (r *Result) arrowSchema(asLists bool) (s *arrow.Schema, maps bool, err error) {
	var cschema C.struct_ArrowSchema
	if e := C.scoter_schema(r.res, &cschema); e != nil {
		defer C.duckdb_destroy_error_data(&e)
		if C.duckdb_error_data_has_error(e) {
			return nil, false, r.stmt.conn.failure(C.GoString(C.duckdb_error_data_message(e)))
		}
	}
	if asLists {
		maps = C.scoter_maps_as_lists(&cschema) != 0
	}
	s, err = cdata.ImportCArrowSchema((*cdata.CArrowSchema)(unsafe.Pointer(&cschema)))
	if err != nil {
		return nil, false, base.Errorf(base.Internal, "duckdb result schema: %w", err)
	}
	return s, maps, nil
}

func (r *Result) importSchema() error {
	s, maps, err := r.arrowSchema(true)
	if err != nil {
		return err
	}
	if maps {
		// The metadata of a map's keys and values is taken from a second schema, which has lists in
		// place of maps. The library arrow-go drops this metadata when it imports a schema with
		// maps, and with it the types of keys and values.
		lists := s
		if s, _, err = r.arrowSchema(false); err != nil {
			return err
		}
		fields := s.Fields()
		for i := range fields {
			fields[i].Type = withMetadata(fields[i].Type, lists.Field(i).Type)
		}
		md := s.Metadata()
		s = arrow.NewSchema(fields, &md)
	}
	r.raw = s
	fields := s.Fields()
	for i := range fields {
		var changed bool
		fields[i], changed = canonical(fields[i])
		r.differ = r.differ || changed
		r.intervals = r.intervals || hasInterval(fields[i].Type)
		fields[i].Metadata = withType(fields[i].Metadata, typeName(C.duckdb_column_logical_type(&r.res.result, C.idx_t(i))))
	}
	md := s.Metadata()
	r.schema = arrow.NewSchema(fields, &md)
	if !r.differ {
		// Each batch gets exactly the schema that the result returns.
		r.raw = r.schema
	}
	return nil
}

func hasInterval(dt arrow.DataType) bool {
	return dt.ID() == arrow.INTERVAL_MONTH_DAY_NANO ||
		slices.ContainsFunc(childFields(dt), func(f arrow.Field) bool { return hasInterval(f.Type) })
}

// Schema returns the columns of the result.
func (r *Result) Schema() *arrow.Schema { return r.schema }

// FullBatches makes Next join small batches to full ones, as far as possible. Without it, a scan
// that finds few rows returns a separate batch for each vector (2,048 rows of the table) in which
// it finds any. FullBatches is for callers that need all rows before they continue. Batches of
// large values are not joined.
func (r *Result) FullBatches() {
	if r.res != nil {
		r.res.gather = true
	}
}

// Next returns the next batch, or io.EOF. The caller releases the batch.
func (r *Result) Next(ctx context.Context) (arrow.RecordBatch, error) {
	var carray C.struct_ArrowArray
	var failed C.duckdb_error_data
	var status C.int
	longIn, intervals := C.int64_t(-1), C.bool(r.intervals)
	if r.res != nil {
		status = C.scoter_next(r.stmt.conn.cAccount(), r.res, intervals, &carray, &longIn, &failed)
	} else {
		status = C.scoter_take(r.stmt.conn.arrowOptions(), &r.chunk, intervals, &carray, &longIn, &failed)
	}
	if failed != nil {
		defer C.duckdb_destroy_error_data(&failed)
	}
	switch {
	case status == 0:
		return nil, io.EOF
	case longIn >= 0:
		return nil, base.Errorf(base.Invalid, "column %q of the result: an INTERVAL has hours, minutes and seconds of more than 292 years, which results cannot hold", r.schema.Field(int(longIn)).Name).
			WithHint("cast it to VARCHAR")
	case status < 0 && failed != nil && r.ctx != nil:
		return nil, contextError(r.ctx, r.stmt.conn.failure(C.GoString(C.duckdb_error_data_message(failed))))
	case status < 0 && failed != nil:
		return nil, r.stmt.conn.failure(C.GoString(C.duckdb_error_data_message(failed)))
	case status < 0:
		return nil, contextError(r.ctx, r.stmt.conn.failure(C.GoString(C.duckdb_result_error(&r.res.result))))
	}
	rec, err := cdata.ImportCRecordBatchWithSchema((*cdata.CArrowArray)(unsafe.Pointer(&carray)), r.raw)
	if err != nil {
		return nil, base.Errorf(base.Internal, "duckdb result batch: %w", err)
	}
	if !r.differ {
		return rec, nil
	}
	defer rec.Release()
	columns := make([]arrow.Array, rec.NumCols())
	for i := range columns {
		data := toCanonical(rec.Column(i).Data(), r.raw.Field(i))
		columns[i] = array.MakeFromData(data)
		data.Release()
		defer columns[i].Release()
	}
	return array.NewRecordBatch(r.schema, columns, rec.NumRows()), nil
}

// Close ends the query if it is still running, and makes the connection free for its next query.
// After Close, no thread works for the query any more.
func (r *Result) Close() {
	if r.res != nil {
		r.stmt.conn.account.Interrupt(true) // ends running threads sooner; unhook resets it
		C.scoter_close(r.stmt.conn.cAccount(), r.res, r.stmt.conn.conn)
	}
	r.unhook()
	if r.chunk != nil {
		C.duckdb_destroy_data_chunk(&r.chunk)
	}
	r.stmt.Close()
	r.stmt.conn.account.SetBytes(r.stmt.conn.cachedPlans)
}
