package harness

import (
	"math/rand/v2"
	"slices"
	"time"
)

// referenceNumbers is how many numbers reference sorts. They do not fit into the caches of a core.
const referenceNumbers = 2 << 20

// reference measures the present speed of the processor: the seconds that it takes to sort fixed
// random numbers, as the minimum of three runs. The speed depends on other load on the same core.
// So the times of two reports are comparable only as multiples of their references.
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
