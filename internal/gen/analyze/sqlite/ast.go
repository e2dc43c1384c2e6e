package sqlite

// This file has the types of a syntax tree of SQLite's SQL, from which nullability and the types of
// parameters are found. The tree covers all forms of SELECT, and changes with RETURNING. SQLite
// does not give access to its own tree, and no library was found that parses its whole dialect. If
// the parser does not know some syntax, it returns an error, and the analysis then says nothing
// about the statement.

// statement is the syntax tree of a query (SELECT) or a change (INSERT, UPDATE or DELETE).
type statement struct {
	with *with
	// sel is the query if the statement is a SELECT, and otherwise nil.
	sel *query
	// change is the change if the statement is an INSERT, UPDATE or DELETE, and otherwise nil.
	change *change
	// params are all occurrences of parameters in the statement, also in subqueries.
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

// query is a query in the syntax tree. It consists of one or more cores. A core is one SELECT or
// VALUES; several cores are combined with UNION, INTERSECT or EXCEPT.
type query struct {
	with  *with
	cores []*core
	// operators[i] is the operator between core i and the next core: UNION, INTERSECT or EXCEPT.
	// UNION ALL is stored as UNION.
	operators []string
	limited   bool // limited says that the query has a LIMIT or OFFSET.
	// order and limit are the expressions of ORDER BY, and of LIMIT and OFFSET.
	order, limit []*expr
}

// core is one SELECT or VALUES in the syntax tree, without ORDER BY and LIMIT.
type core struct {
	columns []resultColumn
	from    *fromItem
	where   *expr
	group   []*expr
	having  *expr
	values  [][]*expr
}

type resultColumn struct {
	expr  *expr
	alias string
	// star means that this element of the select list is `*`, or `table.*` if the field table is
	// set.
	star  bool
	table string
}

// fromItem is an item of a FROM clause: a table, a subquery, or a join of two sources.
type fromItem struct {
	schema, table string
	call          bool // the item is a call of a table function: table(args)
	args          []*expr
	sub           *query
	alias         string
	// left and right are the two sides of a join. They are nil if the item is not a join.
	left, right           *fromItem
	nullsLeft, nullsRight bool
	natural               bool
	using                 []string
	on                    *expr
}

// change is an INSERT, UPDATE or DELETE in the syntax tree.
type change struct {
	kind          string // kind is INSERT, UPDATE or DELETE.
	schema, table string
	alias         string
	columns       []string // columns are the columns that an INSERT lists, or nil.
	rows          *query   // rows are the rows of an INSERT, or nil for DEFAULT VALUES.
	sets          []set    // sets are the assignments of an UPDATE or of DO UPDATE.
	from          *fromItem
	where         []*expr
	returning     []resultColumn
}

type set struct {
	columns []string
	value   *expr
}

// exprKind is the kind of an expression in the syntax tree. It determines which fields of the
// expression are used.
type exprKind uint8

const (
	literalExpr exprKind = iota // literalExpr is a literal. The field text is its token.
	// columnExpr is a column. The field names has the parts of its name.
	columnExpr
	// paramExpr is a parameter. The field param is its index, counted from 0.
	paramExpr
	// unaryExpr is a unary operator with its operand. The field text is the operator.
	unaryExpr
	// binaryExpr is an operator with two operands. The field text is the operator in upper case.
	binaryExpr
	callExpr // callExpr is a function call. The field text is the function's name in lower case.
	castExpr // castExpr is a cast. The field text is the type.
	// caseExpr is a CASE. args are its base, if there is one, and its conditions. The field results
	// has the result expressions.
	caseExpr
	betweenExpr // betweenExpr is a BETWEEN. args are the value, the lower and the upper limit.
	// inExpr is an IN. args are the value and then the elements of the list. If the list is a
	// subquery or a table, the field sub or table is set in place of the elements.
	inExpr
	nullTestExpr // nullTestExpr is IS NULL or NOT NULL. The field text is "NOT" for the latter.
	existsExpr
	subqueryExpr
	rowExpr // rowExpr is a row of expressions: (a, b).
	likeExpr
)

// expr is one expression in the syntax tree.
type expr struct {
	kind  exprKind
	text  string
	names []string
	// quoted means that a column's name consists of one part, in double quotes. If there is no
	// column with this name, SQLite takes the name as a string.
	quoted bool
	param  int
	args   []*expr
	sub    *query
	// star, filtered and windowed are set for a function call. They say that it has the form f(*),
	// a FILTER clause or an OVER clause.
	star, filtered, windowed bool
	// results are the result expressions of a CASE. hasElse says that the last of them belongs to
	// ELSE.
	results []*expr
	hasElse bool
}
