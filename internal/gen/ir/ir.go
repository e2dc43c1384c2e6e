// Package ir is the stable intermediate representation between SQL analysis and the generators of
// `scoter generate`.
//
// Analysis (packages gen/sqlfile and gen/analyze/...) turns one `sql` entry of the configuration
// into one Module. A generator (gen/lang/...) is a pure function from a Module and a Target to
// files. It asks no database, reads no file, and decides nothing about SQL. Everything that needs
// an engine or an SQL tokenizer is already decided in the Module. Nothing in a Module is specific
// to one language.
//
// A Module can be converted to JSON and back without loss. `scoter verify` also compares this JSON
// with a live database.
//
// Compatibility: within one FormatVersion, a field is never removed, and its meaning never changes.
// A reader ignores fields that it does not know.
package ir

// FormatVersion is the version of this representation.
//
//	1: the first.
const FormatVersion = 1

// Engine is the database for which the SQL of a module is written.
type Engine string

// The engines.
const (
	SQLite   Engine = "sqlite"
	DuckDB   Engine = "duckdb"
	Postgres Engine = "postgres"
	// Scoter uses DuckDB's dialect and types. Its drivers use the network.
	Scoter Engine = "scoter"
)

// Module is one unit of generated code. All files of a `sql` entry share one schema. They become
// one Module if the target has a name of its own, or if its output is a file. Otherwise the output
// is a folder, and each SQL file becomes one Module, as in SQG. Generators treat both cases alike.
// Slices are in the order of the source unless a field's comment says otherwise. Nothing depends on
// map order or time.
type Module struct {
	// FormatVersion is the version of the representation in which this module was written. See the
	// constant FormatVersion.
	FormatVersion int `json:"format_version"`
	// Project is the configuration's `name`. It is stored unchanged in the column `project` of the
	// migration table.
	Project string `json:"project"`
	// Engine is the database for which the module's SQL is written.
	Engine Engine `json:"engine"`
	// EngineVersion is the version of the engine that ran the analysis, such as "3.53.3", "v1.5.6"
	// or "18.3". It is used only in comments and diagnostics.
	EngineVersion string `json:"engine_version,omitempty"`
	// Files are the SQL files of this module, with the names from the configuration.
	Files []string `json:"files"`
	// Sources are the databases that the application must attach before it uses the module.
	Sources []Source `json:"sources,omitempty"`
	// Migrations are the MIGRATE blocks, in the order in which they must be applied.
	Migrations []Migration `json:"migrations,omitempty"`
	// Enums are all enums that any Type refers to, sorted by Ref.
	Enums []Enum `json:"enums,omitempty"`
	// Structs are all structs that any Type refers to, sorted by Ref.
	Structs []Struct `json:"structs,omitempty"`
	// Rows are all row types, sorted by Ref. Row types, enums and structs all have different names
	// in Pascal case.
	Rows []Row `json:"rows,omitempty"`
	// Queries are the QUERY and EXEC blocks. No two of them have a name with the same words.
	Queries []Query `json:"queries,omitempty"`
	// Tables are the TABLE and WRITE blocks. No two of them have a name with the same words.
	Tables []Table `json:"tables,omitempty"`
}

// Source is a PostgreSQL database that DuckDB attaches as Name when the application runs.
// Generators write a helper `attach<Name>(dsn)` that executes ATTACH '<dsn>' AS <SQLName> (TYPE
// postgres). Sources that are files need nothing at run time, because their paths are already in
// the SQL.
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
	// SQL is the text of the block. White space before a final semicolon is removed.
	SQL string `json:"sql"`
	// Statements is SQL split into single statements, for drivers that execute one statement at a
	// time. Comments between statements are removed.
	Statements []string `json:"statements"`
	// Checksum identifies the content of the migration. It is the SHA-256, in lower-case
	// hexadecimal, of the statements, each followed by ";\n". It does not depend on comments
	// between statements, on line ends, or on outer white space.
	Checksum string `json:"checksum"`
	// Doc are the comment lines directly above or below the block's header.
	Doc []string `json:"doc,omitempty"`
	// Pos is where the block begins in its file.
	Pos Pos `json:"pos"`
}

