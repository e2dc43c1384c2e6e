package base

import "testing"

func TestNearestFindsTypingMistakesOnly(t *testing.T) {
	kinds := []string{"QUERY", "EXEC", "MIGRATE", "TABLE"}
	for word, want := range map[string]string{"QUREY": "QUERY", "EXCE": "EXEC", "MIGRAET": "MIGRATE", "NOTE": "", "": "", "Q": ""} {
		if got := Nearest(word, kinds); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	if Nearest("oen", []string{"one", "all"}) != "one" {
		t.Error("oen")
	}
}
