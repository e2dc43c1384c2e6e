// Adds points at which work on one long list can be interrupted: where DuckDB slices the elements
// of a list, and where it gets an element from its vector. The linker redirects the calls, as in
// planning.cc.
#include "limit_account.hpp"

#ifdef __linux__

// DuckDB's constructor Vector(const Vector &, const SelectionVector &, idx_t)
extern "C" void __real__ZN6duckdb6VectorC1ERKS0_RKNS_15SelectionVectorEm(
	void *self, void *other, void *selection, uint64_t count);
extern "C" void __wrap__ZN6duckdb6VectorC1ERKS0_RKNS_15SelectionVectorEm(
	void *self, void *other, void *selection, uint64_t count) {
	scoter::CheckStatement();
	__real__ZN6duckdb6VectorC1ERKS0_RKNS_15SelectionVectorEm(self, other, selection, count);
}

// DuckDB's method Value Vector::GetValue(idx_t) const. By the ABI of C++ the first argument is the
// address for the result, which the method also returns.
extern "C" void *__real__ZNK6duckdb6Vector8GetValueEm(
	void *result, const void *self, uint64_t index);
extern "C" void *__wrap__ZNK6duckdb6Vector8GetValueEm(
	void *result, const void *self, uint64_t index) {
	scoter::CheckStatement();
	return __real__ZNK6duckdb6Vector8GetValueEm(result, self, index);
}

#endif
