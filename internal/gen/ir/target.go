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
	// Package is the declared package (Java, Go).
	Package string `json:"package,omitempty"`
	// Migrations generates applyMigrations in addition to getMigrations.
	Migrations bool `json:"migrations,omitempty"`
	// Observer generates the observer hook.
	Observer bool `json:"observer,omitempty"`
	// SafeIntegers makes 64-bit integers bigint in TypeScript with SQLite.
	SafeIntegers bool `json:"safe_integers,omitempty"`
	// JSpecify adds JSpecify's annotations for nullable values in Java.
	JSpecify bool `json:"jspecify,omitempty"`
	// SQG gives names and types as in SQG 0.23, for an sqg.yaml.
	SQG bool `json:"sqg,omitempty"`
}

// File is one generated file. Generators return files sorted by Path.
type File struct {
	// Path is relative to the configuration file, with forward slashes.
	Path    string `json:"path"`
	Content string `json:"content"`
}
