package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// prefix begins the names of all variables that Scoter reads.
const prefix = "SCOTER_"

// elsewhere are the variables that are no settings of a server: of other commands, of generated
// code, and of the repository's tests.
var elsewhere = []string{
	"SCOTER_CONFIG", "SCOTER_URL", "SCOTER_TOKEN", "SCOTER_POSTGRES_URL",
	"SCOTER_CRASH_ROUNDS", "SCOTER_EXPORT_ROUNDS", "SCOTER_KAFKA_ROUNDS", "SCOTER_EXHAUSTIVE", "SCOTER_FLIPS", "SCOTER_EDGES",
	"SCOTER_MODEL_SEED", "SCOTER_MODEL_SEEDS", "SCOTER_ORACLE_MISSED", "SCOTER_ORACLE_QUERIES", "SCOTER_ORACLE_SEED",
	"SCOTER_TEST_HOSTILE", "SCOTER_TEST_PRESSURE", "SCOTER_TEST_SLOW_DIR",
}

// variables are those of the settings, and elsewhere.
var variables = func() (all []string) {
	t := reflect.TypeFor[Server]()
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("env"); name != "" {
			all = append(all, name)
		}
	}
	return append(all, elsewhere...)
}()

// ofKubernetes matches what Kubernetes tells all containers of a namespace about a service whose
// name begins with scoter, and ofKubernetesPort what is that only with an address as its value.
var (
	ofKubernetes     = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)
	ofKubernetesPort = regexp.MustCompile(`_PORT=(tcp|udp|sctp)://`)
)

// CheckEnvironment reports the first variable, of an environment as os.Environ returns it, that has
// the name of a setting and is none: it is misspelled, or of another version, and would be ignored.
func CheckEnvironment(environ []string) error {
	for _, variable := range slices.Sorted(slices.Values(environ)) {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, prefix) || slices.Contains(variables, name) || ofKubernetes.MatchString(name) || ofKubernetesPort.MatchString(variable) {
			continue
		}
		err := base.Errorf(base.Invalid, "the environment variable %s is no setting", name)
		if near := base.Nearest(name, variables); near != "" {
			return err.WithHint("did you mean %s? scoter config prints all settings", near)
		}
		return err.WithHint("scoter config prints all settings: write_memory is SCOTER_WRITE_MEMORY")
	}
	return nil
}
