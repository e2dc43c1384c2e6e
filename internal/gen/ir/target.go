package ir

// Target is one `gen` entry of the configuration. It says how and where a Module becomes code.
// Defaults are filled in, and short forms are expanded.
type Target struct {
	// Generator is the full id, such as "typescript/sqlite/better-sqlite3".
	Generator string `json:"generator"`
	// Language, Engine and Driver are the three parts of Generator.
	Language string `json:"language"`
	Engine   Engine `json:"engine"`
	Driver   string `json:"driver"`
	// Output is the path from the configuration, relative to the configuration file. It is a folder
	// if it ends with "/", and otherwise a file.
	Output string `json:"output"`
	// Name is the name of the generated class or module: the name from the configuration, or the
	// name of the first SQL file without folder and ".sql". If Output is a folder, the generator
	// also derives the file name from it.
	Name   Name         `json:"name"`
	Config TargetConfig `json:"config"`
}

// TargetConfig are the options of a target.
type TargetConfig struct {
	// Package is the package that the generated file declares (Java, Go).
	Package string `json:"package,omitempty"`
	// Migrations means that applyMigrations is generated, in addition to getMigrations.
	Migrations bool `json:"migrations,omitempty"`
	// Observer means that generated code has a hook, which applications can use to observe each
	// statement.
	Observer bool `json:"observer,omitempty"`
	// SafeIntegers means that 64-bit integers of SQLite are bigint in TypeScript.
	SafeIntegers bool `json:"safe_integers,omitempty"`
	// JSpecify means that Java code has JSpecify's annotations for values that may be null.
	JSpecify bool `json:"jspecify,omitempty"`
	// SQG means that names and types are those of SQG 0.23. It is set for an sqg.yaml.
	SQG bool `json:"sqg,omitempty"`
}

// File is one generated file. Generators return files sorted by Path.
type File struct {
	// Path is relative to the configuration file, with forward slashes.
	Path    string `json:"path"`
	Content string `json:"content"`
}
