// How much disk space queries take that do not fit into memory.
#include "ext.h"

#include "duckdb/common/exception.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/storage/buffer_manager.hpp"

namespace {

duckdb::BufferManager &Buffers(duckdb_connection connection) {
	return duckdb::BufferManager::GetBufferManager(
		*reinterpret_cast<duckdb::Connection *>(connection)->context);
}

} // namespace

int64_t scoter_spilled(duckdb_connection connection) {
	return int64_t(Buffers(connection).GetUsedSwap());
}

void scoter_limit_spilled(duckdb_connection connection, int64_t bytes) {
	auto &buffers = Buffers(connection);
	for (;;) {
		try {
			buffers.SetSwapLimit(duckdb::optional_idx(duckdb::idx_t(bytes)));
			return;
			// More than the limit is in use already, so the limit becomes what is in use. This
			// number may change in the meantime, so the loop tries again.
		} catch (duckdb::OutOfMemoryException &) { bytes = int64_t(buffers.GetUsedSwap()); }
	}
}
