// Package version says which Scoter this is.
package version

import "runtime/debug"

// number is the version that the next release will have.
const number = "0.1.0"

// DuckDB is the version of DuckDB that is linked in.
const DuckDB = "1.5.6"

// String returns the version, with the commit that it was built from where known.
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return number
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return number + "+" + s.Value[:12]
		}
	}
	return number
}
