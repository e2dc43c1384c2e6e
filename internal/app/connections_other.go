//go:build !unix

package app

func descriptors() int { return unlimited }
