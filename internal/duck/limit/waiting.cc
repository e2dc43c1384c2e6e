// Threads that wait for others of the same query.
//
// Several threads build the tree of a window, level by level. If one of them fails, the level is
// never complete, and the other threads of DuckDB 1.5.6 wait for it forever: they check no flag.
// There are two such loops.
//
// One sleeps between its checks. A failure interrupts the query, so the linker redirects the call
// that sleeps to a function here that checks the flag of interruption (see limit.go).
//
// The other one, of aggregates with DISTINCT, yields the processor in a function that must not
// throw. There the linker redirects the aggregator's constructor, so that an aggregator is made
// whose threads build the tree one after the other. After a failure the others fail with the same error.
#include "account.h"

#include <ctime>
#include <exception>
#include <mutex>
#include <unordered_map>

#include "duckdb/common/exception.hpp"
#include "duckdb/function/window/window_distinct_aggregator.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/client_context_state.hpp"

#ifdef __linux__

using namespace duckdb;

extern "C" int __real_nanosleep(const timespec *time, timespec *left);
extern "C" int __wrap_nanosleep(const timespec *time, timespec *left) {
	auto interrupted = scoter::thread.interrupted;
	if (interrupted && interrupted->load(std::memory_order_relaxed)) throw InterruptException();
	return __real_nanosleep(time, left);
}

namespace {

struct Build {
	std::mutex lock;
	std::exception_ptr error;
};

// The builds of a connection's query, by the global states of their aggregators.
class Builds : public ClientContextState {
public:
	shared_ptr<Build> Of(const GlobalSinkState &state) {
		std::lock_guard<std::mutex> guard(lock);
		auto &build = builds[&state];
		if (!build) build = make_shared_ptr<Build>();
		return build;
	}

	void QueryEnd() override {
		std::lock_guard<std::mutex> guard(lock);
		builds.clear();
	}

private:
	std::mutex lock;
	std::unordered_map<const GlobalSinkState *, shared_ptr<Build>> builds;
};

class DistinctAggregator final : public WindowDistinctAggregator {
public:
	using WindowDistinctAggregator::WindowDistinctAggregator;

	void Finalize(ExecutionContext &context, CollectionPtr collection, const FrameStats &stats,
		OperatorSinkInput &sink) override {
		auto builds = context.client.registered_state->GetOrCreate<Builds>("scoter_window_builds");
		auto build = builds->Of(sink.global_state);
		std::lock_guard<std::mutex> guard(build->lock);
		if (build->error) std::rethrow_exception(build->error);
		try {
			WindowDistinctAggregator::Finalize(context, collection, stats, sink);
		} catch (...) {
			build->error = std::current_exception();
			throw;
		}
	}
};

// DuckDB allocates the space that it constructs the aggregator in.
static_assert(sizeof(DistinctAggregator) == sizeof(WindowDistinctAggregator),
	"the aggregator has no room for members");

} // namespace

// WindowDistinctAggregator's constructor.
extern "C" void
__wrap__ZN6duckdb24WindowDistinctAggregatorC1ERKNS_21BoundWindowExpressionERNS_23WindowSharedExpressionsERNS_13ClientContextE(
	void *self, const BoundWindowExpression &expression, WindowSharedExpressions &shared,
	ClientContext &client) {
	new (self) DistinctAggregator(expression, shared, client);
}

#endif
