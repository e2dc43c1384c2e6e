package ir

// Op is a bulk operation on a table, such as an insert of many rows. It becomes a generated method.
type Op string

// These are the bulk operations.
const (
	// OpAppender is the operation `:appender` of SQG, the generator that Scoter replaces. The
	// generated code has an object with the methods append(values...) and close. It writes rows of
	// the type Table.InsertRow.
	OpAppender Op = "appender"
	// OpInsert becomes the generated method insertAll, which inserts a stream of rows of the type
	// Table.InsertRow.
	OpInsert Op = "insert"
	// OpUpdate becomes the generated method updateAll, which takes a stream of rows of the type
	// Table.UpdateRow. It finds existing rows by the columns Table.Key, and sets the columns
	// Table.Set.
	OpUpdate Op = "update"
	// OpDelete becomes the generated method deleteAll, which takes a stream of keys, of the type
	// Table.KeyRow. It deletes the rows with these keys.
	OpDelete Op = "delete"
	// OpUpsert becomes the generated method upsertAll, which takes a stream of rows of the type
	// Table.InsertRow. If a row with the same key exists, it sets the columns Table.Set of that
	// row. Otherwise it inserts the row. Table.KeyUnique is true, except on DuckDB, whose MERGE
	// needs no constraint.
	OpUpsert Op = "upsert"
)

// Table is a table for which bulk write methods are generated. It comes from one TABLE or WRITE
// block, or from several blocks for the same table under the same name.
type Table struct {
	// Name is the name of the table's block. Generated methods and types are named after it.
	Name Name `json:"name"`
	// Schema and Table are the names of the schema and the table in the database. Schema is empty
	// for the default schema.
	Schema string `json:"schema,omitempty"`
	Table  string `json:"table"`
	// SQLName is the table's name as SQL, quoted and qualified for the engine.
	SQLName string `json:"sql_name"`
	// Ops are the bulk operations for the table, in the order appender, insert, update, delete,
	// upsert.
	Ops []Op `json:"ops"`
	// Columns are all columns of the table, in table order.
	Columns []TableColumn `json:"columns"`
	// Insert are the columns that an insert writes, as indices in Columns. They are the columns
	// that the user names in the block, or otherwise all columns except those that are always
	// generated. The row type InsertRow has exactly these columns, in this order.
	Insert []int `json:"insert"`
	// Key are the columns that identify a row, as indices in Columns, in the order of the key. It
	// is empty if the table has no update, delete or upsert. The row type KeyRow has these columns.
	Key []int `json:"key,omitempty"`
	// KeyUnique means that a primary key or a unique constraint of the table has exactly the
	// columns of Key. Then ON CONFLICT (key) is valid.
	KeyUnique bool `json:"key_unique,omitempty"`
	// Set are the columns that update and upsert set, as indices in Columns. They are the columns
	// that the user names in the block, or otherwise all writable columns that are not in Key. The
	// row type UpdateRow has the columns of Key and then those of Set.
	Set []int `json:"set,omitempty"`
	// InsertRow, UpdateRow and KeyRow are the Refs of row types in Module.Rows, for the rows that
	// the bulk methods take. Each is empty if no operation needs it.
	InsertRow string   `json:"insert_row,omitempty"`
	UpdateRow string   `json:"update_row,omitempty"`
	KeyRow    string   `json:"key_row,omitempty"`
	Doc       []string `json:"doc,omitempty"`
	Source    string   `json:"source,omitempty"`
	Pos       Pos      `json:"pos"`
}

// Generated says whether and how the database generates the values of a column.
type Generated string

// These are the ways in which a database generates the values of a column.
const (
	// NotGenerated means an ordinary column, whose values the application writes.
	NotGenerated Generated = ""
	// GeneratedStored and GeneratedVirtual mean that the database computes the column from other
	// columns. Such a column is never written.
	GeneratedStored  Generated = "stored"
	GeneratedVirtual Generated = "virtual"
	// IdentityAlways means PostgreSQL's GENERATED ALWAYS AS IDENTITY: the database numbers the
	// rows. Inserts do not write such a column, but it may be a key.
	IdentityAlways Generated = "identity_always"
	// IdentityByDefault means that the database gives the column a number if an insert leaves it
	// out: PostgreSQL's BY DEFAULT AS IDENTITY, SQLite's INTEGER PRIMARY KEY. HasDefault is true
	// for such a column.
	IdentityByDefault Generated = "identity_by_default"
)

// TableColumn is one column of a Table.
type TableColumn struct {
	Name Name `json:"name"`
	// SQLName is the column's name as SQL, quoted for the engine.
	SQLName string `json:"sql_name"`
	Type    Type   `json:"type"`
	// Nullable means that the column allows NULL. A default does not make a column nullable,
	// because bulk methods write every column of the row type InsertRow.
	Nullable bool `json:"nullable"`
	// HasDefault means that an INSERT may leave out the column. The column gets its default value
	// then.
	HasDefault bool `json:"has_default,omitempty"`
	// Default is the SQL text of the column's default, for comments in generated code. It may be
	// empty even if there is a default.
	Default    string    `json:"default,omitempty"`
	Generated  Generated `json:"generated,omitempty"`
	PrimaryKey bool      `json:"primary_key,omitempty"`
}
