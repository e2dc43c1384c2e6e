package overlay

/*
#include <stdlib.h>
#include "patch.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"
)

var overlays struct {
	sync.Map // uint64 -> *C.scoter_overlay
	last     atomic.Uint64
}

//export scoterFindOverlay
func scoterFindOverlay(id C.uint64_t) *C.scoter_overlay {
	if s, ok := overlays.Load(uint64(id)); ok {
		return s.(*C.scoter_overlay)
	}
	return nil
}
