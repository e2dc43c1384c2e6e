package export

import (
	"bytes"
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
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/toolchain"
)

// gatewayModule is a server with the S3 interface for a folder. An object is a file, and a bucket
// is a folder.
const gatewayModule, gatewayVersion = "github.com/versity/versitygw/cmd/versitygw", "v1.8.0"

// gatewayPath builds the program below .cache, separately from Scoter's module, and returns its
// path. If the module proxy is not reachable, the test is skipped.
func gatewayPath(t testing.TB) string {
	t.Helper()
	path, err := installGateway(filepath.Join(toolchain.Root(t), ".cache", "versitygw-"+gatewayVersion))
	if err != nil {
		t.Skip("NO S3 SERVER, exports are tested with folders only (internal/export): ", err)
	}
	return path
}

var installing sync.Mutex

func installGateway(dir string) (string, error) {
	installing.Lock()
	defer installing.Unlock()
	path := filepath.Join(dir, "versitygw")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	// Concurrent builds use separate folders. The first finished one is used.
	work, err := os.MkdirTemp(filepath.Dir(dir), "versitygw-building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	build := exec.Command("go", "install", gatewayModule+"@"+gatewayVersion)
	build.Dir = work
	build.Env = append(os.Environ(), "GOBIN="+work, "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build versitygw: %w: %s", err, out)
	}
	if err := os.Rename(work, dir); err != nil {
		if _, there := os.Stat(path); there != nil {
			return "", err
		}
	}
	return path, nil
}

// The credentials of the gateway's administrator.
const accessKey, secretKey = "tester", "geheim-0815-secret"

// gateway is an S3 server with one bucket.
type gateway struct {
	URL  string
	root string // the folder of its buckets

	program string
	flags   []string
	process *exec.Cmd // nil while it is down
	log     bytes.Buffer
}

const bucket = "lake"

func startGateway(t testing.TB, flags ...string) *gateway {
	t.Helper()
	g := &gateway{program: gatewayPath(t), root: t.TempDir(), flags: flags}
	must(t, os.Mkdir(filepath.Join(g.root, bucket), 0o755))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	g.URL = "http://" + l.Addr().String()
	must(t, l.Close())
	g.start(t)
	t.Cleanup(func() { g.kill() })
	return g
}

// objects returns a pattern for the files of the objects below a prefix.
func (g *gateway) objects(prefix string) string {
	return filepath.Join(g.root, bucket, prefix, "**", "*.parquet")
}

func (g *gateway) addr() string { return g.URL[len("http://"):] }

// start starts the gateway on its previous address.
func (g *gateway) start(t testing.TB) {
	t.Helper()
	g.process = exec.Command(g.program, append(append([]string{"--port", g.addr(), "--quiet"}, g.flags...), "posix", g.root)...)
	g.process.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	g.process.Stdout, g.process.Stderr = &g.log, &g.log
	must(t, g.process.Start())
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", g.addr()); err == nil {
			must(t, c.Close())
			return
		}
	}
	t.Fatalf("the gateway does not answer: %s", g.log.String())
}

// kill ends the gateway like kill -9.
func (g *gateway) kill() {
	if g.process != nil {
		_ = g.process.Process.Kill() // it may have ended
		_ = g.process.Wait()
		g.process = nil
	}
}

// certificate creates a self-signed certificate for this machine. It returns the files of the
// certificate and of its key.
func certificate(t testing.TB) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "storage"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	must(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(secret)
	must(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	must(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public}), 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	return cert, key
}
