package sqlquery

// KeyColumns describes the primary key of a table that a Kafka source fills through a query.
type KeyColumns struct {
	Key     []string // the names of the key's columns
	Version string   // the name of the column with the row's version; empty if there is none
	// Metadata are the columns of messages from which the query may compute the key. It must use
	// the first of them.
	Metadata    []string
	RecordPlace []string // the columns of messages that identify a message, such as its offset
}

// Lineage is a query over Kafka messages in which each row is made of one message. It comes with
// queries that show which message a row is made of.
type Lineage struct {
	// RowsSQL is the query with more columns at the end. These are the columns
	// KeyColumns.RecordPlace of the message from which the row is made. Their names begin with
	// schema.TouchedColumn.
	RowsSQL string
	// KeysSQL is a shorter query than RowsSQL: it has only the columns of the key, and the columns
	// KeyColumns.RecordPlace as in RowsSQL. If the version is computed from the columns
	// KeyColumns.Metadata alone, KeysSQL also has the version.
	KeysSQL string
	// Filters says that columns other than those in KeyColumns.Metadata decide whether a message
	// makes a row of the result.
	Filters bool
}

// SplitAggregate is the result of dividing a query with aggregates into two queries: one computes
// states from some of the rows, and the other merges all states into the result. A view that a
// Kafka source fills works this way.
type SplitAggregate struct {
	// StatesSQL is the query that computes states from some of the rows. Its result is appended to
	// a table of states.
	StatesSQL string
	MergedSQL string // the query over the table of states that returns the result for all rows
	// PreviousMerged is the text of MergedSQL as earlier versions of Scoter wrote it. In that text
	// the count of no rows is NULL instead of 0.
	PreviousMerged string
	// JoinExpressions are SQL expressions, with their aliases, that merge all states of a group
	// into one state. Groups are the quoted names of the columns in GROUP BY. If there is no GROUP
	// BY, all states are one group.
	JoinExpressions []string
	GroupColumns    []string
}
