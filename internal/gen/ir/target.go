package ir

// Target is one element of the `gen` list of the configuration. It says how and where a Module
// becomes code. Defaults are filled in, and short forms are expanded.
type Target struct {
	// Generator is the full id of the code generator, such as "typescript/sqlite/better-sqlite3".
	Generator string `json:"generator"`
	// Language, Engine and Driver are the three parts of the generator's id, such as "typescript",
	// "sqlite" and "better-sqlite3".
	Language string `json:"language"`
	Engine   Engine `json:"engine"`
	Driver   string `json:"driver"`
	// Output is the path of the generated code, relative to the configuration file. It is a folder
	// if it ends with "/", and otherwise a file.
	Output string `json:"output"`
	// Name is the name of the generated class or module. It is the name from the configuration, or
	// else the name of the first SQL file without folder and ".sql". If Output is a folder, the
	// generator also makes the name of the generated file from Name.
	Name   Name         `json:"name"`
	Config TargetConfig `json:"config"`
}

// TargetConfig is the set of options of a target.
type TargetConfig struct {
	// Package is the name of the package that the generated file declares, in Java and Go.
	Package string `json:"package,omitempty"`
	// Migrations means that the method applyMigrations is generated, in addition to getMigrations.
	Migrations bool `json:"migrations,omitempty"`
	// Observer means that generated code calls a hook for each statement, with which applications
	// can log or measure it.
	Observer bool `json:"observer,omitempty"`
	// SafeIntegers means that TypeScript code for SQLite has the type bigint for 64-bit integers.
	SafeIntegers bool `json:"safe_integers,omitempty"`
	// JSpecify means that generated Java code marks values that may be null with the annotations of
	// JSpecify.
	JSpecify bool `json:"jspecify,omitempty"`
	// SQG means that names and types in generated code are the same as with SQG 0.23, the generator
	// that Scoter replaces. It is set if the configuration is an sqg.yaml.
	SQG bool `json:"sqg,omitempty"`
}

// File is one generated file. Generators return files sorted by Path.
type File struct {
	// Path is the path of the generated file, relative to the configuration file, with forward
	// slashes.
	Path    string `json:"path"`
	Content string `json:"content"`
}
