// Package ir is the frozen intermediate representation between SQL analysis
// and the language backends of `scoter generate`.
//
// Analysis (packages gen/sqlfile and gen/analyze/...) turns one `sql` entry of
// the configuration into one Module. A backend (gen/lang/...) is a pure
// function from a Module and a Target to files: it asks no database, reads no
// file and decides nothing about SQL. Everything that needs an engine or an
// SQL tokenizer has been decided here; nothing here belongs to one language.
//
// A Module marshals to JSON and back without loss. The JSON is also the
// recorded contract that `scoter verify` compares with a live database.
//
// Compatibility: a field is never removed or given another meaning within one
// FormatVersion. A reader ignores fields that it does not know.
package ir

// FormatVersion is the version of this representation.
//
//	1: the first.
const FormatVersion = 1

// Engine names the database that the SQL of a module is written for.
type Engine string

// The engines.
const (
	SQLite   Engine = "sqlite"
	DuckDB   Engine = "duckdb"
	Postgres Engine = "postgres"
	// Scoter speaks DuckDB's dialect and types; its drivers use the network.
	Scoter Engine = "scoter"
)

// Module is one unit to generate. All files of a `sql` entry share one schema;
// they become one Module when the target has a name of its own or its output
// is a file, otherwise (output is a folder, as SQG does it) one Module per SQL
// file. A backend sees no difference. Slices are in the order of the source
// unless a field says otherwise; nothing depends on map order or time.
type Module struct {
	// FormatVersion is the constant of that name at the time of writing.
	FormatVersion int `json:"format_version"`
	// Project is the configuration's `name`. It is the `project` column of
	// the migration table and must be used there exactly as it stands.
	Project string `json:"project"`
	// Engine is the dialect of all SQL text below.
	Engine Engine `json:"engine"`
	// EngineVersion is the version that the analysis ran on, such as
	// "3.53.3", "v1.5.6" or "18.3". For comments and diagnostics only.
	EngineVersion string `json:"engine_version,omitempty"`
	// Files are the SQL files of this module as the configuration names them.
	Files []string `json:"files"`
	// Sources are the databases and files that the application has to attach
	// before it uses the module.
	Sources []Source `json:"sources,omitempty"`
	// Migrations are emitted, in order, when there are any.
	Migrations []Migration `json:"migrations,omitempty"`
	// Enums are all enums that any Type refers to, sorted by Ref.
	Enums []Enum `json:"enums,omitempty"`
	// Structs are all structs that any Type refers to, sorted by Ref.
	Structs []Struct `json:"structs,omitempty"`
	// Rows are all row types, sorted by Ref. No two have the same Pascal-case
	// name, nor does an enum or a struct share one.
	Rows []Row `json:"rows,omitempty"`
	// Queries are the QUERY and EXEC blocks. No two have the same words.
	Queries []Query `json:"queries,omitempty"`
	// Tables are the TABLE and WRITE blocks. No two have the same words.
	Tables []Table `json:"tables,omitempty"`
}

// Source is a PostgreSQL database that DuckDB attaches as Name when the
// application runs. Backends generate a helper `attach<Name>(dsn)` that executes
// ATTACH '<dsn>' AS <SQLName> (TYPE postgres). (Sources that are files need
// nothing at run time: their paths are already in the SQL.)
type Source struct {
	Name Name `json:"name"`
	// SQLName is Name quoted for DuckDB.
	SQLName string `json:"sql_name"`
	// Type is "postgres".
	Type string `json:"type"`
}

// Migration is one MIGRATE block.
type Migration struct {
	// ID is the block's name, the `migration_id` of the migration table.
	ID string `json:"id"`
	// SQL is the text of the block, without a final semicolon's white space.
	SQL string `json:"sql"`
	// Statements is SQL split into single statements, for drivers that
	// execute one at a time. Comments between statements are dropped.
	Statements []string `json:"statements"`
	// Checksum is the lower-case hexadecimal SHA-256 of the statements, each
	// followed by ";\n": a change of comments between statements, of line
	// ends or of outer white space does not alter it.
	Checksum string `json:"checksum"`
	// Doc holds the comment lines above or below the block's header.
	Doc []string `json:"doc,omitempty"`
	// Pos is where the block starts.
	Pos Pos `json:"pos"`
}

