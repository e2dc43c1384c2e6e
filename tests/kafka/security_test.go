package kafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/bench/stream/broker"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/tests/binary"
)

// authority is a certificate authority.
type authority struct {
	t           *testing.T
	dir, name   string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) *authority {
	a := &authority{t: t, dir: t.TempDir(), name: name}
	a.certificate, a.key = a.make(&x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, name)
	return a
}

// make signs a certificate, and writes NAME.crt and NAME.key, and for Kafka NAME.pem with both.
func (a *authority) make(template *x509.Certificate, name string) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(a.t, err)
	template.SerialNumber, template.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	parent, signer := a.certificate, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	must(a.t, err)
	certificate, err := x509.ParseCertificate(der)
	must(a.t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	must(a.t, err)
	certText := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyText := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	for ending, text := range map[string][]byte{".crt": certText, ".key": keyText, ".pem": append(keyText[:len(keyText):len(keyText)], certText...)} {
		must(a.t, os.WriteFile(a.path(name+ending), text, 0o600))
	}
	return certificate, key
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

// TestSecureBrokers reads from a broker with TLS and certificates on both sides, and with every
// SASL mechanism. Errors of certificates and passwords are shown in scoter.sources, but passwords
// are not.
func TestSecureBrokers(t *testing.T) {
	ca, stranger := newAuthority(t, "authority"), newAuthority(t, "stranger")
	ca.make(&x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, "broker")
	ca.make(&x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, "client")
	const password = "correct-horse-battery"
	k, err := broker.StartSecure(t.Context(), t.TempDir(), broker.Security{Keystore: ca.path("broker.pem"), Truststore: ca.path("authority.crt"),
		Users: map[string]string{"reader": password}})
	if base.KindOf(err) == base.Unavailable && err != nil && k == nil {
		t.Skip("NO KAFKA, TLS AND SASL ARE NOT TESTED:", err)
	}
	if err != nil {
		t.Fatal(err, k.Log())
	}
	t.Cleanup(k.Kill)
	must(t, k.CreateTopic(t.Context(), topic, 1))
	send(t, client(t, k), &kgo.Record{Topic: topic, Value: []byte(`{"id": 1}`)}, &kgo.Record{Topic: topic, Value: []byte(`{"id": 2}`)})
	file := ca.path("password")
	must(t, os.WriteFile(file, []byte(password+"\n"), 0o600))

	s := binary.Serve(t, t.TempDir(), asAdmin(t)...)
	s.Token = token
	trust := fmt.Sprintf("tls = true, tls_ca = '%s'", ca.path("authority.crt"))
	source := func(name, addr, options string) string {
		return fmt.Sprintf("CREATE SOURCE %s FROM KAFKA (brokers = '%s', topic = '%s', %s) FORMAT json INTO TABLE %s", name, addr, topic, options, name)
	}
	identity := fmt.Sprintf(", tls_cert = '%s', tls_key = '%s'", ca.path("client.crt"), ca.path("client.key"))
	run(t, s, source("certificates", k.TLSAddr, trust+identity))
	for _, how := range []string{"plain", "scram-sha-256", "scram-sha-512"} {
		run(t, s, source(strings.ReplaceAll(how, "-", "_"), k.SASLAddr, trust+fmt.Sprintf(", sasl = '%s', user = 'reader', password = '%s'", how, password)))
	}
	run(t, s, source("from_file", k.SASLAddr, trust+fmt.Sprintf(", sasl = 'scram-sha-256', user = 'reader', password_file = '%s'", file)))
	for _, table := range []string{"certificates", "plain", "scram_sha_256", "scram_sha_512", "from_file"} {
		eventually(t, s, "SELECT count(*), sum(id)::BIGINT FROM "+table, "2 3")
	}

	wrong := map[string]string{
		"without_tls":      source("without_tls", k.TLSAddr, "max_age = '1s'"),
		"no_certificate":   source("no_certificate", k.TLSAddr, trust),
		"not_trusted":      source("not_trusted", k.TLSAddr, fmt.Sprintf("tls = true, tls_ca = '%s'", stranger.path("stranger.crt"))+identity),
		"wrong_password":   source("wrong_password", k.SASLAddr, trust+", sasl = 'scram-sha-512', user = 'reader', password = 'wrong-password'"),
		"wrong_plain":      source("wrong_plain", k.SASLAddr, trust+", sasl = 'plain', user = 'reader', password = 'wrong-password'"),
		"unknown_to_kafka": source("unknown_to_kafka", k.SASLAddr, trust+", sasl = 'scram-sha-256', user = 'nobody', password = 'wrong-password'"),
	}
	for name, statement := range wrong {
		run(t, s, statement)
		eventually(t, s, fmt.Sprintf("SELECT state, error IS NOT NULL FROM scoter.sources WHERE source_name = '%s'", name), "failing true")
	}
	for name, want := range map[string]string{"not_trusted": "certificate", "wrong_password": "authenticat", "wrong_plain": "authenticat", "no_certificate": "certificate"} {
		if got := line(t, s, fmt.Sprintf("SELECT error FROM scoter.sources WHERE source_name = '%s'", name)); !strings.Contains(strings.ToLower(got), want) {
			t.Errorf("%s: %q says nothing of %s", name, got, want)
		}
	}
	status, text, err := s.Post("/api/v1/sql", "text/plain", []byte("SELECT * FROM scoter.sources"))
	if err != nil || status != 200 || strings.Contains(string(text), password) || strings.Contains(string(text), "wrong-password") {
		t.Errorf("%d %v: scoter.sources shows a password: %s", status, err, text)
	}
}
