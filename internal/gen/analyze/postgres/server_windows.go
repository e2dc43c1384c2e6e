package postgres

import "syscall"

func credential(string) (*syscall.SysProcAttr, error) { return &syscall.SysProcAttr{}, nil }
