package bulk

// This file makes the rows that the benchmark writes. The values of a row depend only on its number
// and its generation: 0 for the first values, and 1 for the values that an update sets. All values
// are computed with integers only. So programs in every language make the same rows.

// reading is one row of the benchmark, with its values as integers. Checksums are computed from
// them.
type reading struct{ id, device, at, millidegrees, cents, battery, anomaly, location int64 }

func readingOf(id, generation int64) reading {
	h := (id*2654435761 + generation*97) % 4294967296
	anomaly := int64(0)
	if h%20 == 0 {
		anomaly = 1
	}
	return reading{id, h % 100, 1735689600 + id*10 + generation, 18000 + h%15000, 98000 + h%4000, 20 + h%80, anomaly, h % 10}
}

// expected returns the checksums that a table must have after an operation on n rows. Before
// UPDATE, DELETE and UPSERT, the table has the rows 0 to n-1. It also has them after INSERT and
// UPDATE. After DELETE it has every fourth of them. UPSERT writes n rows from row n/2 on, so the
// table then has the rows 0 to n+n/2-1.
func expected(operation string, n int) []int64 {
	sums := make([]int64, 8)
	add := func(r reading) {
		m := r.id%997 + 1
		sums[0]++
		for i, v := range []int64{r.device, r.at, r.millidegrees, r.cents, r.battery, r.anomaly, r.location} {
			sums[i+1] += m * v
		}
	}
	rows := int64(n)
	for id := range rows {
		switch {
		case operation == "INSERT", operation == "DELETE" && id%4 == 0, operation == "UPSERT" && id < rows/2:
			add(readingOf(id, 0))
		case operation == "UPDATE", operation == "UPSERT":
			add(readingOf(id, 1))
		}
	}
	if operation == "UPSERT" {
		for id := rows; id < rows/2+rows; id++ {
			add(readingOf(id, 1))
		}
	}
	return sums
}
