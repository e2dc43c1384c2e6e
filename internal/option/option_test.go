package option

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

func TestASecretHasOneSource(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("of the file\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(values map[string]string, want string, refused ...string) {
		t.Helper()
		o := New("KAFKA", values)
		got, err := o.Secret("password")
		if got != want || (err != nil) != (refused != nil) {
			t.Errorf("%v: %q, %v", values, got, err)
			return
		}
		for _, word := range refused {
			if !strings.Contains(err.Error(), word) || base.KindOf(err) != base.Invalid {
				t.Errorf("%v: %v", values, err)
			}
		}
		if err == nil && o.End() != nil {
			t.Errorf("%v: %v", values, o.End())
		}
	}
	f(nil, "")
	f(map[string]string{"password": "p"}, "p")
	f(map[string]string{"password_file": path}, "of the file")
	f(map[string]string{"password": "p", "password_file": path}, "", "KAFKA", "password and password_file")
	f(map[string]string{"password": "", "password_file": path}, "", "password and password_file")
	f(map[string]string{"password_file": path + "x"}, "", "password_file")
	f(map[string]string{"password_file": ""}, "", "password_file")
}

func TestAnOptionWithoutATextIsNotAbsent(t *testing.T) {
	o := New("KAFKA", map[string]string{"tls": ""})
	if _, err := o.TLS("tls"); err != nil || o.End() == nil || !strings.Contains(o.End().Error(), `KAFKA tls = ""`) {
		t.Errorf("%v, %v", err, o.End())
	}
	o = New("WITH", map[string]string{"n": "7"})
	if n, d := Parsed(o, "n", 1, strconv.Atoi), Parsed(o, "after", time.Minute, time.ParseDuration); n != 7 || d != time.Minute || o.End() != nil {
		t.Errorf("%d, %s, %v", n, d, o.End())
	}
}
