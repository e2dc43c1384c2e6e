package main_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/tests/binary"
)

// failing is a result that has an error after its rows.
type failing struct {
	schema *arrow.Schema
	rows   arrow.RecordBatch
}

func (f *failing) Schema() *arrow.Schema { return f.schema }

func (f *failing) Next(context.Context) (arrow.RecordBatch, error) {
	if f.rows == nil {
		return nil, base.Errorf(base.Invalid, "row 70000 is \"no\" number").WithHint("use TRY_CAST")
	}
	rec := f.rows
	f.rows = nil
	return rec, nil
}

// failingTexts is a result whose rows look like the error at the end of a result.
func failingTexts() *failing {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "error", Type: arrow.BinaryTypes.String}}, nil))
	defer b.Release()
	for range 70000 {
		b.Field(0).(*array.StringBuilder).Append(`{"error":{"kind":"conflict","message":"a row"}}`)
	}
	return &failing{b.Schema(), b.NewRecordBatch()}
}

func TestAResultThatBreaksOffIsAnError(t *testing.T) {
	said := true // whether the server can send the reason of the error
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		format, err := encode.FormatNamed(r.URL.Query().Get("format"))
		if err != nil {
			t.Error(err)
		}
		var whole bytes.Buffer
		if _, err := encode.Write(r.Context(), &whole, format, failingTexts(), encode.Options{}); err == nil {
			t.Errorf("%s: no error", format)
		}
		text := whole.Bytes()
		if !said {
			text = text[:len(text)*2/3]
		}
		_, _ = w.Write(text)
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		panic(http.ErrAbortHandler)
	}))
	defer s.Close()
	for _, said = range []bool{true, false} {
		for _, format := range []string{"json", "ndjson", "msgpack", "csv", "arrow"} {
			unchanged := file(t, "kept", "what was there")
			_, errs, code := run(t, "", "sql", "--url", s.URL, "-c", "SELECT 1", "--format", format, "-o", unchanged)
			if says := said && strings.Contains("json ndjson msgpack", format); says {
				if code != 65 || !strings.Contains(errs, "row 70000 is \"no\" number\n") || !strings.Contains(errs, "hint: use TRY_CAST") {
					t.Errorf("%s: %d %q", format, code, errs)
				}
			} else if code != 75 || !strings.Contains(errs, "the result is incomplete") {
				t.Errorf("%s, said %v: %d %q", format, said, code, errs)
			}
			if text, _ := os.ReadFile(unchanged); string(text) != "what was there" {
				t.Errorf("%s: half a result took the place of a file", format)
			}
			if left, _ := os.ReadDir(filepath.Dir(unchanged)); len(left) != 1 {
				t.Errorf("files are left: %v", left)
			}
		}
	}
}

// TestCtrlCIsNoMissingServer interrupts commands that wait for a server. They must not report that
// the server is missing.
func TestCtrlCIsNoMissingServer(t *testing.T) {
	data := file(t, "t.csv", "a\n1\n")
	for _, args := range [][]string{{"sql", "-c", "SELECT 1"}, {"load", "--table", "t", data}, {"backup", "-"}} {
		asked, end := make(chan struct{}, 1), make(chan struct{})
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			asked <- struct{}{}
			<-end
		}))
		cmd := exec.Command(binary.Path(t), append(args, "--url", s.URL)...)
		var errs bytes.Buffer
		cmd.Dir, cmd.Stderr = t.TempDir(), &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-asked:
		case <-time.After(time.Minute):
			t.Fatalf("%v asks no server: %s", args, errs.String())
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		e := new(exec.ExitError)
		if err := cmd.Wait(); !errors.As(err, &e) || e.ExitCode() != 130 || strings.Contains(errs.String(), "scoter serve") {
			t.Errorf("%v: %v %s", args, err, errs.String())
		}
		close(end)
		s.Close()
	}
}
