package postgres

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestEmbeddedServerStartsAndLeavesNothing(t *testing.T) {
	start := time.Now()
	s, err := StartServer(context.Background())
	if err != nil {
		t.Skip("no embedded PostgreSQL on this machine:", err)
	}
	t.Logf("started in %s", time.Since(start))
	process := s.process.Process
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.folder); !os.IsNotExist(err) {
		t.Error("the folder is still there:", err)
	}
	if process.Signal(nil) == nil {
		t.Error("the process is still there")
	}
}
