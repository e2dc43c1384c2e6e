package ir

// Target is one `gen` entry of the configuration: where and how a Module
// becomes code. It is resolved: defaults are filled in, short forms expanded.
type Target struct {
	// Generator is the full id, such as "typescript/sqlite/better-sqlite3".
	Generator string `json:"generator"`
	// Language, Engine and Driver are its three parts.
	Language string `json:"language"`
	Engine   Engine `json:"engine"`
	Driver   string `json:"driver"`
	// Output is the path as the configuration gives it: a folder when it ends
	// with "/", otherwise the file. Relative to the configuration file.
	Output string `json:"output"`
	// Name is the class or module to generate: the configuration's, otherwise
	// the first SQL file's without folder and ".sql". When Output is a folder
	// the backend also derives the file name from it.
	Name   Name         `json:"name"`
	Config TargetConfig `json:"config"`
}

// TargetConfig are the options of a target.
type TargetConfig struct {
	// Package is the package to declare (Java, Go).
	Package string `json:"package,omitempty"`
	// Migrations: generate applyMigrations beside getMigrations.
	Migrations bool `json:"migrations,omitempty"`
	// Observer: generate the observer hook.
	Observer bool `json:"observer,omitempty"`
	// SafeIntegers: 64-bit integers as bigint in TypeScript over SQLite.
	SafeIntegers bool `json:"safe_integers,omitempty"`
	// JSpecify: say by JSpecify's annotations what may be null in Java.
	JSpecify bool `json:"jspecify,omitempty"`
	// SQG: names and types as SQG 0.23 gives them, for an sqg.yaml.
	SQG bool `json:"sqg,omitempty"`
}

// File is one generated file. Backends return files sorted by Path.
type File struct {
	// Path is relative to the configuration file, with forward slashes.
	Path    string `json:"path"`
	Content string `json:"content"`
}
