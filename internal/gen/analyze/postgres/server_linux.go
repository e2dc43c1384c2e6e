package postgres

import "syscall"

// dieWithParent makes the kernel stop the server when this process is killed
// and cannot do so itself.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }
