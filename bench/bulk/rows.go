package bulk

// The values of a row depend only on its number and its generation, and use only integer
// arithmetic. So programs in every language make the same rows. An update or upsert writes the
// values of another generation.

// reading is one row, as integers. Checksums are computed from them.
type reading struct{ id, device, at, millidegrees, cents, battery, anomaly, location int64 }

func readingOf(id, generation int64) reading {
	h := (id*2654435761 + generation*97) % 4294967296
	anomaly := int64(0)
	if h%20 == 0 {
		anomaly = 1
	}
	return reading{id, h % 100, 1735689600 + id*10 + generation, 18000 + h%15000, 98000 + h%4000, 20 + h%80, anomaly, h % 10}
}

// expected returns the checksums that a table must have after an operation on n rows. After INSERT
// and UPDATE the table has the rows 0 to n-1. After DELETE it has every fourth row. UPSERT starts
// in the middle of the existing rows.
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
