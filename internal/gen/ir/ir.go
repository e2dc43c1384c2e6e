// Package ir defines a Module, the stable intermediate representation between the analysis of SQL
// and the code generators of `scoter generate`.
//
// The analysis (packages gen/sqlfile and gen/analyze/...) turns the SQL files of one `sql` entry of
// the configuration into Modules: one for all files, or one for each file. A generator
// (gen/lang/...) is a pure function from a Module and a Target to files. It asks no database, reads
// no file, and decides nothing about SQL. Everything that needs an engine or an SQL tokenizer is
// already decided in the Module. Nothing in a Module is specific to one language.
//
// A Module can be converted to JSON and back without loss. `scoter verify` also compares this JSON
// with the JSON of a live database.
//
// Compatibility: within one FormatVersion, a field is never removed, and its meaning never changes.
// A reader ignores fields that it does not know.
package ir

// FormatVersion is the version of the representation of modules as JSON.
//
//	1: the first.
const FormatVersion = 1

// Engine is the database for which the SQL of a module is written.
type Engine string

// These are the database engines for which code can be generated.
const (
	SQLite   Engine = "sqlite"
	DuckDB   Engine = "duckdb"
	Postgres Engine = "postgres"
	// Scoter is a Scoter server. It uses DuckDB's SQL dialect and types. Its drivers reach it over
	// the network.
	Scoter Engine = "scoter"
)

// Module is the input for one file or package of generated code: queries, tables, migrations and
// the types that they use. They come from all SQL files of one `sql` entry of the configuration, or
// from only one of these files (see config.Entry.Units). Generators treat both cases alike. All
// files of an entry share one database schema. Slices are in the order of the SQL files unless a
// field's comment says otherwise. The content of a Module never depends on the order of a Go map or
// on the time.
type Module struct {
	// FormatVersion is the version of the representation in which this module was written: the
	// value that the constant FormatVersion had.
	FormatVersion int `json:"format_version"`
	// Project is the project's name, from `name` in the configuration. It is stored unchanged in
	// the column `project` of the migration table.
	Project string `json:"project"`
	// Engine is the database for which the module's SQL is written.
	Engine Engine `json:"engine"`
	// EngineVersion is the version of the database engine that ran the analysis, such as "3.53.3",
	// "v1.5.6" or "18.3". It is used only in comments and diagnostics.
	EngineVersion string `json:"engine_version,omitempty"`
	// Files are the names of this module's SQL files, as the configuration has them.
	Files []string `json:"files"`
	// Sources are the databases that the application must attach before it uses the module.
	Sources []Source `json:"sources,omitempty"`
	// Migrations are the MIGRATE blocks, in the order in which they must be applied.
	Migrations []Migration `json:"migrations,omitempty"`
	// Enums are all enums that occur as a type in the module, sorted by Ref, their identifier.
	Enums []Enum `json:"enums,omitempty"`
	// Structs are all structs that occur as a type in the module, sorted by Ref, their identifier.
	Structs []Struct `json:"structs,omitempty"`
	// Rows are all row types of the module, sorted by Ref, their identifier. Row types, enums and
	// structs all have different names in Pascal case.
	Rows []Row `json:"rows,omitempty"`
	// Queries are the QUERY and EXEC blocks of the SQL files. No two of their names are the same
	// for Name.Same, which takes user_id and userId as the same.
	Queries []Query `json:"queries,omitempty"`
	// Tables are the TABLE and WRITE blocks of the SQL files. No two of their names are the same
	// for Name.Same, which takes user_id and userId as the same.
	Tables []Table `json:"tables,omitempty"`
}

// Source is a PostgreSQL database that the application attaches to DuckDB under the name Name.
// Generators write a helper `attach<Name>(dsn)` that executes ATTACH '<dsn>' AS <SQLName> (TYPE
// postgres). Sources that are files are not listed in a module, because their paths are already in
// the SQL.
type Source struct {
	Name Name `json:"name"`
	// SQLName is the name of the attached database, quoted for DuckDB.
	SQLName string `json:"sql_name"`
	// Type is the kind of database. It is always "postgres", the only kind that can be attached.
	Type string `json:"type"`
}

// Migration is one MIGRATE block of an SQL file: statements that change the schema once.
type Migration struct {
	// ID is the name of the migration's block. It is stored in the column `migration_id` of the
	// migration table.
	ID string `json:"id"`
	// SQL is the text of the MIGRATE block. White space before a final semicolon is removed.
	SQL string `json:"sql"`
	// Statements are the migration's SQL, split into single statements, for drivers that execute
	// one statement at a time. Comments between statements are removed.
	Statements []string `json:"statements"`
	// Checksum identifies the content of the migration. It is the SHA-256, in lower-case
	// hexadecimal, of the statements, each followed by ";\n". It does not depend on comments
	// between statements, on line ends, or on outer white space.
	Checksum string `json:"checksum"`
	// Doc has the comment lines directly above or below the migration's header.
	Doc []string `json:"doc,omitempty"`
	// Pos is the position at which the migration's block begins in its file.
	Pos Pos `json:"pos"`
}

