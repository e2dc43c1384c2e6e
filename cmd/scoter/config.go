package main

import (
	"fmt"

	"github.com/scoterdb/scoter/internal/config"
)

type configCommand struct {
	config.Server `embed:""`
}

func (*configCommand) Help() string {
	return "What the environment, the settings file and flags make of the defaults; sources are left out, as they may hold passwords.\n\nExample: scoter config --write-memory 1GiB > new.toml"
}

func (s *configCommand) Run(c *commands) error {
	if err := c.complete(&s.Server); err != nil {
		return err
	}
	text, err := s.Print()
	if err != nil {
		return err
	}
	fmt.Print(text)
	return nil
}
