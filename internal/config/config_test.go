package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

func TestSizes(t *testing.T) {
	f := func(text string, want Bytes, printed string) {
		t.Helper()
		var b Bytes
		if err := b.UnmarshalText([]byte(text)); err != nil || b != want || b.String() != printed {
			t.Errorf("%q: %d %q %v, want %d %q", text, b, b, err, want, printed)
		}
	}
	f("0", 0, "0B")
	f("17", 17, "17B")
	f("64MiB", 64<<20, "64MiB")
	f(" 1.5 GiB ", 3<<29, "1536MiB")
	f("2GB", 2e9, "1953125KiB")
	f("1TiB", 1<<40, "1TiB")
	for _, text := range []string{"", "MiB", "-1", "-1MiB", "NaN", "Inf", "1e30", "9999999TiB", "64 furlongs", "1MiBB"} {
		var b Bytes
		if err := b.UnmarshalText([]byte(text)); base.KindOf(err) != base.Invalid || err == nil {
			t.Errorf("%q is %d, %v", text, b, err)
		}
	}
}

func TestDefaultsAreValidAndPrintedAsTheyAreRead(t *testing.T) {
	s := Default()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	text, err := s.Print()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "scoter.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(path, true)
	if err != nil {
		t.Fatal(err)
	}
	if f.Values["query_timeout"] != (5*time.Minute).String() || f.Values["max_body"] != "64MiB" {
		t.Errorf("%v", f.Values)
	}
	if strings.Count(text, "=") != len(f.Values) {
		t.Errorf("%d settings of\n%s", len(f.Values), text)
	}
}

func TestCertificatesAreReadBeforeTheServerStarts(t *testing.T) {
	s := Default()
	cert, key := pair(t)
	_, other := pair(t)
	f := func(cert, key string, ok bool) {
		t.Helper()
		s.TLSCert, s.TLSKey = cert, key
		if err := s.Check(); (err == nil) != ok || err != nil && base.KindOf(err) != base.Invalid {
			t.Errorf("%v", err)
		}
	}
	f(cert, key, true)
	f(cert, other, false)
	f(cert, "none.pem", false)
	f(key, cert, false)
	f(cert, "", false)
}

func TestNoFileIsNoSettingsUnlessItWasNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.toml")
	if f, err := ReadFile(path, false); err != nil || len(f.Values) != 0 {
		t.Errorf("%v %v", f, err)
	}
	if _, err := ReadFile(path, true); base.KindOf(err) != base.NotFound {
		t.Error(err)
	}
}

func TestOpenServersNeedConsent(t *testing.T) {
	token := []Token{{Name: "a", Role: "admin", SHA256: strings.Repeat("0", 64)}}
	for _, c := range []struct {
		listen   string
		tls      bool
		tokens   []Token
		allow    bool
		contains string
	}{
		{"127.0.0.1:1", false, nil, false, ""},
		{"[::1]:1", false, nil, false, ""},
		{"localhost:1", false, nil, false, ""},
		{"0.0.0.0:1", true, token, false, ""},
		{":1", false, nil, true, ""},
		{":1", false, nil, false, "TLS and without tokens"},
		{"0.0.0.0:1", false, token, false, "without TLS"},
		{"10.0.0.1:1", true, nil, false, "without tokens"},
	} {
		s := Default()
		s.Listen, s.Tokens, s.AllowOpen = c.listen, c.tokens, c.allow
		if c.tls {
			s.TLSCert, s.TLSKey = pair(t)
		}
		err := s.Check()
		if c.contains == "" && err != nil || c.contains != "" && (err == nil || !strings.Contains(err.Error(), c.contains)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// pair makes a certificate and its key.
func pair(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	public, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", public), write("key.pem", "PRIVATE KEY", secret)
}

func FuzzReadFile(f *testing.F) {
	f.Add("listen = \"a\"\n[[token]]\nname = \"x\"")
	f.Add("query_timeout = 5")
	f.Add("a.b = {c = [1]}")
	path := filepath.Join(f.TempDir(), "scoter.toml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFile(path, true); err != nil && base.KindOf(err) != base.Invalid {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func TestSourcesOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scoter.toml")
	text := "[[source]]\nname = \"s\"\nkafka = {brokers = \"b\", topic = \"t\"}\n[[source.table]]\nname = \"t\"\nmetadata = [\"offset\"]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(path, true)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Sources) != 1 || f.Sources[0]["name"] != "s" || f.Sources[0]["kafka"].(map[string]any)["topic"] != "t" || len(f.Sources[0]["table"].([]map[string]any)) != 1 {
		t.Errorf("%v", f.Sources)
	}
}
