// Package sqllogic runs files of SQL logic tests in the dialect of DuckDB against a Scoter server:
//
//	make slt SLT_DIR=folder
//
// The files are not part of this repository. DuckDB has some thousands of them in its folder test.
// For each kind of statement, records are counted as passed, refused, wrong or crashed. A record
// that fails after another statement of its file was refused is counted separately, because its
// failure may be a consequence.
package sqllogic
