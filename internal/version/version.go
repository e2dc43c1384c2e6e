// Package version says which Scoter this is.
package version

import "runtime/debug"

// number is the version that the next release will have.
const number = "0.1.0"

// DuckDB is the version of DuckDB that is linked in.
const DuckDB = "1.5.6"

// Number returns the version without the commit.
func Number() string { return number }

// Commit returns the commit that this was built from, its first 12 digits; empty if that is not
// known.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return ""
}

// String returns the version, with the commit that it was built from where known.
func String() string {
	if commit := Commit(); commit != "" {
		return number + "+" + commit
	}
	return number
}
