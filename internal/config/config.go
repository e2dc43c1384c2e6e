// Package config defines all settings of a server in one struct. Users set them in the file
// scoter.toml, in the environment (SCOTER_*), and by flags of the command line. Flags override the
// environment, and the environment overrides the file.
package config

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ledger"
)

// Server has the settings of a server. The toml names are the names of the flags, with underscores.
// Help texts and defaults are in the tags for kong, so that --help, the settings file and `scoter
// config` always agree.
type Server struct {
	Dir           string        `toml:"dir" help:"Data directory." default:"./data" env:"SCOTER_DIR"`
	Listen        string        `toml:"listen" help:"Address to serve on." default:"127.0.0.1:7287" env:"SCOTER_LISTEN"`
	AllowOpen     bool          `toml:"allow_open" help:"Serve on an address other than loopback without TLS or without tokens." env:"SCOTER_ALLOW_OPEN"`
	TLSCert       string        `toml:"tls_cert" help:"Certificate (PEM) to serve HTTPS with." env:"SCOTER_TLS_CERT"`
	TLSKey        string        `toml:"tls_key" help:"Private key (PEM) of the certificate." env:"SCOTER_TLS_KEY"`
	Database      string        `toml:"database" help:"Database of requests that do not name one." default:"default" env:"SCOTER_DATABASE"`
	Memory        Bytes         `toml:"memory" help:"The most memory that the process takes; 0 is 7GiB, but at most half of the machine's memory and three quarters of the limit of the process's cgroup." default:"0" env:"SCOTER_MEMORY"`
	QueryMemory   Bytes         `toml:"query_memory" help:"Memory of DuckDB's buffers for queries; 0 is a share of memory." default:"0" env:"SCOTER_QUERY_MEMORY"`
	QueryThreads  int           `toml:"query_threads" help:"Threads for queries; 0 is one per core." default:"0" env:"SCOTER_QUERY_THREADS"`
	QueryTimeout  time.Duration `toml:"query_timeout" help:"The longest time that a query may take." default:"5m" env:"SCOTER_QUERY_TIMEOUT"`
	MaxQueries    int           `toml:"max_queries" help:"Queries that run at once; more wait." default:"32" env:"SCOTER_MAX_QUERIES"`
	WriteMemory   Bytes         `toml:"write_memory" help:"Memory for rows not yet in a part and for changes of rows; 0 is a share of memory." default:"0" env:"SCOTER_WRITE_MEMORY"`
	MaxBody       Bytes         `toml:"max_body" help:"The largest request body, after decompression; 0 is 64MiB, but at most a quarter of write_memory." default:"0" env:"SCOTER_MAX_BODY"`
	FlushBytes    Bytes         `toml:"flush_bytes" help:"Rows become parts when they have this size together; at most a quarter of write_memory." default:"64MiB" env:"SCOTER_FLUSH_BYTES"`
	FlushAge      time.Duration `toml:"flush_age" help:"Rows become parts after this time at the latest." default:"60s" env:"SCOTER_FLUSH_AGE"`
	ScrubPeriod   time.Duration `toml:"scrub_period" help:"Every file of rows is read and compared with its checksums once in this time, in the background; 0 turns that off." default:"720h" env:"SCOTER_SCRUB_PERIOD"`
	SyncInterval  time.Duration `toml:"sync_interval" help:"The longest that a row written with durability=async stays without fsync." default:"100ms" env:"SCOTER_SYNC_INTERVAL"`
	MergeParallel int           `toml:"merge_parallel" help:"Merges that run at once, each on one core; 0 turns merges off." default:"1" env:"SCOTER_MERGE_PARALLEL"`
	UpdateMode    string        `toml:"update_mode" help:"How UPDATE, DELETE and MERGE change rows: patch, rewrite (write their files again), expression (store the expression, where possible), or auto." enum:"auto,patch,rewrite,expression" default:"auto" env:"SCOTER_UPDATE_MODE"`
	SlowQuery     time.Duration `toml:"slow_query" help:"Queries that take longer are logged; 0 logs none." default:"10s" env:"SCOTER_SLOW_QUERY"`
	ShutdownGrace time.Duration `toml:"shutdown_grace" help:"How long running requests may continue after Ctrl-C or SIGTERM before they end with an error." default:"10s" env:"SCOTER_SHUTDOWN_GRACE"`
	LogLevel      string        `toml:"log_level" help:"debug, info, warn or error." enum:"debug,info,warn,error" default:"info" env:"SCOTER_LOG_LEVEL"`
	ReadableDirs  []string      `toml:"readable_dirs" help:"Folders that administrators may read files from in SQL." env:"SCOTER_READABLE_DIRS"`
	SpillSpace    Bytes         `toml:"spill_space" help:"Disk space for data of queries that does not fit in memory, at most four fifths of the free space; 0 is that maximum." default:"0" env:"SCOTER_SPILL_SPACE"`
	ResultSpace   Bytes         `toml:"result_space" help:"Disk space for results whose readers are slow; at most a quarter of the free space." default:"1GiB" env:"SCOTER_RESULT_SPACE"`
	StreamMemory  Bytes         `toml:"stream_memory" help:"Memory for records that were read from Kafka and are not stored yet; 0 is a share of memory." default:"0" env:"SCOTER_STREAM_MEMORY"`
	Tokens        []Token       `toml:"token" kong:"-"`
	// Sources are the Kafka sources of the settings file. Package stream parses them. They may
	// contain passwords.
	Sources []map[string]any `toml:"source" kong:"-"`
}

