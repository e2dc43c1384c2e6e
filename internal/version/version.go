// Package version says which version of Scoter this program is.
package version

import "runtime/debug"

// number is Scoter's version. Between two releases, it is the version of the next one.
const number = "0.1.0"

// DuckDB is the version of DuckDB that is linked in.
const DuckDB = "1.5.6"

// Number returns the version, such as "0.1.0", without the commit.
func Number() string { return number }

// Commit returns the first 12 digits of the commit of this build, or "" if it is unknown.
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

// String returns the version, followed by the commit of the build if it is known.
func String() string {
	if commit := Commit(); commit != "" {
		return number + "+" + commit
	}
	return number
}
