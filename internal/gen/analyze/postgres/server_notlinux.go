//go:build unix && !linux

package postgres

import "syscall"

// dieWithParent has no counterpart here: a killed process leaves its server.
func dieWithParent(*syscall.SysProcAttr) {}
