package query

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestCachedAnalysesAreBounded(t *testing.T) {
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	conn, cache := connect(t), newAnalyses()
	before := heap()
	for i := range 150 {
		list := strings.Repeat(fmt.Sprintf("%d, ", i), 500)
		if _, err := cache.get(conn, "SELECT * FROM t WHERE a IN ("+list+"0)", false); err != nil {
			t.Fatal(err)
		}
	}
	grown := heap() - before
	t.Logf("%d analyses, %d MB counted, %d MB taken", len(cache.byText), cache.bytes>>20, grown>>20)
	if grown > 2*maxAnalysesBytes {
		t.Errorf("%d MB are kept", grown>>20)
	}
	runtime.KeepAlive(cache)
}
