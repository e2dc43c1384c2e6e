// What the C++ files of this package offer to register.cc.
#pragma once

#include "ext.h"

#include "duckdb/main/client_context.hpp"

namespace scoter {

// Throws if the library is not of the version of the headers with which this package is compiled.
void CheckLibrary();

// File systems.
void AddPartFiles(duckdb::ClientContext &context, const scoter_part_functions &functions);
void AddCompressedFiles(duckdb::ClientContext &context);

// Limits. They must be added before there are queries, since entries of a catalog must not change
// while queries run. The first two need a transaction.
void BoundFunctions(duckdb::ClientContext &context);
void BoundCasts(duckdb::ClientContext &context);
void HoldStates(duckdb::ClientContext &context);

// Plans.
void CorrectPlans(duckdb::ClientContext &context);
void AddTopN(duckdb::ClientContext &context);

// Scans. They need a transaction.
void AddPartScan(duckdb::ClientContext &context, const char *name, bool late_materialization,
	scoter_rows *(*find)(uint64_t));
void MarkFallible(duckdb::ClientContext &context);
void AddMemoryScan(
	duckdb::ClientContext &context, const char *name, const scoter_scan_functions &functions);

} // namespace scoter
