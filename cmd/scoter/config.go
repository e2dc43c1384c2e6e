package main

import (
	"fmt"

	"github.com/scoterdb/scoter/internal/config"
)

type configCommand struct {
	config.Server `embed:""`
}

func (*configCommand) Help() string {
	return "Prints the settings after the settings file, the environment and flags were applied to the defaults. Sources are left out, because they may contain passwords.\n\nExample: scoter config --write-memory 1GiB > new.toml"
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