// Pos is a position in an SQL file.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"` // Line is counted from 1.
}

// Enum is a type whose values are a fixed list of texts, the labels.
type Enum struct {
	// Ref identifies the enum: a Type of this enum has the same Ref. It is unique among the enums
	// of a module.
	Ref string `json:"ref"`
	// Name is the name of the generated enum type.
	Name Name `json:"name"`
	// Native is the enum's type name in the database, quoted and qualified if necessary, such as
	// `task_status` or `app."Mood"`. It is empty for an enum of DuckDB without a name.
	Native string `json:"native,omitempty"`
	// Values are the labels of the enum, in the order that the engine gives them. A live database
	// may have more labels, so generated code must be able to handle an unknown label.
	Values []EnumValue `json:"values"`
	Doc    []string    `json:"doc,omitempty"`
}

// EnumValue is one label of an enum, and the name that it has in generated code.
type EnumValue struct {
	// Value is the label as the database spells it. It can be any text, including "".
	Value string `json:"value"`
	// Name is the name of the generated constant for the label. No two labels of an enum have names
	// that are the same for Name.Same. Name.Original is the label itself.
	Name Name `json:"name"`
}

// Struct is a type with named fields for nested values: a STRUCT of DuckDB, or a composite type of
// PostgreSQL. Structs with the same shape share one entry of a module.
type Struct struct {
	Ref    string  `json:"ref"`
	Name   Name    `json:"name"`
	Native string  `json:"native"`
	Fields []Field `json:"fields"`
}

// Field is one field of a struct. Generated code reads the fields by position, not by name.
type Field struct {
	Name     Name `json:"name"`
	Type     Type `json:"type"`
	Nullable bool `json:"nullable"`
	// Unnamed means that the field has no name in the database, like the fields of DuckDB's
	// row(...). Its Name is then f1, f2 and so on.
	Unnamed bool `json:"unnamed,omitempty"`
}

// Row is a row type in generated code. It is the type of a query's result rows, or of the rows that
// a bulk method takes.
type Row struct {
	// Ref identifies the row type in the module. Queries and tables refer to it by this text.
	Ref string `json:"ref"`
	// Name is the name of the generated row type. It is one of:
	//   - the name that the user wrote with `:result=`, which several queries may share
	//   - the query's name followed by "result"
	//   - the table's name followed by the purpose of the row
	Name Name `json:"name"`
	// Explicit means that the user chose the name of the row type, with `:result=`.
	Explicit bool `json:"explicit,omitempty"`
	// Columns are the columns of the row type in order. No two of their names are the same for
	// Name.Same, which takes user_id and userId as the same.
	Columns []Column `json:"columns"`
}

// Column is one column of a query's result, or of a row type.
type Column struct {
	// Name is the column's name. Name.Original is its exact name in the result set, which drivers
	// use as the key if they return rows as objects.
	Name Name `json:"name"`
	Type Type `json:"type"`
	// Nullable says whether a value of the column may be NULL. It is false only if that is
	// impossible.
	Nullable bool `json:"nullable"`
	// Origin is the table column whose values this column returns unchanged. It is nil for
	// expressions, and if the engine does not say where a column comes from. The columns of a Row
	// have no Origin, because queries that share a row type may have different origins.
	Origin *Origin `json:"origin,omitempty"`
}

// Origin identifies a column of a table or view in the database.
type Origin struct {
	Schema string `json:"schema,omitempty"`
	Table  string `json:"table"`
	Column string `json:"column"`
}

// Verb says what kind of method a query becomes: one that returns rows, or one that does not.
type Verb string

// These are the kinds of methods that queries become.
const (
	// VerbQuery means that the generated method returns rows.
	VerbQuery Verb = "query"
	// VerbExec means that the generated method returns the number of affected rows.
	VerbExec Verb = "exec"
)

// Cardinality is how many rows the method of a query returns.
type Cardinality string

// These are the cardinalities of a query whose method returns rows.
const (
	// One means that the generated method returns the first row. If there is no row, it returns
	// what means "none" in the language, such as null.
	One Cardinality = "one"
	// All means that the generated method returns every row, in the order of the engine.
	All Cardinality = "all"
)

// Statement is the class of an SQL statement, such as SELECT or INSERT.
type Statement string

// These are the classes of SQL statements.
const (
	StatementSelect Statement = "select"
	StatementInsert Statement = "insert"
	StatementUpdate Statement = "update"
	StatementDelete Statement = "delete"
	StatementMerge  Statement = "merge"
	StatementDDL    Statement = "ddl"
	StatementOther  Statement = "other"
)

