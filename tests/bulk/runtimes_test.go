package bulk

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/toolchain"
)

// TestPythonRuntimes tests Python's runtimes without generated code.
func TestPythonRuntimes(t *testing.T) {
	t.Parallel()
	python := filepath.Join(toolchain.Python(t), "python")
	here := filepath.Join(toolchain.Root(t), "tests", "bulk", "runtimes")
	env := []string{"PYTHONPATH=" + filepath.Join(toolchain.Root(t), "clients", "python"), "PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1"}
	t.Run("values", func(t *testing.T) { toolchain.Run(t, here, env, python, "values.py") })
	t.Run("http", func(t *testing.T) { toolchain.Run(t, here, env, python, "http_answers.py") })
	t.Run("postgres", func(t *testing.T) {
		url := "postgres://postgres@" + strings.TrimPrefix(postgres(t).Create(t, "py_runtime"), "//")
		toolchain.Run(t, here, append(env, "DATABASE_URL="+url), python, "cursors.py")
	})
}
