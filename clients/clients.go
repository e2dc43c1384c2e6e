// Package clients holds the hand-written runtimes that generated code calls,
// one folder per language. The generator writes the files that a target needs
// next to the generated code, so that a program has nothing to install.
package clients

import "embed"

// Files are the sources of all runtimes, by their path in this folder.
//
//go:embed typescript/*.ts java/*.java python/*.py go/scoter_*.go
var Files embed.FS
