package ir

// Op is a bulk operation on a table.
type Op string

// The operations.
const (
	// OpAppender is SQG's `:appender`: an object with append(values...) and
	// close. It writes InsertRow.
	OpAppender Op = "appender"
	// OpInsert is insertAll: takes a stream of InsertRow.
	OpInsert Op = "insert"
	// OpUpdate is updateAll: takes a stream of UpdateRow; finds rows by Key and
	// sets Table.Set.
	OpUpdate Op = "update"
	// OpDelete is deleteAll: takes a stream of KeyRow.
	OpDelete Op = "delete"
	// OpUpsert is upsertAll: takes a stream of InsertRow; rows whose Key exists
	// get Table.Set, the others are inserted. Table.KeyUnique is true but for
	// DuckDB, whose MERGE needs no constraint.
	OpUpsert Op = "upsert"
)

// Table is one TABLE or WRITE block, or several for the same table under the
// same name taken together: the target of bulk writes.
type Table struct {
	// Name is the block's name: what methods and types are called after.
	Name Name `json:"name"`
	// Schema and Table name the table in the engine. Schema is empty for the
	// default one.
	Schema string `json:"schema,omitempty"`
	Table  string `json:"table"`
	// SQLName is the table's name quoted and qualified for the engine.
	SQLName string `json:"sql_name"`
	// Ops are in the order appender, insert, update, delete, upsert.
	Ops []Op `json:"ops"`
	// Columns are all columns of the table, in table order.
	Columns []TableColumn `json:"columns"`
	// Insert are the indices in Columns that an insert writes: all that are
	// not always generated. InsertRow has exactly these, in this order.
	Insert []int `json:"insert"`
	// Key are the indices in Columns that identify a row, in key order.
	// Empty unless there is an update, delete or upsert. KeyRow has these.
	Key []int `json:"key,omitempty"`
	// KeyUnique says that a primary key or a unique constraint covers exactly
	// the columns of Key, so ON CONFLICT (key) is valid.
	KeyUnique bool `json:"key_unique,omitempty"`
	// Set are the indices in Columns that update and upsert set: those that the
	// user names, otherwise all that can be written and are not in Key.
	// UpdateRow is Key followed by Set.
	Set []int `json:"set,omitempty"`
	// InsertRow, UpdateRow and KeyRow refer to Module.Rows; empty when no
	// operation needs them.
	InsertRow string   `json:"insert_row,omitempty"`
	UpdateRow string   `json:"update_row,omitempty"`
	KeyRow    string   `json:"key_row,omitempty"`
	Doc       []string `json:"doc,omitempty"`
	Source    string   `json:"source,omitempty"`
	Pos       Pos      `json:"pos"`
}

// Generated says how the engine fills a column by itself.
type Generated string

// The ways a column is generated.
const (
	// NotGenerated is an ordinary column.
	NotGenerated Generated = ""
	// GeneratedStored and GeneratedVirtual are computed: never written.
	GeneratedStored  Generated = "stored"
	GeneratedVirtual Generated = "virtual"
	// IdentityAlways is PostgreSQL's GENERATED ALWAYS AS IDENTITY: not
	// written by inserts, but it may be a key.
	IdentityAlways Generated = "identity_always"
	// IdentityByDefault is filled when left out: PostgreSQL's BY DEFAULT,
	// SQLite's INTEGER PRIMARY KEY. It counts as HasDefault.
	IdentityByDefault Generated = "identity_by_default"
)

// TableColumn is one column of a Table.
type TableColumn struct {
	Name Name `json:"name"`
	// SQLName is the column's name quoted for the engine.
	SQLName string `json:"sql_name"`
	Type    Type   `json:"type"`
	// Nullable is whether the column admits NULL. A column with HasDefault is
	// not thereby nullable: bulk methods write every column of InsertRow.
	Nullable bool `json:"nullable"`
	// HasDefault: an INSERT may leave the column out.
	HasDefault bool `json:"has_default,omitempty"`
	// Default is the default's SQL text, for comments. May be empty.
	Default    string    `json:"default,omitempty"`
	Generated  Generated `json:"generated,omitempty"`
	PrimaryKey bool      `json:"primary_key,omitempty"`
}
