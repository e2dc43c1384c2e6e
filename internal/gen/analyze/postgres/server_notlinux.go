//go:build unix && !linux

package postgres

import "syscall"

// dieWithParent does nothing on this system. If this process is killed, its server continues to
// run.
func dieWithParent(*syscall.SysProcAttr) {}
