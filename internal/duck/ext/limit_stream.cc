// Measures chunks that wait for the reader of a result.
//
// DuckDB computes a streamed result in advance until the waiting chunks take streaming_buffer_size.
// But it counts a text only as its 16 bytes in the vector (1.5.6). For a column with texts of 1 KB,
// 40 MiB waited instead of 1 MiB. The linker redirects the function that measures a chunk to the
// function in this file (the flag is in ext.go). Apart from that buffer, only DuckDB's profiler
// calls it.
#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/common/types/vector.hpp"
#include "duckdb/common/types/vector_buffer.hpp"

#ifdef __linux__

namespace {

using namespace duckdb;

// Returns the bytes of the texts of a vector, including those in nested values. It does not include
// the 16 bytes that each text has in the vector. Waiting chunks are copies, so their vectors are
// flat and own their texts.
idx_t TextBytes(Vector &v) {
	if (v.GetVectorType() != VectorType::FLAT_VECTOR) return 0;
	switch (v.GetType().InternalType()) {
	case PhysicalType::VARCHAR: {
		auto buffer = v.GetAuxiliary();
		if (!buffer || buffer->GetBufferType() != VectorBufferType::STRING_BUFFER) return 0;
		return buffer->Cast<VectorStringBuffer>().GetStringAllocator().AllocationSize();
	}
	case PhysicalType::LIST:
		return TextBytes(ListVector::GetEntry(v));
	case PhysicalType::ARRAY:
		return TextBytes(ArrayVector::GetEntry(v));
	case PhysicalType::STRUCT: {
		idx_t bytes = 0;
		for (auto &child : StructVector::GetEntries(v)) bytes += TextBytes(*child);
		return bytes;
	}
	default:
		return 0;
	}
}

} // namespace

// DuckDB's method DataChunk::GetAllocationSize() const
extern "C" idx_t __real__ZNK6duckdb9DataChunk17GetAllocationSizeEv(DataChunk *chunk);
extern "C" idx_t __wrap__ZNK6duckdb9DataChunk17GetAllocationSizeEv(DataChunk *chunk) {
	idx_t bytes = __real__ZNK6duckdb9DataChunk17GetAllocationSizeEv(chunk);
	for (auto &v : chunk->data) bytes += TextBytes(v);
	return bytes;
}

#endif