// Token is the access token of a client. The settings file has only the token's hash, as `scoter
// token` prints it.
type Token struct {
	Name   string `toml:"name"`
	Role   string `toml:"role"`   // role of the token: reader, writer or admin
	SHA256 string `toml:"sha256"` // SHA-256 of the token, in hexadecimal
}

// Bytes is a size in bytes. Its text has a unit, as in 64MiB or 2GB.
type Bytes int64

var units = []struct {
	suffix string
	bytes  int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// UnmarshalText parses a size with its unit.
func (b *Bytes) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	factor := int64(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			s, factor = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n >= 0 && n*float64(factor) < 1<<62) { // the condition is also false for NaN
		return base.Errorf(base.Invalid, "invalid size %q", text).WithHint("write it like 64MiB or 2GB")
	}
	*b = Bytes(n * float64(factor))
	return nil
}

// String returns the size as a whole number of the largest possible binary unit.
func (b Bytes) String() string {
	for i := 3; i >= 0; i-- {
		if u := units[i]; b != 0 && int64(b)%u.bytes == 0 {
			return strconv.FormatInt(int64(b)/u.bytes, 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(b), 10) + "B"
}

// MarshalText returns the same text as String.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Check returns an error if a setting is invalid, alone or in combination with other settings. It
// also sets values that depend on other settings.
func (s *Server) Check() error {
	if err := s.checkLeast(); err != nil {
		return err
	}
	limits, err := s.DivideMemory()
	if err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return base.Errorf(base.Invalid, "listen: %w", err).WithHint("write it as host:port")
	}
	ip := net.ParseIP(host)
	loopback := host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case (s.TLSCert == "") != (s.TLSKey == ""):
		return base.Errorf(base.Invalid, "tls_cert and tls_key go together")
	case !loopback && !s.AllowOpen && (s.TLSCert == "" || len(s.Tokens) == 0):
		return base.Errorf(base.Invalid, "%s can be reached from other machines, without %s", s.Listen, missing(s)).
			WithHint("set tls_cert and tls_key and add a token (scoter token), or allow it: --allow-open")
	case s.MaxBody > Bytes(limits.Rows/bodyShare):
		return base.Errorf(base.Invalid, "max_body (%s) is above a quarter of the memory for rows (%s): a request of that size could hardly be accepted", s.MaxBody, Bytes(limits.Rows)).
			WithHint("raise memory or write_memory, or lower max_body")
	}
	if s.TLSCert != "" {
		if _, err := tls.LoadX509KeyPair(s.TLSCert, s.TLSKey); err != nil {
			return base.Errorf(base.Invalid, "tls_cert and tls_key: %w", err)
		}
	}
	if s.Dir, err = filepath.Abs(s.Dir); err != nil {
		return fmt.Errorf("dir: %w", err)
	}
	return nil
}

// leastMemory is the minimum of the settings for one use of memory, in bytes. With less memory
// nothing works.
const leastMemory = 1 << 20

