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
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ledger"
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
	s.Memory = ledger.DefaultMemory // as on a large machine
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

func TestNumbersThatMakeNoSense(t *testing.T) {
	for i := range reflect.TypeFor[Server]().NumField() {
		s := Default()
		f, v := reflect.TypeFor[Server]().Field(i), reflect.ValueOf(&s).Elem().Field(i)
		if !v.CanInt() {
			continue
		}
		v.SetInt(-1)
		if err := s.Check(); err == nil || base.KindOf(err) != base.Invalid || !strings.HasPrefix(err.Error(), f.Tag.Get("toml")+" = -1") {
			t.Errorf("%s = -1: %v", f.Name, err)
		}
	}
	f := func(name string, set func(*Server), ok bool) {
		t.Helper()
		s := Default()
		set(&s)
		if err := s.Check(); (err == nil) != ok || err != nil && !strings.HasPrefix(err.Error(), name+" = 0") {
			t.Errorf("%s: %v", name, err)
		}
	}
	f("max_queries", func(s *Server) { s.MaxQueries = 0 }, false)
	f("query_timeout", func(s *Server) { s.QueryTimeout = 0 }, false)
	f("flush_bytes", func(s *Server) { s.FlushBytes = 0 }, false)
	f("flush_age", func(s *Server) { s.FlushAge = 0 }, false)
	f("sync_interval", func(s *Server) { s.SyncInterval = 0 }, false)
	f("result_space", func(s *Server) { s.ResultSpace = 0 }, false)
	f("", func(s *Server) {
		s.QueryThreads, s.MergeParallel, s.SlowQuery, s.ShutdownGrace, s.SpillSpace = 0, 0, 0, 0, 0
		s.Memory, s.QueryMemory, s.WriteMemory, s.StreamMemory, s.MaxBody = 0, 0, 0, 0, 0
	}, true)
	f("", func(s *Server) {
		s.FlushAge, s.FlushBytes, s.WriteMemory, s.MaxBody = time.Millisecond, 1<<10, 1<<20, 1<<18
	}, true)
}

func TestCheckShowsWhatTakesEffect(t *testing.T) {
	s := Default()
	s.WriteMemory, s.MaxBody = 64<<20, 8<<20
	if err := s.Check(); err != nil || s.FlushBytes != 16<<20 {
		t.Errorf("flush_bytes = %s, %v", s.FlushBytes, err)
	}
}

// TestSettingsFollowFromMemory checks the limits for a given memory, and the settings that depend
// on it.
func TestSettingsFollowFromMemory(t *testing.T) {
	s := Default()
	s.Memory = 1 << 30
	first, err := s.DivideMemory()
	if err != nil || first.Memory != 1<<30 || s.MaxBody != Bytes(first.Rows/4) || s.FlushBytes != Bytes(first.Rows/4) || s.Check() != nil {
		t.Errorf("%+v, max_body %s, flush_bytes %s, %v", first, s.MaxBody, s.FlushBytes, err)
	}
	s = Default()
	s.WriteMemory, s.StreamMemory = 16<<20, 8<<20
	first, err = s.DivideMemory()
	if err != nil || first.Rows != 16<<20 || first.Streams != 8<<20 || s.Memory != Bytes(first.Memory) || s.MaxBody != 4<<20 {
		t.Errorf("%+v, memory %s, max_body %s, %v", first, s.Memory, s.MaxBody, err)
	}
	again, err := s.DivideMemory()
	if difference := again.Queries - first.Queries; err != nil || again.Rows != first.Rows || max(difference, -difference) > 100 {
		t.Errorf("the second time: %+v, first %+v, %v", again, first, err)
	}
	s = Default()
	s.Memory, s.QueryMemory = 1<<30, 1<<30
	if err := s.Check(); base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "query_memory") {
		t.Errorf("query_memory does not fit: %v", err)
	}
}

func TestTheEnvironmentChangesNoDefaults(t *testing.T) {
	want := Default()
	t.Setenv("SCOTER_MAX_QUERIES", "7")
	if s, err := FromEnvironment(); err != nil || s.MaxQueries != 7 || s.QueryMemory != want.QueryMemory {
		t.Errorf("%d queries, %v", s.MaxQueries, err)
	}
	for _, bad := range []string{"many", "0", ""} {
		t.Setenv("SCOTER_MAX_QUERIES", bad)
		if s := Default(); !reflect.DeepEqual(s, want) {
			t.Errorf("%q: %+v", bad, s)
		}
		if _, err := FromEnvironment(); err == nil || base.KindOf(err) != base.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestNamesOfSettingsAreExact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scoter.toml")
	for text, want := range map[string]string{
		"dir = \"d\"\nWrite_Memory = \"1GiB\"":                       ":2: unknown setting Write_Memory",
		"DIR = \"d\"":                                                ":1: unknown setting DIR",
		"dir = \"d\"\nDir = \"e\"":                                   ":2: unknown setting Dir",
		"[[Source]]\nname = \"s\"":                                   ":1: unknown setting Source",
		"Token = [{name = \"a\", role = \"reader\", sha256 = \"\"}]": ":1: unknown setting Token",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := ReadFile(path, true); err == nil || base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", text, f.Values, err)
		}
	}
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
	s := Default()
	s.Sources = f.Sources
	if printed, err := s.Print(); err != nil || !strings.Contains(printed, "\n# 1 [[source]] left out") {
		t.Errorf("%v %q", err, printed)
	}
	if len(f.Sources) != 1 || f.Sources[0]["name"] != "s" || f.Sources[0]["kafka"].(map[string]any)["topic"] != "t" || len(f.Sources[0]["table"].([]map[string]any)) != 1 {
		t.Errorf("%v", f.Sources)
	}
}
