package bulk

// The rows are made of their number alone, by whole numbers, so that every language makes the same.
// An update and an upsert write those of another generation.

// reading is a row as the sums see it.
type reading struct{ id, device, at, millidegrees, cents, battery, anomaly, location int64 }

func readingOf(id, generation int64) reading {
	h := (id*2654435761 + generation*97) % 4294967296
	anomaly := int64(0)
	if h%20 == 0 {
		anomaly = 1
	}
	return reading{id, h % 100, 1735689600 + id*10 + generation, 18000 + h%15000, 98000 + h%4000, 20 + h%80, anomaly, h % 10}
}

// expected are the sums of the table after an operation of so many rows: INSERT and UPDATE have rows
// 0 to n, DELETE leaves every fourth, UPSERT begins in the middle of what is there.
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
