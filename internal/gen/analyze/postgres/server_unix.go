//go:build unix

package postgres

import (
	"fmt"
	"os"
	"os/user"
	"syscall"
)

// credential returns the attributes with which the PostgreSQL server's process is started.
// PostgreSQL refuses to run as root. So if this process runs as root, the server runs as another
// user, which then owns the folder. The server has a process group of its own, so that Ctrl-C in
// the terminal does not reach it before this process handles it.
func credential(folder string) (*syscall.SysProcAttr, error) {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(attributes)
	if os.Geteuid() != 0 {
		return attributes, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := number(u.Uid)
		if err != nil {
			return nil, err
		}
		gid, err := number(u.Gid)
		if err != nil {
			return nil, err
		}
		if err := os.Chown(folder, int(uid), int(gid)); err != nil {
			return nil, err
		}
		attributes.Credential = &syscall.Credential{Uid: uid, Gid: gid, NoSetGroups: true}
		return attributes, nil
	}
	return nil, fmt.Errorf("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
}
