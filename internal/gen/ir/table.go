package ir

// Op is a bulk operation on a table, such as an insert of many rows.
type Op string

// The operations.
const (
	// OpAppender is SQG's `:appender`. The generated code has an object with the methods
	// append(values...) and close. It writes rows of type InsertRow.
	OpAppender Op = "appender"
	// OpInsert becomes the method insertAll, which takes a stream of InsertRow.
	OpInsert Op = "insert"
	// OpUpdate becomes the method updateAll, which takes a stream of UpdateRow. It finds rows by
	// the columns Key and sets the columns Table.Set.
	OpUpdate Op = "update"
	// OpDelete becomes the method deleteAll, which takes a stream of KeyRow.
	OpDelete Op = "delete"
	// OpUpsert becomes the method upsertAll, which takes a stream of InsertRow. It sets the columns
	// Table.Set in rows whose Key exists, and inserts the others. Table.KeyUnique is true, except
	// on DuckDB, whose MERGE needs no constraint.
	OpUpsert Op = "upsert"
)

// Table is the target of bulk writes: one TABLE or WRITE block, or several blocks for the same
// table under the same name.
type Table struct {
	// Name is the block's name. Methods and types are named after it.
	Name Name `json:"name"`
	// Schema and Table name the table in the engine. Schema is empty for the default schema.
	Schema string `json:"schema,omitempty"`
	Table  string `json:"table"`
	// SQLName is the table's name, quoted and qualified for the engine.
	SQLName string `json:"sql_name"`
	// Ops are the operations of the table, in the order appender, insert, update, delete, upsert.
	Ops []Op `json:"ops"`
	// Columns are all columns of the table, in table order.
	Columns []TableColumn `json:"columns"`
	// Insert are the indices in Columns of the columns that an insert writes: all columns that are
	// not always generated. InsertRow has exactly these columns, in this order.
	Insert []int `json:"insert"`
	// Key are the indices in Columns of the columns that identify a row, in key order. It is empty
	// if there is no update, delete or upsert. KeyRow has these columns.
	Key []int `json:"key,omitempty"`
	// KeyUnique means that a primary key or a unique constraint has exactly the columns of Key.
	// Then ON CONFLICT (key) is valid.
	KeyUnique bool `json:"key_unique,omitempty"`
	// Set are the indices in Columns of the columns that update and upsert set. They are the
	// columns that the user names, or otherwise all writable columns that are not in Key. UpdateRow
	// is Key followed by Set.
	Set []int `json:"set,omitempty"`
	// InsertRow, UpdateRow and KeyRow refer to Module.Rows. They are empty if no operation needs
	// them.
	InsertRow string   `json:"insert_row,omitempty"`
	UpdateRow string   `json:"update_row,omitempty"`
	KeyRow    string   `json:"key_row,omitempty"`
	Doc       []string `json:"doc,omitempty"`
	Source    string   `json:"source,omitempty"`
	Pos       Pos      `json:"pos"`
}

// Generated says how the engine generates the values of a column.
type Generated string

// These are the ways in which an engine generates a column.
const (
	// NotGenerated is an ordinary column.
	NotGenerated Generated = ""
	// GeneratedStored and GeneratedVirtual are columns that the engine computes. They are never
	// written.
	GeneratedStored  Generated = "stored"
	GeneratedVirtual Generated = "virtual"
	// IdentityAlways is PostgreSQL's GENERATED ALWAYS AS IDENTITY. Inserts do not write it, but it
	// may be a key.
	IdentityAlways Generated = "identity_always"
	// IdentityByDefault is a column that gets a number if an insert leaves it out: PostgreSQL's BY
	// DEFAULT, SQLite's INTEGER PRIMARY KEY. HasDefault is true for it.
	IdentityByDefault Generated = "identity_by_default"
)

// TableColumn is one column of a Table.
type TableColumn struct {
	Name Name `json:"name"`
	// SQLName is the column's name, quoted for the engine.
	SQLName string `json:"sql_name"`
	Type    Type   `json:"type"`
	// Nullable means that the column allows NULL. HasDefault does not make a column nullable,
	// because bulk methods write every column of InsertRow.
	Nullable bool `json:"nullable"`
	// HasDefault means that an INSERT may leave out the column, which then gets its default.
	HasDefault bool `json:"has_default,omitempty"`
	// Default is the SQL text of the default, for comments in generated code. It may be empty.
	Default    string    `json:"default,omitempty"`
	Generated  Generated `json:"generated,omitempty"`
	PrimaryKey bool      `json:"primary_key,omitempty"`
}
