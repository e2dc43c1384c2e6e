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

	// These packages register the files of google/protobuf, which schemas may import. Descriptor
	// sets may leave these files out, because every compiler includes them.
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/scoterdb/scoter/internal/base"
)

// MaxSchemaBytes is the maximum size in bytes of a .proto file, and of a descriptor set.
const MaxSchemaBytes = 16 << 20

// CompileProto compiles .proto files and their imports. names are the files' paths below root, in
// the form that imports have. The files google/protobuf/*.proto are built in. Errors are
// base.Invalid, and name file, line and column.
//
// It uses Buf's protocompile, which is a complete compiler in Go and does not need protoc.
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
	// Convert the compiler's descriptors to those of protobuf-go, so that they are of the same kind
	// as the descriptors of descriptor sets.
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

// openProto opens a .proto file. It refuses a file that is larger than MaxSchemaBytes.
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

// ParseDescriptorSet parses a serialized google.protobuf.FileDescriptorSet. protoc
// --include_imports --descriptor_set_out and buf build write such files. The set need not contain
// the files of google/protobuf.
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

// filesOf links the files of a descriptor set. It adds files of google/protobuf that the set
// imports but does not contain.
func filesOf(set *descriptorpb.FileDescriptorSet) (*protoregistry.Files, error) {
	have := make(map[string]struct{}, len(set.File))
	for _, f := range set.File {
		have[f.GetName()] = struct{}{}
	}
	for i := 0; i < len(set.File); i++ { // set.File grows in the loop
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

// FindMessage returns the message type with the given full name (package.Message). If there is
// none, the error is base.NotFound, and its hint lists names that exist.
func FindMessage(files *protoregistry.Files, name string) (protoreflect.MessageDescriptor, error) {
	d, err := files.FindDescriptorByName(protoreflect.FullName(strings.TrimPrefix(name, ".")))
	if md, ok := d.(protoreflect.MessageDescriptor); ok && err == nil && !md.IsMapEntry() {
		return md, nil
	}
	missing := base.Errorf(base.NotFound, "no message type %q", name)
	if names := messageNames(files); len(names) > 0 {
		return nil, missing.WithHint("message types: %s", strings.Join(names, ", "))
	}
	return nil, missing
}

// messageNames returns the names of up to ten top-level message types, without those of
// google.protobuf.
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
