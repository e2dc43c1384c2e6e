package base

import "testing"

func TestPathsAreToldRelativeToTheFolder(t *testing.T) {
	for text, want := range map[string]string{
		"open /var/db/parts/1/2.parquet: no":    "open parts/1/2.parquet: no",
		"the disk of /var/db: full":             "the disk of the data directory: full",
		"/var/db":                               "the data directory",
		"/var/db2/x and /var/db/y":              "/var/db2/x and y",
		"rename /var/db/a /var/db/b: read-only": "rename a b: read-only",
		"nothing of it":                         "nothing of it",
	} {
		if got := WithoutFolder(text, "/var/db"); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if got := WithoutFolder("/x", ""); got != "/x" {
		t.Errorf("without a folder: %q", got)
	}
}
