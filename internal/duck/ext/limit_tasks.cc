// Assigns DuckDB's own threads to accounts.
//
// A query runs in tasks, on the thread that waits for it and on threads of DuckDB's scheduler. When
// a thread begins or ends a task of a connection, DuckDB notifies the objects that are registered
// with the connection, such as the one in this file.
#include "limit_account.hpp"

#include "duckdb/main/client_context.hpp"
#include "duckdb/main/client_context_state.hpp"
#include "duckdb/main/connection.hpp"

namespace {

using scoter::thread;

class Following : public duckdb::ClientContextState {
public:
	explicit Following(scoter_account *account) : account(account) {}

	// A task may run other tasks of the same query inside of it.
	void OnTaskStart(duckdb::ClientContext &context) override {
		if (thread.tasks++ > 0) return;
		thread.before = scoter_account_enter(account);
		thread.interrupted = &context.interrupted;
	}

	void OnTaskStop(duckdb::ClientContext &) override {
		if (--thread.tasks > 0) return;
		thread.interrupted = nullptr;
		scoter_account_leave(thread.before);
	}

private:
	scoter_account *account;
};

} // namespace

void scoter_account_follow(scoter_account *account, duckdb_connection connection) {
	auto &context = *reinterpret_cast<duckdb::Connection *>(connection)->context;
	context.registered_state->Insert("scoter_account", duckdb::make_shared_ptr<Following>(account));
}
