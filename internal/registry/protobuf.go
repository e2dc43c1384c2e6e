package registry

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"io/fs"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/framing"
	"github.com/scoterdb/scoter/internal/ingest/protobuf"
)

// mainFile is the name under which a schema's text is compiled. The files that the schema imports
// have other names.
const mainFile = "scoter-schema.proto"

// Message returns the message type that a header names. The header is the first result of
// framing.CutProtobuf. The package comment describes the errors.
func (c *Client) Message(ctx context.Context, header []byte) (protoreflect.MessageDescriptor, error) {
	return get(ctx, c, string(header), func() (protoreflect.MessageDescriptor, error) {
		if len(header) < framing.HeaderSize {
			return nil, base.Errorf(base.Invalid, "a header of %d bytes", len(header))
		}
		id := binary.BigEndian.Uint32(header[1:])
		path, _, err := framing.ReadPath(header[framing.HeaderSize:])
		if err != nil {
			return nil, err
		}
		s, refs, err := c.byID(ctx, id, sr.TypeProtobuf)
		if err != nil {
			return nil, err
		}
		files, err := compileProto(ctx, s.Schema, refs)
		if err != nil {
			return nil, base.Wrap(err, "schema %d", id)
		}
		md, err := messageAt(files, path)
		return md, base.Wrap(err, "schema %d", id)
	})
}

// LatestMessage returns a message type of the newest version of a subject's schema: the type with
// the full name name, or the first type if name is empty. It does not cache the type, but asks the
// registry each time.
func (c *Client) LatestMessage(ctx context.Context, subject, name string) (protoreflect.MessageDescriptor, error) {
	s, refs, err := c.latest(ctx, subject, sr.TypeProtobuf)
	if err != nil {
		return nil, err
	}
	files, err := compileProto(ctx, s.Schema, refs)
	if err != nil {
		return nil, base.Wrap(err, "schema of subject %q", subject)
	}
	var md protoreflect.MessageDescriptor
	if name == "" {
		md, err = messageAt(files, []int{0})
	} else {
		md, err = protobuf.FindMessage(files, name)
	}
	return md, base.Wrap(err, "schema of subject %q", subject)
}

func compileProto(ctx context.Context, text string, refs []reference) (*protoregistry.Files, error) {
	all := make(schemaFiles, len(refs)+1)
	for _, r := range refs {
		all[r.name] = r.text
	}
	all[mainFile] = text
	return protobuf.CompileProto(ctx, all, mainFile)
}

// messageAt returns the message type at a path of positions. The first number is the position of a
// type in the file. Each further number is the position of a type nested in the previous one. The
// compiler adds message types for the entries of maps. They are not in the registered file, so they
// are not counted.
func messageAt(files *protoregistry.Files, path []int) (protoreflect.MessageDescriptor, error) {
	file, err := files.FindFileByPath(mainFile)
	if err != nil {
		return nil, base.Errorf(base.Internal, "compiled schema: %w", err)
	}
	var md protoreflect.MessageDescriptor
	all := file.Messages()
	for _, n := range path {
		md = nil
		for i := range all.Len() {
			if m := all.Get(i); !m.IsMapEntry() {
				if n == 0 {
					md = m
					break
				}
				n--
			}
		}
		if md == nil {
			return nil, base.Errorf(base.NotFound, "no message type at %v", path)
		}
		all = md.Messages()
	}
	return md, nil
}

// known has the .proto files that Confluent's clients include, so that schemas can import them
// without a reference.
//
//go:embed confluent
var known embed.FS

// schemaFiles is a file system for the Protobuf compiler. It has the files of one schema, by name,
// and all files in the variable known.
type schemaFiles map[string]string

// Open implements fs.FS.
func (s schemaFiles) Open(name string) (fs.File, error) {
	if text, ok := s[name]; ok {
		return &openFile{bytes.NewReader([]byte(text)), name}, nil
	}
	return known.Open(name)
}

// openFile is an open file of the file system schemaFiles. It is also the file's fs.FileInfo.
type openFile struct {
	*bytes.Reader
	name string
}

func (s *openFile) Stat() (fs.FileInfo, error) { return s, nil }
func (s *openFile) Close() error               { return nil }
func (s *openFile) Name() string               { return s.name }
func (s *openFile) Size() int64                { return s.Reader.Size() }
func (s *openFile) Mode() fs.FileMode          { return 0o444 }
func (s *openFile) ModTime() time.Time         { return time.Time{} }
func (s *openFile) IsDir() bool                { return false }
func (s *openFile) Sys() any                   { return nil }
