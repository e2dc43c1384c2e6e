// Package sqllogic runs files of SQL logic tests, in the dialect of DuckDB, against a Scoter server:
//
//	make slt SLT_DIR=folder
//
// The files are not part of this repository: DuckDB has some thousands in its folder test. Each record counts under the kind of its
// statement as passed, refused, wrong or crashed. A record that fails after another statement of its file was refused is counted
// apart: it may follow from that.
package sqllogic
