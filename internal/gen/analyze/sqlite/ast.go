package sqlite

// This file has a syntax tree for the analysis of nullability and parameters. It covers all forms
// of SELECT, and changes with RETURNING. SQLite does not give access to its own tree, and no
// library was found that parses its whole dialect. If the parser does not know some syntax, it
// returns an error, and the analysis then says nothing about the statement.

// statement is a query (SELECT), or a change (INSERT, UPDATE or DELETE).
type statement struct {
	with *with
	// sel is the SELECT. It is nil for a change.
	sel *query
	// change is the INSERT, UPDATE or DELETE. It is nil for a query.
	change *change
	// params are all occurrences of parameters, also in subqueries.
	params []*expr
}

type with struct {
	recursive bool
	ctes      []cte
}

type cte struct {
	name    string
	columns []string
	body    *query
}

// query is one SELECT or VALUES (a core), or several that are combined with UNION, INTERSECT or
// EXCEPT.
type query struct {
	with      *with
	cores     []*core
	operators []string // between the cores: UNION, INTERSECT or EXCEPT, without ALL
	limited   bool     // has LIMIT or OFFSET
	// order and limit are the expressions of ORDER BY, and of LIMIT and OFFSET.
	order, limit []*expr
}

// core is one SELECT or VALUES without ORDER BY and LIMIT.
type core struct {
	columns []resultColumn
	from    *source
	where   *expr
	group   []*expr
	having  *expr
	values  [][]*expr
}

type resultColumn struct {
	expr  *expr
	alias string
	// star means that the result column is `*`, or `table.*` if table is set.
	star  bool
	table string
}

// source is an item of FROM: a table, a subquery, or a join of two sources.
type source struct {
	schema, table string
	call          bool // a table function: table(args)
	args          []*expr
	sub           *query
	alias         string
	// left and right are the sides of a join. They are nil for other sources.
	left, right           *source
	nullsLeft, nullsRight bool
	natural               bool
	using                 []string
	on                    *expr
}

// change is an INSERT, UPDATE or DELETE.
type change struct {
	kind          string // INSERT, UPDATE, DELETE
	schema, table string
	alias         string
	columns       []string // the column list of an INSERT, or nil
	rows          *query   // the inserted rows of an INSERT, or nil for DEFAULT VALUES
	sets          []set    // the assignments of an UPDATE, or of DO UPDATE
	from          *source
	where         []*expr
	returning     []resultColumn
}

type set struct {
	columns []string
	value   *expr
}

// exprKind is the kind of an expression.
type exprKind uint8

const (
	literalExpr exprKind = iota // text is the token
	columnExpr                  // names are the parts of the name
	paramExpr                   // param is the index of the parameter, from 0
	unaryExpr                   // text is the operator
	binaryExpr                  // text is the operator in upper case
	callExpr                    // text is the function in lower case
	castExpr                    // text is the type
	// Of a CASE, args are the base, if there is one, and the conditions. The results are in the
	// field results.
	caseExpr
	betweenExpr  // args: value, low, high
	inExpr       // args: value, then elements; sub or table
	nullTestExpr // IS NULL and NOT NULL; text is "NOT" for the latter
	existsExpr
	subqueryExpr
	rowExpr // (a, b)
	likeExpr
)

// expr is one expression.
type expr struct {
	kind  exprKind
	text  string
	names []string
	// quoted means that a column's name has one part, in double quotes. If there is no such column,
	// it is a string.
	quoted bool
	param  int
	args   []*expr
	sub    *query
	// These fields are set for a call. They say that it has the form f(*), a FILTER, an OVER.
	star, filtered, windowed bool
	// results are the result expressions of a CASE. hasElse says that the last one is that of ELSE.
	results []*expr
	hasElse bool
}
