package sample

import "testing"

// TestRandomIsJavas compares the generated numbers with the output of java.util.Random on OpenJDK.
func TestRandomIsJavas(t *testing.T) {
	r := newJavaRandom(42)
	if v := r.nextLong(); v != -5025562857975149833 {
		t.Errorf("nextLong %d", v)
	}
	r = newJavaRandom(42)
	for i, want := range []int{30, 63, 48, 84, 70} {
		if v := r.nextInt(100); v != want {
			t.Errorf("nextInt %d: %d, want %d", i, v, want)
		}
	}
	r = newJavaRandom(42)
	if v := r.nextDouble(); v != 0.7275636800328681 {
		t.Errorf("nextDouble %v", v)
	}
}

func TestSensorsRepeat(t *testing.T) {
	a, b := NewSensors(), NewSensors()
	one := a.Batch(100)
	defer one.Release()
	first, second := b.Batch(40), b.Batch(60)
	defer first.Release()
	defer second.Release()
	for c := range int(one.NumCols()) {
		for row := range 100 {
			part, at := first, row
			if row >= 40 {
				part, at = second, row-40
			}
			if got, want := part.Column(c).ValueStr(at), one.Column(c).ValueStr(row); got != want {
				t.Fatalf("%s row %d: %s, want %s", one.ColumnName(c), row, got, want)
			}
		}
	}
}
