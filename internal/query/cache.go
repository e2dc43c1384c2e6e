package query

import (
	"sync"

	"github.com/scoterdb/scoter/internal/duck"
)

// maxAnalysesBytes is the size of the cache of analyzed statements in bytes. When the cache is full
// it is emptied, and frequent statements are soon in it again. maxAnalysisBytes is the maximum size
// of an analysis that is cached, in bytes.
const (
	maxAnalysesBytes = 32 << 20
	maxAnalysisBytes = maxAnalysesBytes / 16
)

type analysisKey struct {
	text      string
	readFiles bool
}

type analyses struct {
	mu     sync.Mutex
	byText map[analysisKey]*analysis // the cached analyses, by statement text; guarded by mu
	bytes  int                       // approximate size of byText in bytes; guarded by mu
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
	if size > maxAnalysisBytes {
		return a, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byText[key] != nil {
		return a, nil // another request with the same text has added it in the meantime
	}
	if c.bytes+size > maxAnalysesBytes {
		clear(c.byText)
		c.bytes = 0
	}
	c.byText[key] = a
	c.bytes += size
	return a, nil
}

// size returns the approximate size of an analysis in bytes. Conditions with many constants need
// most of it, because each constant has maps of its own in the syntax tree.
func (a *analysis) size() int {
	// An analysis is counted as fixed bytes, plus ofText bytes for each byte of its text, because
	// the names in it are parts of copies of the text.
	const fixed, ofText = 2 << 10, 4
	size := fixed + ofText*len(a.text)
	for i := range a.tables {
		for _, c := range a.tables[i].conditions {
			for _, v := range c.values {
				size += sizeOf(v)
			}
			for _, v := range c.otherConstants {
				size += sizeOf(v)
			}
		}
	}
	return size
}

// sizeOf returns the approximate size of a part of the syntax tree in bytes.
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