// Query is one QUERY or EXEC block of an SQL file. It becomes a method.
type Query struct {
	Name Name `json:"name"`
	Verb Verb `json:"verb"`
	// Cardinality says how many rows the method returns. It is set only if Verb is VerbQuery.
	Cardinality Cardinality `json:"cardinality,omitempty"`
	// Pluck means that the query has one column, and that its method returns the values of this
	// column in place of rows. The field Row is empty then.
	Pluck bool `json:"pluck,omitempty"`
	// Batch means that a second method is generated. It runs the statement once for each element of
	// a stream of parameter sets. Batch is set only if Verb is VerbExec.
	Batch bool `json:"batch,omitempty"`
	// Statement is the class of the SQL statement. A query that returns rows may also be an INSERT,
	// UPDATE or DELETE with RETURNING. Such a statement must be run to its end, even if the caller
	// wants only one row.
	Statement Statement `json:"statement"`
	// ReadOnly means that the statement changes nothing in the database.
	ReadOnly bool `json:"read_only"`
	// Doc has the lines of the generated method's doc comment, without comment markers and trailing
	// white space. An empty line separates paragraphs.
	Doc []string `json:"doc,omitempty"`
	// Segments are the SQL text of the query, divided into code, quoted texts and parameters, in
	// order. There is no final semicolon.
	Segments []Segment `json:"segments"`
	// Params are the parameters of the generated method, in the order of the `@set` lines in the
	// block. Every parameter is used by at least one segment.
	Params []Param `json:"params,omitempty"`
	// Columns are the columns of the query's result. The list is empty if the query returns no
	// rows.
	Columns []Column `json:"columns,omitempty"`
	// Row is the Ref of the row type that the method returns. This row type, in Module.Rows, has
	// the same columns as Columns, but without Origin. Row is empty if Verb is VerbExec or Pluck is
	// set.
	Row string `json:"row,omitempty"`
	// Source is the name of the attached database to which the query's block belongs. It is empty
	// if there is none.
	Source string `json:"source,omitempty"`
	Pos    Pos    `json:"pos"`
}

// SegmentKind is the kind of a piece of SQL text: code, quoted text, or a parameter.
type SegmentKind string

// These are the kinds of pieces of SQL text.
const (
	// Code is a piece of SQL outside of quotes and comments. Characters in it that have a meaning
	// for a driver (`?` in JDBC, `%` in psycopg) must be escaped.
	Code SegmentKind = "code"
	// Quoted is a piece of SQL that is one string literal, quoted identifier, dollar-quoted string
	// or comment, with its delimiters. A driver that does not recognise quotes (psycopg's `%`)
	// needs escaping here too.
	Quoted SegmentKind = "quoted"
	// ParamRef is a place in the SQL at which a parameter is used: Query.Params[Segment.Param].
	ParamRef SegmentKind = "param"
)

// Segment is a piece of the SQL text of a query. The statement is all its segments joined in order,
// with a placeholder for each parameter.
type Segment struct {
	Kind SegmentKind `json:"kind"`
	// Text is the SQL text of the segment, if its kind is Code or Quoted. It is never empty then.
	Text string `json:"text,omitempty"`
	// Param says which parameter is used here, by its index in Query.Params. It is set only if the
	// segment's kind is ParamRef.
	Param int `json:"param,omitempty"`
	// Cast means that the engine cannot infer the type of the parameter from this occurrence alone.
	// It is set only if the segment's kind is ParamRef. If each occurrence of a parameter has its
	// own placeholder, generated code must write CAST(<placeholder> AS <Param.Type.Native>). With
	// numbered or named placeholders, all occurrences share one type (`$1` twice), and the cast is
	// not needed.
	Cast bool `json:"cast,omitempty"`
}

// Param is a parameter of a query.
type Param struct {
	Name Name `json:"name"`
	// Type is the type of the argument that the generated method takes. For an IN list it is a list
	// type.
	Type Type `json:"type"`
	// Nullable says whether the argument may be null. It is true if the SQL file says so (`@set x =
	// null`, `${x?}`), or if the parameter is only assigned to nullable columns and the
	// configuration turns this rule on. If it is false, generated code must refuse null, because
	// the nullability of a result column may depend on it (`coalesce(email, ${default})`).
	Nullable bool `json:"nullable"`
	// In means that the user wrote `IN (${p})`, so that the parameter p is a list. The segments are
	// already rewritten: one placeholder takes a whole list of any length, including the empty
	// list. Binding says how the list is bound.
	In bool `json:"in,omitempty"`
	// Binding says how the parameter's value is passed to the driver.
	Binding Binding `json:"binding"`
}

// Binding is how a parameter's value is passed to the driver.
type Binding string

// These are the ways to pass a parameter's value to the driver.
const (
	// BindValue passes the value with the parameter's own type. For an IN list on PostgreSQL and
	// DuckDB, that is one array.
	BindValue Binding = "value"
	// BindJSON passes a list as the text of a JSON array. It is used for an IN list on SQLite,
	// whose SQL is `IN (SELECT value FROM json_each(?))`. The elements of the array are:
	//   - null
	//   - 0 and 1 for booleans
	//   - JSON numbers with all digits for integers and floats
	//   - for all other types, a JSON string with the text that would be bound for a single value
	BindJSON Binding = "json"
	// BindNumber passes an integer to SQLite as an integer or as a floating point number, whichever
	// is cheaper for the driver. It is used if the value is only compared, or is the number of a
	// LIMIT.
	BindNumber Binding = "number"
)
