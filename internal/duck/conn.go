package duck

/*
#include <stdlib.h>
#include <duckdb.h>
#include <ext.h>

// The following functions wrap calls of DuckDB that may allocate memory or take long. Each takes
// the memory account of a connection, so that the memory of the call is counted there.

static duckdb_state scoter_query(scoter_account *account, duckdb_connection conn, const char *sql, duckdb_result *out) {
	scoter_account *before = scoter_account_enter(account);
	duckdb_state state = duckdb_query(conn, sql, out);
	scoter_account_leave(before);
	return state;
}

static duckdb_state scoter_prepare(scoter_account *account, duckdb_connection conn, const char *sql, duckdb_prepared_statement *out) {
	scoter_account *before = scoter_account_enter(account);
	duckdb_state state = duckdb_prepare(conn, sql, out);
	scoter_account_leave(before);
	return state;
}

static void scoter_destroy_prepare(scoter_account *account, duckdb_prepared_statement *stmt) {
	scoter_account *before = scoter_account_enter(account);
	duckdb_destroy_prepare(stmt);
	scoter_account_leave(before);
}

static duckdb_state scoter_execute(scoter_account *account, duckdb_prepared_statement stmt, duckdb_result *out) {
	scoter_account *before = scoter_account_enter(account);
	duckdb_state state = duckdb_execute_prepared(stmt, out);
	scoter_account_leave(before);
	return state;
}
*/
import "C"

import (
	"context"
	"fmt"
	"math/big"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck/ext"
)

// Conn is one DuckDB connection. It runs one query at a time: the result must be closed before the
// next query starts.
type Conn struct {
	// the instance that the connection belongs to; nil while a new database is being set up
	inst    *Instance
	db      *database
	conn    C.duckdb_connection
	number  uint64
	account *ext.Account
	// planContext is the context of the query to which a pool lent the connection. If it ends, the
	// planning of a statement is interrupted.
	planContext context.Context
	slot        *slot // the right to run a query, which the pool gave with the connection
	abandoned   bool  // whether Abandon was called, so that Release closes the connection
	prepared    map[string]*Stmt
	cachedText  int   // total size of the texts of the cached statements, in bytes
	cachedPlans int64 // total size of the plans of the cached statements, in bytes
	// DuckDB's options for conversion to Arrow; nil until they are needed
	options C.duckdb_arrow_options
}

// Limits of the prepared statements that a connection caches: their number, the bytes of their
// texts, and the bytes of their plans if these can be counted. DuckDB makes the plans of cached
// statements without statistics or other knowledge of Scoter's tables. So no change of a table can
// make a cached plan stale.
const (
	maxCachedStatements = 256
	maxCachedText       = 128 << 10
	// longer texts are not cached, because they seldom repeat
	maxTextCached  = maxCachedText / 4
	maxCachedPlans = 4 << 20
	maxPlanCached  = maxCachedPlans / 8
)

// connections counts all connections that were ever opened. A connection gets the count as its
// number.
var connections atomic.Uint64

