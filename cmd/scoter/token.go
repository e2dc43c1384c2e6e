package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

type tokenCommand struct {
	Name string `arg:"" help:"Name of the token's user."`
	Role string `help:"Role of the token." enum:"reader,writer,admin" default:"writer"`
}

func (*tokenCommand) Help() string {
	return "The token is printed once; the server keeps its hash only.\nExample: scoter token telegraf --role writer"
}

func (t *tokenCommand) Run() error {
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return err
	}
	token := "sct_" + base64.RawURLEncoding.EncodeToString(secret)
	fmt.Printf("token: %s\n\nAdd to scoter.toml:\n\n[[token]]\nname = %q\nrole = %q\nsha256 = \"%x\"\n", token, t.Name, t.Role, sha256.Sum256([]byte(token)))
	return nil
}