// Pos is a place in a source file.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
}

// Enum is a named list of text values.
type Enum struct {
	// Ref is what Type.Ref holds. It is unique among enums.
	Ref string `json:"ref"`
	// Name is the name to generate.
	Name Name `json:"name"`
	// Native is the engine's type, quoted and qualified as needed, such as
	// `task_status`, `app."Mood"`. Empty for an anonymous enum of DuckDB.
	Native string `json:"native,omitempty"`
	// Values are the labels in the engine's order. A live database may know
	// more: generated code must have a policy for a value it does not know.
	Values []EnumValue `json:"values"`
	Doc    []string    `json:"doc,omitempty"`
}

// EnumValue is one label of an enum.
type EnumValue struct {
	// Value is the label as the engine spells it: any text, "" included.
	Value string `json:"value"`
	// Name is the constant to generate. Its words are unique in the enum; its
	// Original is Value.
	Name Name `json:"name"`
}

// Struct is a nested value with named fields: DuckDB's STRUCT, a composite
// type of PostgreSQL. Structs of the same shape share one entry.
type Struct struct {
	Ref    string  `json:"ref"`
	Name   Name    `json:"name"`
	Native string  `json:"native"`
	Fields []Field `json:"fields"`
}

// Field is one field of a struct. Fields are read by position.
type Field struct {
	Name     Name `json:"name"`
	Type     Type `json:"type"`
	Nullable bool `json:"nullable"`
	// Unnamed says that the field has no name in the engine, as those of DuckDB's row(...): Name is
	// f1, f2 and so on.
	Unnamed bool `json:"unnamed,omitempty"`
}

// Row is a row type: what a query returns or a bulk method takes.
type Row struct {
	// Ref is what Query.Row and the row fields of Table hold.
	Ref string `json:"ref"`
	// Name is the name to generate: the one of `:result=`, which several queries
	// may share, the query's followed by "result", or the table's followed by
	// what the row is for.
	Name Name `json:"name"`
	// Explicit says that the user chose the name.
	Explicit bool `json:"explicit,omitempty"`
	// Columns in order. Their words are unique within the row.
	Columns []Column `json:"columns"`
}

// Column is one column of a result or of a row type.
type Column struct {
	// Name.Original is the column's name in the result set, exactly; drivers
	// that return rows as objects use it as the key.
	Name Name `json:"name"`
	Type Type `json:"type"`
	// Nullable is false only when the value can never be NULL.
	Nullable bool `json:"nullable"`
	// Origin is the table column whose value this is, unchanged. Absent for
	// expressions and where the engine does not tell. Rows do not carry it:
	// queries that share a row may differ in it.
	Origin *Origin `json:"origin,omitempty"`
}

// Origin names a column of a table or view.
type Origin struct {
	Schema string `json:"schema,omitempty"`
	Table  string `json:"table"`
	Column string `json:"column"`
}

// Verb says what kind of method a query becomes.
type Verb string

// The verbs.
const (
	// VerbQuery returns rows.
	VerbQuery Verb = "query"
	// VerbExec returns the number of affected rows.
	VerbExec Verb = "exec"
)

// Cardinality says how many rows the method returns.
type Cardinality string

// The cardinalities of a VerbQuery.
const (
	// One is the first row, or the language's "none" if there is no row.
	One Cardinality = "one"
	// All is every row, in the engine's order.
	All Cardinality = "all"
)

// Statement is the class of an SQL statement.
type Statement string

// The classes of statement.
const (
	StatementSelect Statement = "select"
	StatementInsert Statement = "insert"
	StatementUpdate Statement = "update"
	StatementDelete Statement = "delete"
	StatementMerge  Statement = "merge"
	StatementDDL    Statement = "ddl"
	StatementOther  Statement = "other"
)

