package session

import (
	"github.com/scoterdb/scoter/internal/ddl"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/tx"
	"github.com/scoterdb/scoter/internal/write"
)

// Stores has all that statements need from the engine.
type Stores struct {
	Names      statement.Names
	Namespaces ddl.Namespaces
	Tables     ddl.Tables
	Views      ddl.Views
	Store      write.Store
	Loads      write.Loads
	Commits    tx.Commits
	Snapshots  tx.Snapshots
	Locks      tx.Locks
	Keys       *keys.Finder
}

// StoresOf returns the stores of an engine.
func StoresOf(e *engine.Engine) Stores {
	return Stores{Names: e, Namespaces: e, Tables: e, Views: e, Store: e, Loads: e, Commits: e, Snapshots: e, Locks: e, Keys: e.Keys()}
}

// Merges rewrites the parts of tables. Package merge implements it.
type Merges interface {
	write.Rewriter
	ddl.Retyper
}
