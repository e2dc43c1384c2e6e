// The functions of ext.h that add something to a database.
#include "ext.hpp"

#include <cstring>

#include "duckdb/main/connection.hpp"

namespace {

using namespace duckdb;

// Calls an action with the context of a connection, and returns the message of its error.
template <class ACTION> char *Registered(duckdb_connection connection, ACTION action) {
	try {
		action(*reinterpret_cast<Connection *>(connection)->context);
		return nullptr;
	} catch (std::exception &failure) { return strdup(failure.what()); }
}

} // namespace

char *scoter_set_up(duckdb_connection connection, const scoter_part_functions *functions) {
	return Registered(connection, [&](ClientContext &context) {
		scoter::CheckLibrary();
		scoter::AddPartFiles(context, *functions);
		scoter::AddCompressedFiles(context);
		context.RunFunctionInTransaction([&]() {
			scoter::BoundFunctions(context);
			scoter::BoundCasts(context);
		});
		scoter::HoldStates(context);
	});
}

char *scoter_extend_plans(duckdb_connection connection) {
	return Registered(connection, [&](ClientContext &context) {
		scoter::CorrectPlans(context);
		scoter::AddTopN(context);
	});
}

char *scoter_add_part_scan(duckdb_connection connection, const char *name, const char *once,
	scoter_rows *(*find)(uint64_t)) {
	return Registered(connection, [&](ClientContext &context) {
		context.RunFunctionInTransaction([&]() {
			scoter::MarkFallible(context);
			scoter::AddPartScan(context, name, true, find);
			scoter::AddPartScan(context, once, false, find);
		});
	});
}

char *scoter_add_memory_scan(
	duckdb_connection connection, const char *name, const scoter_scan_functions *functions) {
	return Registered(connection, [&](ClientContext &context) {
		context.RunFunctionInTransaction(
			[&]() { scoter::AddMemoryScan(context, name, *functions); });
	});
}
