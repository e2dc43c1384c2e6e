//go:build linux

// Package pressure overloads a server on a slow disk: 64 connections send as fast as possible. The
// memory of the server is the peak that the kernel reports.
package pressure

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/scoterdb/scoter/bench/load/telemetry"
	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/vfs"
)

// slowDirEnv makes the test program run as the server, on the directory that it names.
const slowDirEnv = "SCOTER_TEST_SLOW_DIR"

// durationEnv sets how long the test sends. The default is a few seconds (10m for the full test).
const durationEnv = "SCOTER_TEST_PRESSURE"

const (
	connections = 64
	requestRows = 10_000
	// The disk: its bytes per second, and the additional time of an fsync.
	diskBytesPerSecond = 2 << 20
	diskSync           = 100 * time.Millisecond
	// The limit of the server's memory.
	maxResident = 1 << 30
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(slowDirEnv); dir != "" {
		if err := serve(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serve is like scoter serve, with a slow disk that does one operation at a time.
func serve(dir string) error {
	var disk sync.Mutex
	slow := vfs.Failing(vfs.OS, func(op vfs.Op) error {
		took := time.Duration(op.Bytes) * time.Second / diskBytesPerSecond
		if op.Kind == vfs.OpSync || op.Kind == vfs.OpSyncDir {
			took += diskSync
		}
		if took > 0 {
			disk.Lock()
			defer disk.Unlock()
			time.Sleep(took)
		}
		return nil
	})
	settings := config.Default()
	settings.Dir, settings.Listen, settings.ShutdownGrace = dir, "127.0.0.1:0", time.Second
	settings.Memory = maxResident
	a, err := app.OpenOn(slow, settings, false, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return a.Serve(ctx, func(address string) { fmt.Println(address) })
}

// pressureTime returns how long a test sends: the value of durationEnv or, if it is not set, usual.
func pressureTime(t *testing.T, usual time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(durationEnv)
	if text == "" {
		return usual
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return length
}

func TestMemoryIsBoundedHoweverSlowTheDisk(t *testing.T) {
	length := pressureTime(t, 8*time.Second)
	server := exec.Command(os.Args[0])
	server.Env, server.Stderr = append(os.Environ(), slowDirEnv+"="+t.TempDir()), os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = server.Process.Kill(), server.Wait() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + strings.TrimSpace(address)

	var acknowledged, refused atomic.Int64
	until := time.Now().Add(length)
	var clients sync.WaitGroup
	for c := range connections {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			body := telemetry.NewMessagePack(c, requestRows)
			for n := int64(0); time.Now().Before(until); n++ {
				body.Stamp(n*connections + int64(c))
				resp, err := client.Post(url+"/api/v1/write/msgpack", "application/msgpack", body.Reader())
				if err != nil {
					t.Error(err)
					return
				}
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				switch {
				case resp.StatusCode == http.StatusNoContent:
					acknowledged.Add(requestRows)
				case resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
					refused.Add(1)
				default:
					t.Errorf("%s %s", resp.Status, text)
					return
				}
			}
		})
	}
	clients.Wait()
	peak := peakResident(t, server.Process.Pid)
	t.Logf("%d rows acknowledged in %s, %d requests told to retry, %d MiB at most", acknowledged.Load(), length, refused.Load(), peak>>20)
	if peak > maxResident {
		t.Errorf("the server held %d MiB", peak>>20)
	}
	if rows := count(t, url); rows != acknowledged.Load() || rows == 0 {
		t.Errorf("%d rows were acknowledged, %d are there", acknowledged.Load(), rows)
	}
}

// peakResident returns the peak resident memory of a process, in bytes.
func peakResident(t *testing.T, pid int) int64 {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("no VmHWM in %s", text)
	}
	kib, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

func count(t *testing.T, url string) int64 {
	resp, err := http.Post(url+"/api/v1/sql", "text/plain", strings.NewReader("SELECT count(*) FROM "+telemetry.Table))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct{ Rows [][]int64 }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || len(answer.Rows) != 1 {
		t.Fatal(err, answer)
	}
	return answer.Rows[0][0]
}
