package postgres

import "syscall"

// dieWithParent makes the kernel stop the server if this process is killed and cannot stop it.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }
