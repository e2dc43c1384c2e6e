package query

import (
	"sync"

	"github.com/scoterdb/scoter/internal/duck"
)

// maxAnalyses bounds the cache of analyzed statements. When it is full it starts anew:
// statements that come often are back at once.
const (
	maxAnalyses     = 4096
	maxAnalyzedText = 64 << 10 // bytes; longer statements are analyzed every time
)

type analysisKey struct {
	text      string
	readFiles bool
}

type analyses struct {
	mu     sync.Mutex
	byText map[analysisKey]*analysis // guarded by mu
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
	if err != nil || len(text) > maxAnalyzedText {
		return a, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byText) >= maxAnalyses {
		clear(c.byText)
	}
	c.byText[key] = a
	return a, nil
}
