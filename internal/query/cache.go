package query

import (
	"sync"

	"github.com/scoterdb/scoter/internal/duck"
)

// keptAnalyses bounds the bytes of the analyzed statements that are kept. When there are more the cache starts anew:
// statements that come often are back at once. A statement that alone would take a sixteenth is analyzed every time.
const (
	keptAnalyses    = 32 << 20
	longestAnalysis = keptAnalyses / 16
)

type analysisKey struct {
	text      string
	readFiles bool
}

type analyses struct {
	mu     sync.Mutex
	byText map[analysisKey]*analysis // guarded by mu
	bytes  int                       // of those in byText; guarded by mu
}

func newAnalyses() *analyses { return &analyses{byText: map[analysisKey]*analysis{}} }

func (c *analyses) get(conn *duck.Conn, text string, readFiles bool) (*analysis, error) {
	key := analysisKey{text, readFiles}
	c.mu.Lock()
	a, ok := c.byText[key]
	c.mu.Unlock()
	if ok {
		return a, nil
	}
	a, err := analyze(conn, text, readFiles)
	if err != nil {
		return nil, err
	}
	size := a.size()
	if size > longestAnalysis {
		return a, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byText[key] != nil {
		return a, nil // two came at once
	}
	if c.bytes+size > keptAnalyses {
		clear(c.byText)
		c.bytes = 0
	}
	c.byText[key] = a
	c.bytes += size
	return a, nil
}

// size is about how many bytes an analysis takes. The constants of its conditions are most of it where they are many: in the syntax tree
// each has maps of its own.
func (a *analysis) size() int {
	const fixed, ofText = 2 << 10, 4 // the names that are kept are cut out of copies of the text
	size := fixed + ofText*len(a.text)
	for i := range a.tables {
		for _, c := range a.tables[i].conditions {
			for _, v := range c.values {
				size += sizeOf(v)
			}
			for _, v := range c.beside {
				size += sizeOf(v)
			}
		}
	}
	return size
}

// sizeOf is size for a part of the syntax tree.
func sizeOf(v any) int {
	const small, ofMap, ofEntry = 32, 320, 48
	switch v := v.(type) {
	case duck.Node:
		size := ofMap
		for _, child := range v {
			size += ofEntry + sizeOf(child)
		}
		return size
	case []any:
		size := small
		for _, child := range v {
			size += sizeOf(child)
		}
		return size
	case string:
		return small + len(v)
	}
	return small
}
