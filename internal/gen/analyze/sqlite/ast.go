package sqlite

// This file has the syntax tree for the analysis of nullability and parameters. It covers SELECT in
// all its forms, and changes with RETURNING. SQLite has no API for its own tree, and no library was
// found that parses its whole dialect. Syntax that the parser does not know is an error, and then
// nothing is claimed about the statement.

// statement is a query or a change.
type statement struct {
	with *with
	// sel is set for a query.
	sel *query
	// change is set for INSERT, UPDATE and DELETE.
	change *change
	// params are all parameters.
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

// query is one core, or several cores combined with UNION, INTERSECT or EXCEPT.
type query struct {
	with      *with
	cores     []*core
	operators []string // upper case, without ALL; one fewer than cores
	limited   bool     // has LIMIT or OFFSET
	// order and limit have the expressions, for their parameters.
	order, limit []*expr
}

// core is one SELECT or VALUES.
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
	// star means `*` or, with table, `table.*`.
	star  bool
	table string
}

// source is a table, a subquery or a join of two.
type source struct {
	schema, table string
	call          bool // table(args)
	args          []*expr
	sub           *query
	alias         string
	// A join has left and right.
	left, right           *source
	nullsLeft, nullsRight bool
	natural               bool
	using                 []string
	on                    *expr
}

// change is INSERT, UPDATE or DELETE.
type change struct {
	kind          string // INSERT, UPDATE, DELETE
	schema, table string
	alias         string
	columns       []string // of an INSERT, or nil
	rows          *query   // of an INSERT, or nil for DEFAULT VALUES
	sets          []set    // of an UPDATE, or of DO UPDATE
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
	literalExpr  exprKind = iota // text has the token
	columnExpr                   // names has the parts
	paramExpr                    // param, which starts at 0
	unaryExpr                    // text is the operator
	binaryExpr                   // text is the operator in upper case
	callExpr                     // text is the function in lower case
	castExpr                     // text is the type
	caseExpr                     // args: [base] then pairs, else
	betweenExpr                  // args: value, low, high
	inExpr                       // args: value, then elements; sub or table
	nullTestExpr                 // IS NULL and NOT NULL; text is "NOT" for the latter
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
	// quoted means that a name of one part is in double quotes: it is a string if there is no such
	// column.
	quoted bool
	param  int
	args   []*expr
	sub    *query
	// of a call:
	star, filtered, windowed bool
	// of a CASE: the result expressions and whether there is an ELSE.
	results []*expr
	hasElse bool
}
