package ledger

import "github.com/scoterdb/scoter/internal/base"

// Program is the memory in bytes that the process takes in addition to its accounts: the program
// itself, stacks, Go's runtime, and garbage between two collections.
const Program = 300 << 20

// Least is the least memory of a process in bytes.
const Least = 512 << 20

// Limits are the limits of the accounts in bytes. Their sum and Program are at most Memory.
type Limits struct {
	Memory   int64 // bound of the process
	Rows     int64 // rows and changes that are not in a part; patches may take half of it
	Requests int64 // running requests: bodies, decoded rows, and large texts of SQL
	Streams  int64 // records of Kafka that are not stored
	Work     int64 // merges, sorts, and searches for equal keys
	Caches   int64 // what caches may always take; they may also use what other accounts do not
	Queries  int64 // all memory of DuckDB, including pages that it has freed
	Results  int64 // results on their way to clients
}

// Fixed has the values in bytes of settings that fix the limit of one use of memory. A value is 0
// if its setting is not given.
type Fixed struct {
	Write  int64 // write_memory: Rows. Requests are in proportion to it
	Query  int64 // query_memory: DuckDB's buffers. Queries follow from it
	Stream int64 // stream_memory: Streams
}

// shares of the accounts, in percent of the memory without Program
const (
	rowsShare     = 8
	requestsShare = 4
	streamsShare  = 3
	workShare     = 7
	cachesShare   = 17
	queriesShare  = 60
	resultsShare  = 1
)

// DuckDB may hold overhead bytes in addition to one and a half times the limit of its buffers (see
// package duck). Pages that it has freed, and that are not returned to the system yet, may take a
// quarter of that sum.
const overhead = 64 << 20

func queriesOf(buffers int64) int64 { return (buffers*3/2 + overhead) * 5 / 4 }

// QueryBuffers returns the limit of DuckDB's buffers that belongs to the limit Queries.
func (l Limits) QueryBuffers() int64 { return (l.Queries*4/5 - overhead) * 2 / 3 }

// Divide divides the memory of the process among the accounts. The settings in fixed fix the limits
// of their accounts, and the other accounts share the rest. If the rest is too little, the error
// names the setting that takes the most, and the least memory that would do.
func Divide(memory int64, fixed Fixed) (Limits, error) {
	if memory < Least {
		return Limits{}, base.Errorf(base.Invalid, "memory = %d bytes is too low: the least is %d bytes (512MiB)", memory, int64(Least))
	}
	l := Limits{Memory: memory}
	taken, free := fixed.apply(&l)
	rest := memory - Program - taken
	if least := (Least - Program) * free / 100; rest < least {
		return Limits{}, base.Errorf(base.Invalid, "%s does not fit into memory (%d bytes)", fixed.largest(), memory).
			WithHint("lower it, or set memory to at least %dMiB", (taken+Program+least)>>20+1)
	}
	l.share(rest, free)
	return l, nil
}

// Extend returns the limits of a process for which the setting memory is not given, but some of
// the settings in fixed are. Accounts that these settings do not fix have what they would have
// without them. So Memory of the result may be more or less than the argument memory.
func Extend(memory int64, fixed Fixed) (Limits, error) {
	l, err := Divide(memory, Fixed{})
	if err != nil {
		return Limits{}, err
	}
	fixed.apply(&l)
	l.Memory = Program + l.Rows + l.Requests + l.Streams + l.Work + l.Caches + l.Queries + l.Results
	return l, nil
}

// apply sets the limits that f fixes. It returns their sum, and the sum of the shares of all other
// accounts.
func (f Fixed) apply(l *Limits) (taken, free int64) {
	free = 100
	if f.Write > 0 {
		// Rounded up, so that bodies have half of f.Write.
		l.Rows, l.Requests = f.Write, (f.Write*2+2)/3
		taken, free = taken+l.Rows+l.Requests, free-rowsShare-requestsShare
	}
	if f.Query > 0 {
		l.Queries = queriesOf(f.Query)
		taken, free = taken+l.Queries, free-queriesShare
	}
	if f.Stream > 0 {
		l.Streams = f.Stream
		taken, free = taken+l.Streams, free-streamsShare
	}
	return taken, free
}

// share divides rest among the accounts that have no limit yet. free is the sum of their shares.
func (l *Limits) share(rest, free int64) {
	for _, a := range []struct {
		limit *int64
		share int64
	}{
		{&l.Rows, rowsShare}, {&l.Requests, requestsShare}, {&l.Streams, streamsShare}, {&l.Work, workShare},
		{&l.Caches, cachesShare}, {&l.Queries, queriesShare}, {&l.Results, resultsShare},
	} {
		if *a.limit == 0 {
			*a.limit = rest * a.share / free
		}
	}
}

// largest returns the name of the setting that takes the most memory.
func (f Fixed) largest() string {
	switch most := max(f.Write*5/3, f.Stream, queriesOf(f.Query)); {
	case f.Query > 0 && most == queriesOf(f.Query):
		return "query_memory"
	case most == f.Write*5/3:
		return "write_memory"
	default:
		return "stream_memory"
	}
}
