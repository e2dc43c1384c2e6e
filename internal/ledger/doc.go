// Package ledger counts the memory of the process in one place. Each use of memory has an account
// with a limit, and the accounts form a tree: memory that is reserved in an account counts in all
// accounts above it too. The limits follow from one setting, memory (see Divide).
//
// # Verbs
//
// Users reserve memory before they allocate it. All verbs count bytes, and users remember how many
// bytes they hold.
//   - Try reserves memory if it is free.
//   - Reserve waits until memory is free. It is for users that hold no memory of the account.
//   - Grow waits too, and is for users that hold memory of the account already. They are served
//     first, because they release memory when they are done.
//   - Charge counts memory that is in use already, even above the limit. Until enough memory is
//     released, Try fails and Reserve waits.
//   - Move counts memory in another account from now on. Transfer does so when it fits there.
//   - Release gives memory back.
//
// # Who may wait for memory, and while it holds what
//
// Callers wait for three accounts only: Bodies and Texts (both below Requests), Streams, and Rows.
//   - Memory of Rows is freed by flushes, and a flush waits for no memory. So a caller may wait for
//     Rows while it holds memory of Requests or Streams.
//   - Nobody may wait for Requests or Streams while it holds memory of Rows, because requests and
//     streams release their memory only after they got memory of Rows.
//   - Nobody may wait for Rows while it holds a snapshot: a flush cannot free rows that a snapshot
//     still reads.
//
// # Caches
//
// Caches use what other accounts leave unused. Limit of a cache account is therefore not constant.
// A cache removes entries when Excess says so: after it has added an entry, and each time that Trim
// is called.
package ledger