// Connect opens a connection.
func (i *Instance) Connect() (*Conn, error) {
	c, err := i.connectToCurrent()
	if err != nil {
		return nil, err
	}
	if i.settings.TrackProgress {
		// DuckDB tracks the progress of a query only if its progress bar is enabled. The bar need
		// not be printed.
		if err := c.Exec("SET enable_progress_bar = true; SET enable_progress_bar_print = false"); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

func (i *Instance) connectToCurrent() (*Conn, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.current == nil {
		if err := i.open(); err != nil {
			return nil, base.Wrap(err, "open another DuckDB after one failed")
		}
	}
	return i.current.connect(i)
}

func (db *database) connect(i *Instance) (*Conn, error) {
	c := &Conn{inst: i, db: db, number: connections.Add(1), account: ext.NewAccount(), planContext: context.Background(), prepared: map[string]*Stmt{}}
	if C.duckdb_connect(db.handle, &c.conn) != C.DuckDBSuccess {
		c.account.Close()
		return nil, base.Errorf(base.Internal, "duckdb: cannot connect")
	}
	c.account.Attach(c.Raw())
	return c, nil
}

// Progress returns how much of the running query's input has been read, in percent. It returns 0 if
// DuckDB does not know, or if Settings.TrackProgress is not set.
func (c *Conn) Progress() float64 { return max(0, float64(C.duckdb_query_progress(c.conn).percentage)) }

// Number returns the number of the connection, which is unique in the process.
func (c *Conn) Number() uint64 { return c.number }

// Raw returns the C handle of the connection (duckdb_connection). Other packages register C
// functions with it.
func (c *Conn) Raw() unsafe.Pointer { return unsafe.Pointer(c.conn) }

// Close closes the connection.
func (c *Conn) Close() {
	c.clearCache()
	if c.options != nil {
		C.duckdb_destroy_arrow_options(&c.options)
	}
	C.duckdb_disconnect(&c.conn)
	c.account.Close()
}

// cAccount returns the connection's memory account as a C pointer.
func (c *Conn) cAccount() *C.scoter_account { return (*C.scoter_account)(c.account.Raw()) }

// arrowOptions returns the options that DuckDB uses to convert vectors to Arrow. They are read only
// once, because they depend on settings that are locked.
func (c *Conn) arrowOptions() C.duckdb_arrow_options {
	if c.options == nil {
		C.duckdb_connection_get_arrow_options(c.conn, &c.options)
	}
	return c.options
}

// Exec runs one or more SQL statements and drops their results.
func (c *Conn) Exec(sql string) error {
	csql := C.CString(sql)
	defer C.free(unsafe.Pointer(csql))
	var result C.duckdb_result
	state := C.scoter_query(c.cAccount(), c.conn, csql, &result)
	defer C.duckdb_destroy_result(&result)
	if state != C.DuckDBSuccess {
		return c.failure(C.GoString(C.duckdb_result_error(&result)))
	}
	return nil
}

// Stmt is a prepared statement of one connection.
type Stmt struct {
	conn    *Conn
	stmt    C.duckdb_prepared_statement
	sql     string
	cached  bool
	size    int64    // size of the plan in bytes; only for cached statements
	columns *columns // columns of the statement's results; nil if they are not known
}

// Prepare parses, binds and plans one statement. If the context for which the connection is lent
// ends, Prepare is interrupted.
func (c *Conn) Prepare(sql string) (*Stmt, error) {
	csql := C.CString(sql)
	defer C.free(unsafe.Pointer(csql))
	ctx, unhook := c.interruptible(c.planContext)
	defer unhook()
	s := &Stmt{conn: c, sql: sql}
	if C.scoter_prepare(c.cAccount(), c.conn, csql, &s.stmt) != C.DuckDBSuccess {
		err := c.failure(C.GoString(C.duckdb_prepare_error(s.stmt)))
		s.destroy()
		return nil, contextError(ctx, err)
	}
	return s, nil
}

// PrepareCached prepares a statement as Prepare does, and caches it unless it is large. For a text
// that is in the cache it returns the cached statement. It must be called only for statements whose
// plans stay valid when a table changes. When the cache is full it is emptied, and frequent
// statements are soon in it again.
func (c *Conn) PrepareCached(sql string) (*Stmt, error) {
	if s, ok := c.prepared[sql]; ok {
		return s, nil
	}
	before := c.account.Bytes()
	s, err := c.Prepare(sql)
	if err != nil {
		return nil, err
	}
	s.size = max(0, c.account.Bytes()-before)
	if len(sql) > maxTextCached || s.size > maxPlanCached {
		return s, nil
	}
	if len(c.prepared) >= maxCachedStatements || c.cachedText+len(sql) > maxCachedText || c.cachedPlans+s.size > maxCachedPlans {
		c.clearCache()
	}
	s.cached = true
	c.prepared[sql] = s
	c.cachedText += len(sql)
	c.cachedPlans += s.size
	return s, nil
}

// uncache removes a statement from the cache of its connection, and releases it.
func (c *Conn) uncache(s *Stmt) {
	delete(c.prepared, s.sql)
	c.cachedText -= len(s.sql)
	c.cachedPlans -= s.size
	s.destroy()
}

// clearCache releases all cached statements of the connection. Close must call it, because a cached
// statement would keep the connection's whole database in memory.
func (c *Conn) clearCache() {
	for _, s := range c.prepared {
		s.destroy()
	}
	clear(c.prepared)
	c.cachedText, c.cachedPlans = 0, 0
}

// Close releases the statement. If the statement is cached, Close keeps its plan, and releases only
// what its runs computed.
func (s *Stmt) Close() {
	if !s.cached {
		s.destroy()
		return
	}
	if !C.scoter_free_results(s.stmt) {
		s.conn.uncache(s)
	}
}

func (s *Stmt) destroy() { C.scoter_destroy_prepare(s.conn.cAccount(), &s.stmt) }

// Columns returns the names of the statement's result columns. The result known is false if the
// type of a column depends on the value of a parameter. Then the names are not known before the
// parameters are bound.
func (s *Stmt) Columns() (names []string, known bool) {
	out := make([]string, int(C.duckdb_prepared_statement_column_count(s.stmt)))
	for i := range out {
		name := C.duckdb_prepared_statement_column_name(s.stmt, C.idx_t(i))
		out[i] = C.GoString(name)
		C.duckdb_free(unsafe.Pointer(name))
	}
	return out, len(out) == 0 || C.duckdb_prepared_statement_column_type(s.stmt, 0) != C.DUCKDB_TYPE_INVALID
}

// Bind sets the parameters: positional ones in order, or one map[string]any for named ones ($name).
// Values are nil, bool, integers, floats, string, []byte, time.Time, and *big.Int, which becomes a
// HUGEINT.
func (s *Stmt) Bind(args []any) error {
	n := int(C.duckdb_nparams(s.stmt))
	if len(args) == 1 {
		if named, ok := args[0].(map[string]any); ok {
			return s.bindNamed(named, n)
		}
	}
	if len(args) != n {
		return ErrParameters(n, len(args))
	}
	for i, arg := range args {
		if err := s.bindOne(C.idx_t(i+1), arg); err != nil {
			return base.Wrap(err, "parameter %d", i+1)
		}
	}
	return nil
}

// ErrParameters returns the error for a wrong number of parameter values. The argument takes is the
// number of the statement's parameters, and the argument given is the number of values that were
// passed.
func ErrParameters(takes, given int) error {
	return base.Errorf(base.Invalid, "values for the statement's parameters: %d given, %d needed", given, takes)
}

func (s *Stmt) bindNamed(named map[string]any, n int) error {
	for i := 1; i <= n; i++ {
		cname := C.duckdb_parameter_name(s.stmt, C.idx_t(i))
		name := C.GoString(cname)
		C.duckdb_free(unsafe.Pointer(cname))
		arg, ok := named[name]
		if !ok {
			return base.Errorf(base.Invalid, "no value for parameter $%s", name)
		}
		if err := s.bindOne(C.idx_t(i), arg); err != nil {
			return base.Wrap(err, "parameter $%s", name)
		}
	}
	if len(named) > n {
		return ErrParameters(n, len(named))
	}
	return nil
}

func (s *Stmt) bindOne(i C.idx_t, arg any) error {
	var state C.duckdb_state
	switch v := arg.(type) {
	case nil:
		state = C.duckdb_bind_null(s.stmt, i)
	case bool:
		state = C.duckdb_bind_boolean(s.stmt, i, C.bool(v))
	case int:
		state = C.duckdb_bind_int64(s.stmt, i, C.int64_t(v))
	case int8:
		state = C.duckdb_bind_int8(s.stmt, i, C.int8_t(v))
	case int16:
		state = C.duckdb_bind_int16(s.stmt, i, C.int16_t(v))
	case int32:
		state = C.duckdb_bind_int32(s.stmt, i, C.int32_t(v))
	case int64:
		state = C.duckdb_bind_int64(s.stmt, i, C.int64_t(v))
	case uint:
		state = C.duckdb_bind_uint64(s.stmt, i, C.uint64_t(v))
	case uint8:
		state = C.duckdb_bind_uint8(s.stmt, i, C.uint8_t(v))
	case uint16:
		state = C.duckdb_bind_uint16(s.stmt, i, C.uint16_t(v))
	case uint32:
		state = C.duckdb_bind_uint32(s.stmt, i, C.uint32_t(v))
	case uint64:
		state = C.duckdb_bind_uint64(s.stmt, i, C.uint64_t(v))
	case *big.Int:
		value, ok := hugeint(v)
		if !ok {
			return base.Errorf(base.Invalid, "%v is out of the range of HUGEINT", v).WithHint("send it as text")
		}
		state = C.duckdb_bind_hugeint(s.stmt, i, value)
	case float32:
		state = C.duckdb_bind_float(s.stmt, i, C.float(v))
	case float64:
		state = C.duckdb_bind_double(s.stmt, i, C.double(v))
	case string:
		p := unsafe.Pointer(unsafe.StringData(v))
		if len(v) == 0 {
			p = unsafe.Pointer(&emptyBytes[0])
		}
		state = C.duckdb_bind_varchar_length(s.stmt, i, (*C.char)(p), C.idx_t(len(v)))
	case []byte:
		p := unsafe.Pointer(unsafe.SliceData(v))
		if len(v) == 0 {
			p = unsafe.Pointer(&emptyBytes[0])
		}
		state = C.duckdb_bind_blob(s.stmt, i, p, C.idx_t(len(v)))
	case time.Time:
		state = C.duckdb_bind_timestamp_tz(s.stmt, i, C.duckdb_timestamp{micros: C.int64_t(v.UnixMicro())})
	default:
		return base.Errorf(base.Invalid, "a %T cannot be a parameter", arg).
			WithHint("send it as text and cast it: $1::TYPE")
	}
	if state != C.DuckDBSuccess {
		return base.Errorf(base.Invalid, "value %v cannot be bound", arg)
	}
	return nil
}

var emptyBytes [1]byte

// hugeint converts a number to DuckDB's 128-bit type. It returns false if the number does not fit.
func hugeint(v *big.Int) (C.duckdb_hugeint, bool) {
	var lower, upper big.Int
	upper.Rsh(v, 64)
	lower.Sub(v, lower.Lsh(&upper, 64))
	if !upper.IsInt64() {
		return C.duckdb_hugeint{}, false
	}
	return C.duckdb_hugeint{lower: C.uint64_t(lower.Uint64()), upper: C.int64_t(upper.Int64())}, true
}

// Query prepares, binds and starts a statement. The result is streamed. If ctx ends before the
// result is closed, the query is interrupted.
func (c *Conn) Query(ctx context.Context, sql string, args ...any) (*Result, error) {
	s, err := c.Prepare(sql)
	if err != nil {
		return nil, err
	}
	if err := s.Bind(args); err != nil {
		s.Close()
		return nil, err
	}
	return s.Start(ctx)
}

// queryText runs a query whose result is one VARCHAR, and calls the function read with this text.
// The text is in DuckDB's memory, which is freed after that call. So a large text from which the
// function makes something small need not be copied.
func (c *Conn) queryText(s *Stmt, read func(text string) error, args ...any) error {
	defer s.Close()
	if err := s.Bind(args); err != nil {
		return err
	}
	ctx, unhook := c.interruptible(c.planContext)
	defer unhook()
	var result C.duckdb_result
	state := C.scoter_execute(c.cAccount(), s.stmt, &result)
	defer C.duckdb_destroy_result(&result)
	if state != C.DuckDBSuccess {
		return contextError(ctx, c.failure(C.GoString(C.duckdb_result_error(&result))))
	}
	chunk := C.duckdb_fetch_chunk(result)
	if chunk == nil {
		return fmt.Errorf("no row")
	}
	defer C.duckdb_destroy_data_chunk(&chunk)
	vector := C.duckdb_data_chunk_get_vector(chunk, 0)
	text := (*C.duckdb_string_t)(C.duckdb_vector_get_data(vector))
	return read(unsafe.String((*byte)(unsafe.Pointer(C.duckdb_string_t_data(text))), int(C.duckdb_string_t_length(*text))))
}
