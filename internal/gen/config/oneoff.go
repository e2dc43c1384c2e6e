package config

import "github.com/scoterdb/scoter/internal/gen/ir"

// OneOff returns a project without a configuration file: one generator, and SQL files whose paths
// are relative to the working folder. It has the settings that `scoter init` writes. The target's
// output is one file.
func OneOff(g Generator, files []string) *Project {
	t := ir.Target{Generator: g.ID(), Language: g.Language, Engine: g.Engine, Driver: g.Driver, Name: fileName(files[0])}
	t.Config.Migrations = true
	switch g.Language {
	case "java":
		t.Output, t.Config.Package = t.Name.Pascal()+".java", "generated"
	case "go":
		// Go leaves files with names such as x_test.go out of builds, so the name is a fixed one.
		t.Output, t.Config.Package = "queries.go", "db"
	default:
		t.Output = t.Name.Snake() + extensions[g.Language][0]
	}
	return &Project{
		Path: files[0], Dir: ".", Version: 1, Name: t.Name.Original,
		Entries:    []Entry{{Files: files, FilesAt: make([]Place, len(files)), Gen: []ir.Target{t}}},
		Signatures: Signatures{NullableParameters: true, QueryRows: true},
	}
}
