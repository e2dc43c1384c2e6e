package harness

import (
	"math/rand/v2"
	"slices"
	"time"
)

// referenceNumbers is how many numbers the reference sorts. They do not fit into the caches of a
// core.
const referenceNumbers = 2 << 20

// reference returns how long it takes now to sort fixed random numbers, in seconds. It is the
// minimum of three runs. The speed of a processor depends on the other load on its core. So numbers
// of two reports are comparable only as multiples of the reference.
func reference() float64 {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := make([]uint64, referenceNumbers)
	for i := range numbers {
		numbers[i] = random.Uint64()
	}
	least := time.Duration(1<<63 - 1)
	for range 3 {
		work := slices.Clone(numbers)
		start := time.Now()
		slices.Sort(work)
		least = min(least, time.Since(start))
	}
	return least.Seconds()
}
