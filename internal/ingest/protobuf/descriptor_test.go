package protobuf

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/scoterdb/scoter/internal/base"
)

var protoFiles = fstest.MapFS{
	"shop/event.proto": {Data: []byte(`edition = "2023";
		package shop;
		import "shop/item.proto";
		import "google/protobuf/timestamp.proto";
		message Event { google.protobuf.Timestamp at = 1; Item item = 2 [features.message_encoding = DELIMITED]; int32 n = 3 [features.field_presence = IMPLICIT]; }`)},
	"shop/item.proto": {Data: []byte(`syntax = "proto2"; package shop; message Item { required string id = 1; optional group Size = 2 { optional int32 w = 1; } extensions 100 to max; }`)},
	"bad.proto":       {Data: []byte("syntax = \"proto3\";\nmessage M { int32 a = 0; }")},
	"missing.proto":   {Data: []byte(`syntax = "proto3"; import "nowhere.proto";`)},
}

func TestCompileProto(t *testing.T) {
	files, err := CompileProto(context.Background(), protoFiles, "shop/event.proto")
	if err != nil {
		t.Fatal(err)
	}
	md, err := FindMessage(files, "shop.Event")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(md, Options{})
	if err != nil {
		t.Fatal(err)
	}
	item := append(encoded([2]int{2, 3}, [2]int{1, 2}, "x", [2]int{2, 3}, [2]int{1, 0}, 4, [2]int{2, 4}, [2]int{100, 2}, "extension"), encoded([2]int{2, 4})...)
	d := plan.NewDecoder()
	if got := rowsOf(t, d, item); got[0] != `{at:NULL item:{id:"x" size:{w:4}} n:0}` {
		t.Error(got[0])
	}
	if err := d.Append(encoded([2]int{2, 3}, [2]int{2, 4})); err == nil || err.Error() != "field item.id is required and missing" {
		t.Error(err)
	}
}

func TestCompileProtoRefuses(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		_, err := CompileProto(context.Background(), protoFiles, name)
		if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f("bad.proto", "bad.proto:2:")
	f("missing.proto", "nowhere.proto")
	f("none.proto", "none.proto")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := CompileProto(ctx, protoFiles, "shop/event.proto"); !errors.Is(err, context.Canceled) || base.KindOf(err) != base.Canceled {
		t.Error(err)
	}
}

func TestParseDescriptorSet(t *testing.T) {
	files, err := CompileProto(context.Background(), protoFiles, "shop/event.proto")
	if err != nil {
		t.Fatal(err)
	}
	set := &descriptorpb.FileDescriptorSet{}
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		if f.Package() != "google.protobuf" { // like protoc without --include_imports
			set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
		}
		return true
	})
	b, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := ParseDescriptorSet(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FindMessage(parsed, ".shop.Item"); err != nil {
		t.Error(err)
	}
	_, err = FindMessage(parsed, "shop.Items")
	var e *base.Error
	if !errors.As(err, &e) || e.Kind != base.NotFound || e.Hint != "message types: shop.Event, shop.Item" {
		t.Errorf("%v", err)
	}
	for _, bad := range [][]byte{nil, {0xff}, b[:len(b)-1], []byte("\x0a\x00\x0a\x00")} {
		if _, err := ParseDescriptorSet(bad); base.KindOf(err) != base.Invalid {
			t.Errorf("%x: %v", bad[:min(len(bad), 4)], err)
		}
	}
}
