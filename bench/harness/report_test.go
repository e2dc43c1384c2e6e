package harness

import (
	"math"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		want    float64
	}{
		{[]float64{3}, 3},
		{[]float64{1.12, 0.92}, 1.02},
		{[]float64{5, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := Median(c.samples); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Median(%v) = %v, want %v", c.samples, got, c.want)
		}
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("no samples have no median")
	}
}
