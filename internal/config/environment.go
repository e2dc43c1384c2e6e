package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// prefix is the start of the names of all environment variables that Scoter reads.
const prefix = "SCOTER_"

// elsewhere lists environment variables that begin with SCOTER_ and are not settings of a server.
// They belong to other commands, to generated code, and to the repository's tests.
var elsewhere = []string{
	"SCOTER_CONFIG", "SCOTER_URL", "SCOTER_TOKEN", "SCOTER_POSTGRES_URL",
	"SCOTER_CRASH_ROUNDS", "SCOTER_EXPORT_ROUNDS", "SCOTER_KAFKA_ROUNDS", "SCOTER_EXHAUSTIVE", "SCOTER_FLIPS", "SCOTER_EDGES",
	"SCOTER_MODEL_SEED", "SCOTER_MODEL_SEEDS", "SCOTER_ORACLE_MISSED", "SCOTER_ORACLE_QUERIES", "SCOTER_ORACLE_SEED",
	"SCOTER_TEST_HOSTILE", "SCOTER_TEST_PRESSURE", "SCOTER_TEST_SLOW_DIR",
}

// variables are the names of all valid environment variables: those of settings, and those in the
// list elsewhere, which are for other commands and programs.
var variables = func() (all []string) {
	t := reflect.TypeFor[Server]()
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("env"); name != "" {
			all = append(all, name)
		}
	}
	return append(all, elsewhere...)
}()

// ofKubernetes matches names of environment variables that Kubernetes sets in all containers of a
// namespace, if the namespace has a service whose name begins with scoter. ofKubernetesPort matches
// other such variables together with their values. Only the value, an address, shows that they come
// from Kubernetes.
var (
	ofKubernetes     = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)
	ofKubernetesPort = regexp.MustCompile(`_PORT=(tcp|udp|sctp)://`)
)

// CheckEnvironment returns an error for the first environment variable whose name begins with
// SCOTER_ and is unknown. Such a variable is misspelled or belongs to another version, and would be
// ignored. environ is in the form of os.Environ.
func CheckEnvironment(environ []string) error {
	for _, variable := range slices.Sorted(slices.Values(environ)) {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, prefix) || slices.Contains(variables, name) || ofKubernetes.MatchString(name) || ofKubernetesPort.MatchString(variable) {
			continue
		}
		err := base.Errorf(base.Invalid, "the environment variable %s is not a setting", name)
		if near := base.Nearest(name, variables); near != "" {
			return err.WithHint("did you mean %s? scoter config prints all settings", near)
		}
		return err.WithHint("scoter config prints all settings: write_memory is SCOTER_WRITE_MEMORY")
	}
	return nil
}
