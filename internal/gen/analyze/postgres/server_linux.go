package postgres

import "syscall"

// dieWithParent makes the kernel stop the PostgreSQL server if this process is killed and so cannot
// stop the server itself.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }
