package protobuf

import (
	"context"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	// The files that every compiler brings along, and descriptor sets may leave out.
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/scoterdb/scoter/internal/base"
)

// MaxSchemaBytes bounds a .proto file and a descriptor set.
const MaxSchemaBytes = 16 << 20

// CompileProto compiles .proto files and what they import. Names are paths below
// root, as imports write them; google/protobuf/*.proto need not be there. Errors are
// base.Invalid and name file, line and column.
//
// The compiler is protocompile, Buf's: in Go, without protoc, and complete.
func CompileProto(ctx context.Context, root fs.FS, names ...string) (*protoregistry.Files, error) {
	compiler := protocompile.Compiler{
		MaxParallelism: 1,
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			Accessor: func(path string) (io.ReadCloser, error) { return openProto(root, path) },
		}),
	}
	compiled, err := compiler.Compile(ctx, names...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, base.Wrap(ctx.Err(), "compile .proto files")
		}
		return nil, base.Errorf(base.Invalid, "compile .proto files: %w", err)
	}
	// The descriptors are protobuf-go's own, whichever way a schema comes.
	set := &descriptorpb.FileDescriptorSet{}
	seen := make(map[string]struct{})
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if _, ok := seen[f.Path()]; ok {
			return
		}
		seen[f.Path()] = struct{}{}
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	}
	for _, f := range compiled {
		add(f)
	}
	return filesOf(set)
}

// openProto opens a .proto file that is not too large.
func openProto(root fs.FS, path string) (io.ReadCloser, error) {
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > MaxSchemaBytes {
		err = base.Errorf(base.TooLarge, "file %q has %d bytes, more than %d", path, info.Size(), MaxSchemaBytes)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ParseDescriptorSet reads a serialized google.protobuf.FileDescriptorSet: what
// protoc --include_imports --descriptor_set_out and buf build write. The files of
// google/protobuf may be left out.
func ParseDescriptorSet(b []byte) (*protoregistry.Files, error) {
	if len(b) > MaxSchemaBytes {
		return nil, base.Errorf(base.TooLarge, "descriptor set of %d bytes, more than %d", len(b), MaxSchemaBytes)
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(b, set); err != nil {
		return nil, base.Errorf(base.Invalid, "descriptor set: %w", err)
	}
	if len(set.File) == 0 {
		return nil, base.Errorf(base.Invalid, "descriptor set without files")
	}
	return filesOf(set)
}

// filesOf links the files of a set, and those of google/protobuf that it imports
// and lacks.
func filesOf(set *descriptorpb.FileDescriptorSet) (*protoregistry.Files, error) {
	have := make(map[string]struct{}, len(set.File))
	for _, f := range set.File {
		have[f.GetName()] = struct{}{}
	}
	for i := 0; i < len(set.File); i++ { // grows
		for _, path := range set.File[i].GetDependency() {
			if _, ok := have[path]; ok || !strings.HasPrefix(path, "google/protobuf/") {
				continue
			}
			if known, err := protoregistry.GlobalFiles.FindFileByPath(path); err == nil {
				have[path] = struct{}{}
				set.File = append(set.File, protodesc.ToFileDescriptorProto(known))
			}
		}
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, base.Errorf(base.Invalid, "descriptors: %w", err)
	}
	return files, nil
}

// FindMessage returns the message type of that full name (package.Message). The
// error is base.NotFound and hints at the names there are.
func FindMessage(files *protoregistry.Files, name string) (protoreflect.MessageDescriptor, error) {
	d, err := files.FindDescriptorByName(protoreflect.FullName(strings.TrimPrefix(name, ".")))
	if md, ok := d.(protoreflect.MessageDescriptor); ok && err == nil && !md.IsMapEntry() {
		return md, nil
	}
	missing := base.Errorf(base.NotFound, "no message type %q", name)
	if names := messageNames(files); len(names) > 0 {
		return nil, missing.WithHint("there is %s", strings.Join(names, ", "))
	}
	return nil, missing
}

// messageNames returns some of the top-level message types that are not Google's.
func messageNames(files *protoregistry.Files) []string {
	const enough = 10
	var names []string
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Messages().Len() {
			if f.Package() != "google.protobuf" {
				names = append(names, string(f.Messages().Get(i).FullName()))
			}
		}
		return true
	})
	slices.Sort(names)
	return names[:min(len(names), enough)]
}
