package stream_test

import (
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/stream"
)

// settingsOf returns a function that parses text, in the form of the settings file, into the
// settings of a server.
func settingsOf(t testing.TB, text string) func(*config.Server) {
	return func(s *config.Server) {
		_, err := toml.Decode(text, s)
		must(t, err)
	}
}

func TestSourcesOfTheSettingsFileKeepTheirOffsets(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	dir := t.TempDir()
	text := `[[source]]
name = "events"
kafka = {brokers = "` + c.brokers + `", topic = "events", max_age = "20ms", batch_rows = 1000}
format = {name = "json"}
[[source.table]]
name = "events"
`
	s := newServer(t, dir, settingsOf(t, text))
	c.send("events", 0, []byte(`{"id": 1}`))
	s.eventually("SELECT count(*) FROM events", "1")
	must(t, s.Close())
	s = newServer(t, dir, settingsOf(t, text+`metadata = ["offset"]`))
	c.send("events", 0, []byte(`{"id": 2}`))
	s.eventually("SELECT string_agg(id || coalesce('@' || _offset, ''), ' ' ORDER BY id) FROM events", "1 2@1")
}

func TestWrongSourcesOfTheSettingsFileAreRefused(t *testing.T) {
	for text, why := range map[string]string{
		`name = "x"`: "kafka",
		"name = \"x\"\nkafka = {}\nformat = {}\n[[table]]\nname = \"\"":                  "invalid name",
		"name = \"x\"\ncolor = 1\nkafka = {}\nformat = {}\n[[table]]\nname = \"t\"":      "color",
		"name = \"x\"\nkafka = 7\nformat = {}\n[[table]]\nname = \"t\"":                  "kafka",
		"name = \"x\"\nkafka = {}\nformat = {}\n[[table]]\nname = \"t\"\nview = \"yes\"": "true or false",
	} {
		var values map[string]any
		_, err := toml.Decode(text, &values)
		must(t, err)
		if _, _, err := stream.ParseConfig(values, "d"); err == nil || base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSecretsOfADefinitionAreNotShown checks that Masked hides the secrets in all options that can
// contain one.
func TestSecretsOfADefinitionAreNotShown(t *testing.T) {
	d := stream.Definition{Kafka: map[string]string{"password": "secret"},
		Format: map[string]string{"registry": "http://u:secret@a:8081, https://u:secret/secret@secret@b, u:secret@c", "registry_token": "secret"}}
	shown := d.Masked()
	if got := shown.Format["registry"]; strings.Contains(got, "secret") || !strings.Contains(got, "http://***@a:8081, https://***@b") || !strings.Contains(got, "@c") {
		t.Error(got)
	}
	if shown.Kafka["password"] != "***" || shown.Format["registry_token"] != "***" || d.Kafka["password"] != "secret" {
		t.Error(shown)
	}
}