// Query is one QUERY or EXEC block.
type Query struct {
	Name Name `json:"name"`
	Verb Verb `json:"verb"`
	// Cardinality is set for VerbQuery only.
	Cardinality Cardinality `json:"cardinality,omitempty"`
	// Pluck: the method returns the bare value of the only column. Row is
	// then empty.
	Pluck bool `json:"pluck,omitempty"`
	// Batch: also generate the method that runs the statement once per
	// element of a stream of parameter sets. VerbExec only.
	Batch bool `json:"batch,omitempty"`
	// Statement is the class of the statement. A VerbQuery may be an INSERT,
	// UPDATE or DELETE with RETURNING: it must then be run to the end.
	Statement Statement `json:"statement"`
	// ReadOnly says that the statement changes nothing in the database.
	ReadOnly bool `json:"read_only"`
	// Doc holds the lines of the doc comment, without comment markers and
	// without trailing white space. An empty line separates paragraphs.
	Doc []string `json:"doc,omitempty"`
	// Segments are the SQL text, in order, without a final semicolon.
	Segments []Segment `json:"segments"`
	// Params are the method's parameters in order (of `@set`). Every one is
	// used by a segment, some by several.
	Params []Param `json:"params,omitempty"`
	// Columns are what the statement returns. Empty for VerbExec.
	Columns []Column `json:"columns,omitempty"`
	// Row refers to the row type; its columns equal Columns but for Origin.
	// Empty for VerbExec and when Pluck is set.
	Row string `json:"row,omitempty"`
	// Source is the attached database the block is for, or empty.
	Source string `json:"source,omitempty"`
	Pos    Pos    `json:"pos"`
}

// SegmentKind is the kind of a piece of SQL text.
type SegmentKind string

// The kinds of segment.
const (
	// Code is SQL outside of quotes and comments: characters that a driver
	// gives a meaning there (`?` in JDBC, `%` in psycopg) must be escaped.
	Code SegmentKind = "code"
	// Quoted is one string literal, quoted identifier, dollar-quoted string
	// or comment, delimiters included. A driver that does not look into
	// quotes (psycopg's `%`) needs escaping here too.
	Quoted SegmentKind = "quoted"
	// ParamRef is a reference to Query.Params[Param].
	ParamRef SegmentKind = "param"
)

// Segment is one piece of the SQL text of a query. Written one after another,
// with placeholders for the parameters, the segments are the statement.
type Segment struct {
	Kind SegmentKind `json:"kind"`
	// Text of Code and Quoted, never empty.
	Text string `json:"text,omitempty"`
	// Param is the index in Query.Params. ParamRef only.
	Param int `json:"param,omitempty"`
	// Cast says that the engine cannot infer the type of this occurrence
	// alone: a driver that gives every occurrence a placeholder of its own
	// must write CAST(<placeholder> AS <Param.Type.Native>). With numbered or
	// named placeholders that share one type (`$1` twice) it need not.
	// ParamRef only.
	Cast bool `json:"cast,omitempty"`
}

// Param is a parameter of a query.
type Param struct {
	Name Name `json:"name"`
	// Type is what the caller passes. For an IN list it is a list.
	Type Type `json:"type"`
	// Nullable is true when the user's sample is null (`@set x = null`). Where
	// it is false generated code must refuse null: that a result column is not
	// nullable may rest on it (`coalesce(email, ${default})`).
	Nullable bool `json:"nullable"`
	// In says that the user wrote `IN (${p})`. The segments have already been
	// rewritten so that one placeholder takes the whole list, of any length,
	// the empty one included; Binding says how.
	In bool `json:"in,omitempty"`
	// Binding is how the value is bound.
	Binding Binding `json:"binding"`
}

// Binding is how a parameter's value is given to the driver.
type Binding string

// The bindings.
const (
	// BindValue binds the value as its type: an IN list on PostgreSQL and
	// DuckDB is one array.
	BindValue Binding = "value"
	// BindJSON binds a list as the text of a JSON array: an IN list on SQLite,
	// whose segments read `IN (SELECT value FROM json_each(?))`. Elements are
	// null, booleans as 0 and 1, integers and floats as JSON numbers with all
	// digits, everything else as the JSON string of what would be bound alone.
	BindJSON Binding = "json"
	// BindNumber binds a whole number as an integer or as a floating point
	// number, whichever costs the driver less: it is only compared, or a LIMIT
	// (SQLite).
	BindNumber Binding = "number"
)
