package harness

import (
	"math/rand/v2"
	"slices"
	"time"
)

// referenceNumbers is how many numbers the reference sorts: more than the caches of a core hold.
const referenceNumbers = 2 << 20

// reference returns how long sorting random numbers takes now, always the same ones, in seconds: the least of three times. What
// a second of a processor is worth depends on who shares its core: figures of two reports compare only as multiples of it.
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