// Pos is a position in a source file.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"` // the first line is 1
}

// Enum is a named list of text values.
type Enum struct {
	// Ref identifies the enum: Type.Ref refers to it. It is unique among enums.
	Ref string `json:"ref"`
	// Name is the name of the generated type.
	Name Name `json:"name"`
	// Native is the engine's type, quoted and qualified if necessary, such as `task_status`,
	// `app."Mood"`. It is empty for an anonymous enum of DuckDB.
	Native string `json:"native,omitempty"`
	// Values are the labels in the engine's order. A live database may have more labels, so
	// generated code must be able to handle an unknown label.
	Values []EnumValue `json:"values"`
	Doc    []string    `json:"doc,omitempty"`
}

// EnumValue is one label of an enum.
type EnumValue struct {
	// Value is the label as the engine spells it. It can be any text, including "".
	Value string `json:"value"`
	// Name is the name of the generated constant. Its words are unique within the enum. Its
	// Original is Value.
	Name Name `json:"name"`
}

// Struct is a nested value with named fields: a STRUCT of DuckDB, or a composite type of
// PostgreSQL. Structs with the same shape share one entry.
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
	// Unnamed means that the field has no name in the engine, like those of DuckDB's row(...). Name
	// is then f1, f2 and so on.
	Unnamed bool `json:"unnamed,omitempty"`
}

// Row is a row type: the result of a query, or the parameter of a bulk method.
type Row struct {
	// Ref identifies the row type: Query.Row and the row fields of Table refer to it.
	Ref string `json:"ref"`
	// Name is the name of the generated type. It is one of: the name from `:result=`, which several
	// queries may share; the query's name followed by "result"; the table's name followed by the
	// purpose of the row.
	Name Name `json:"name"`
	// Explicit means that the user chose the name with `:result=`.
	Explicit bool `json:"explicit,omitempty"`
	// Columns are the columns in order. No two of them have a name with the same words.
	Columns []Column `json:"columns"`
}

// Column is one column of a query's result or of a row type.
type Column struct {
	// Name.Original is the exact name of the column in the result set. Drivers that return rows as
	// objects use it as the key.
	Name Name `json:"name"`
	Type Type `json:"type"`
	// Nullable is false only if the value can never be NULL.
	Nullable bool `json:"nullable"`
	// Origin is the table column that returns its value unchanged in this column. It is nil for
	// expressions, and if the engine does not report it. The columns of a Row have no Origin,
	// because queries that share a row may have different origins.
	Origin *Origin `json:"origin,omitempty"`
}

// Origin names a column of a table or view.
type Origin struct {
	Schema string `json:"schema,omitempty"`
	Table  string `json:"table"`
	Column string `json:"column"`
}

// Verb is the kind of method that a query becomes.
type Verb string

// The verbs.
const (
	// VerbQuery means that the method returns rows.
	VerbQuery Verb = "query"
	// VerbExec means that the method returns the number of affected rows.
	VerbExec Verb = "exec"
)

// Cardinality is how many rows the method returns.
type Cardinality string

// These are the cardinalities of a query with VerbQuery.
const (
	// One means that the method returns the first row, or what means "none" in the language if
	// there is no row.
	One Cardinality = "one"
	// All means that the method returns every row, in the order in which the engine returns them.
	All Cardinality = "all"
)