// checkLeast returns an error for the first setting whose value is too low.
func (s *Server) checkLeast() error {
	return cmp.Or(
		zeroOr("memory", s.Memory, ledger.Least),
		zeroOr("query_memory", s.QueryMemory, leastMemory),
		atLeast("query_threads", s.QueryThreads, 0),
		atLeast("query_timeout", s.QueryTimeout, time.Millisecond),
		atLeast("max_queries", s.MaxQueries, 1),
		zeroOr("write_memory", s.WriteMemory, leastMemory),
		zeroOr("max_body", s.MaxBody, 1<<10),
		atLeast("flush_bytes", s.FlushBytes, 1<<10),
		atLeast("flush_age", s.FlushAge, time.Millisecond),
		atLeast("sync_interval", s.SyncInterval, time.Millisecond),
		atLeast("merge_parallel", s.MergeParallel, 0),
		atLeast("slow_query", s.SlowQuery, 0),
		atLeast("shutdown_grace", s.ShutdownGrace, 0),
		atLeast("spill_space", s.SpillSpace, 0),
		atLeast("result_space", s.ResultSpace, leastMemory),
		atLeast("scrub_period", s.ScrubPeriod, 0),
		zeroOr("stream_memory", s.StreamMemory, leastMemory),
	)
}

func atLeast[T ~int | ~int64](name string, value, least T) error {
	if value < least {
		return base.Errorf(base.Invalid, "%s = %v is too low: the least is %v", name, value, least)
	}
	return nil
}

// zeroOr is like atLeast for a setting of which 0 means the default.
func zeroOr[T ~int | ~int64](name string, value, least T) error {
	if value == 0 {
		return nil
	}
	return atLeast(name, value, least)
}

// bodyShare is the number of times that the largest request body (max_body) must fit into the
// memory for writes. The rows of a body may be larger than the body, and exist twice: in the
// memtable and as a record of the log.
const bodyShare = 4

func missing(s *Server) string {
	switch {
	case s.TLSCert == "" && len(s.Tokens) == 0:
		return "TLS and without tokens"
	case s.TLSCert == "":
		return "TLS"
	}
	return "tokens"
}

// Print returns the settings as the text of a scoter.toml, without the Kafka sources. A comment in
// it says how many sources were left out.
func (s *Server) Print() (string, error) {
	var out bytes.Buffer
	shown := *s
	shown.Sources = nil // Kafka sources may contain passwords
	e := toml.NewEncoder(&out)
	e.Indent = ""
	if err := e.Encode(shown); err != nil {
		return "", base.Errorf(base.Internal, "print settings: %w", err)
	}
	limits, err := s.DivideMemory()
	if err != nil {
		return "", err
	}
	out.WriteString("\n# limits of the accounts of memory (scoter.memory):\n")
	for _, a := range ledger.New(limits).Stats() {
		fmt.Fprintf(&out, "# %s: %s\n", a.Account, Bytes(a.Limit))
	}
	if n := len(s.Sources); n > 0 {
		fmt.Fprintf(&out, "\n# %d [[source]] left out: they may hold passwords\n", n)
	}
	return out.String(), nil
}

// Default returns the settings of a server if the user sets none.
func Default() Server {
	s, err := parse(kong.PostBuild(func(k *kong.Kong) error {
		for _, flag := range k.Model.Flags {
			flag.Tag.Envs = nil
		}
		return nil
	}))
	if err != nil {
		panic("config: the defaults in the struct's tags are wrong: " + err.Error())
	}
	return s
}

// FromEnvironment returns the default settings, overridden by the environment.
func FromEnvironment() (Server, error) {
	if err := CheckEnvironment(os.Environ()); err != nil {
		return Server{}, err
	}
	s, err := parse()
	if err != nil {
		return s, base.Errorf(base.Invalid, "settings: %w", err)
	}
	return s, s.checkLeast()
}

// parse returns the settings that the library kong makes of an empty command line.
func parse(options ...kong.Option) (s Server, err error) {
	parser, err := kong.New(&s, append(options, kong.Exit(func(int) {}))...)
	if err == nil {
		_, err = parser.Parse(nil)
	}
	return s, err
}
