//go:build unix && !linux

package postgres

import "syscall"

// dieWithParent has no equivalent here: if this process is killed, its server continues to run.
func dieWithParent(*syscall.SysProcAttr) {}