// Statement is the class of an SQL statement, such as SELECT or INSERT.
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
	// Cardinality is only set for VerbQuery.
	Cardinality Cardinality `json:"cardinality,omitempty"`
	// Pluck means that the query has one column, and that its method returns values of that column
	// and not rows. Row is empty then.
	Pluck bool `json:"pluck,omitempty"`
	// Batch is only set for VerbExec. It means that a second method is generated, which runs the
	// statement once for each element of a stream of parameter sets.
	Batch bool `json:"batch,omitempty"`
	// Statement is the class of the statement. A VerbQuery may be an INSERT, UPDATE or DELETE with
	// RETURNING. Then it must be run to its end.
	Statement Statement `json:"statement"`
	// ReadOnly means that the statement changes nothing in the database.
	ReadOnly bool `json:"read_only"`
	// Doc has the lines of the method's doc comment, without comment markers and without trailing
	// white space. An empty line separates paragraphs.
	Doc []string `json:"doc,omitempty"`
	// Segments are the SQL text in order, without a final semicolon.
	Segments []Segment `json:"segments"`
	// Params are the method's parameters, in the order of `@set`. Every parameter is used by at
	// least one segment.
	Params []Param `json:"params,omitempty"`
	// Columns are the columns of the result. It is empty for VerbExec.
	Columns []Column `json:"columns,omitempty"`
	// Row refers to the row type in Module.Rows. It has the same columns as Columns, but no Origin.
	// Row is empty for VerbExec, and if Pluck is set.
	Row string `json:"row,omitempty"`
	// Source is the attached database to which the block belongs, or empty.
	Source string `json:"source,omitempty"`
	Pos    Pos    `json:"pos"`
}

// SegmentKind is the kind of a piece of SQL text.
type SegmentKind string

// The kinds of segment.
const (
	// Code is SQL that is not inside of quotes or comments. Characters that have a meaning for a
	// driver (`?` in JDBC, `%` in psycopg) must be escaped.
	Code SegmentKind = "code"
	// Quoted is one string literal, quoted identifier, dollar-quoted string or comment, including
	// its delimiters. A driver that does not recognise quotes (psycopg's `%`) needs escaping here
	// too.
	Quoted SegmentKind = "quoted"
	// ParamRef is a place where parameter Query.Params[Segment.Param] is used.
	ParamRef SegmentKind = "param"
)

// Segment is a piece of the SQL text of a query. Joined in order, with a placeholder for each
// parameter, the segments are the statement.
type Segment struct {
	Kind SegmentKind `json:"kind"`
	// Text is set for Code and Quoted. It is never empty.
	Text string `json:"text,omitempty"`
	// Param is the index in Query.Params. It is only set for ParamRef.
	Param int `json:"param,omitempty"`
	// Cast is only set for ParamRef. It means that the engine cannot infer the type of this
	// occurrence alone. If each occurrence has its own placeholder, generated code must write
	// CAST(<placeholder> AS <Param.Type.Native>). With numbered or named placeholders, occurrences
	// share one type (`$1` twice), and the cast is not needed.
	Cast bool `json:"cast,omitempty"`
}

// Param is a parameter of a query.
type Param struct {
	Name Name `json:"name"`
	// Type is the type of the argument. For an IN list it is a list.
	Type Type `json:"type"`
	// Nullable is true if the user's sample is null (`@set x = null`). If it is false, generated
	// code must refuse null, because the nullability of a result column may depend on it
	// (`coalesce(email, ${default})`).
	Nullable bool `json:"nullable"`
	// In means that the user wrote `IN (${p})`. The segments are already rewritten, so that one
	// placeholder takes a whole list of any length, including the empty list. Binding says how the
	// list is bound.
	In bool `json:"in,omitempty"`
	// Binding is how the value is bound.
	Binding Binding `json:"binding"`
}

// Binding is how a parameter's value is passed to the driver.
type Binding string

// The bindings.
const (
	// BindValue binds the value with the parameter's type. For an IN list on PostgreSQL and DuckDB,
	// that is one array.
	BindValue Binding = "value"
	// BindJSON binds a list as the text of a JSON array. It is used for an IN list on SQLite, whose
	// segments are `IN (SELECT value FROM json_each(?))`. The elements are:
	//   - null
	//   - 0 and 1 for booleans
	//   - JSON numbers with all digits for integers and floats
	//   - for all other types, a JSON string with the text that would be bound for a single value
	BindJSON Binding = "json"
	// BindNumber is for SQLite. The driver's code may bind an integer as an integer or as a
	// floating point number, whichever is cheaper, because the value is only compared or used in a
	// LIMIT.
	BindNumber Binding = "number"
)
