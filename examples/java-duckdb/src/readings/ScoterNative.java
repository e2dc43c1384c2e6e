package readings;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Access to native memory and functions through Java's foreign-function API (Java 22 or later).
 *
 * <p>The API is found by reflection when the class is loaded, so that this file compiles with Java
 * 17. The resulting handles have primitive types only, and the JIT compiles them to plain calls and
 * memory accesses. Addresses and pointers are longs.
 *
 * <p>All of this is restricted in Java: it throws if native access is denied, which may be the case
 * when the program runs without {@code --enable-native-access}.
 */
final class ScoterNative {
    /** Handles that read and write values of one type at any address. */
    static final VarHandle BYTE;

    static final VarHandle SHORT;
    static final VarHandle INT;
    static final VarHandle LONG;
    static final VarHandle FLOAT;
    static final VarHandle DOUBLE;

    private static final Api API;

    static {
        try {
            API = new Api();
            BYTE = API.memory("JAVA_BYTE");
            SHORT = API.memory("JAVA_SHORT_UNALIGNED");
            INT = API.memory("JAVA_INT_UNALIGNED");
            LONG = API.memory("JAVA_LONG_UNALIGNED");
            FLOAT = API.memory("JAVA_FLOAT_UNALIGNED");
            DOUBLE = API.memory("JAVA_DOUBLE_UNALIGNED");
        } catch (Throwable e) {
            throw new UnsupportedOperationException("no foreign-function API: " + e, e);
        }
    }

    private ScoterNative() {}

    /** Returns one, two, four or eight bytes at an address as a number. */
    static long bits(long address, int size) {
        return switch (size) {
            case 1 -> (byte) BYTE.get(address);
            case 2 -> (short) SHORT.get(address);
            case 4 -> (int) INT.get(address);
            default -> (long) LONG.get(address);
        };
    }

    /** The parts of java.lang.foreign that are needed. */
    private static final class Api {
        private final MethodHandles.Lookup lookup = MethodHandles.lookup();
        private final Class<?> segment = type("MemorySegment");
        private final Class<?> layout = type("MemoryLayout");
        private final Class<?> layouts = type("ValueLayout");
        private final Class<?> descriptor = type("FunctionDescriptor");
        private final Class<?> arena = type("Arena");
        private final Class<?> option = type("Linker$Option");
        private final Class<?> symbols = type("SymbolLookup");
        private final Class<?> linkerType = type("Linker");
        private final Object linker;
        private final Object global;
        private final Object everything;
        private final MethodHandle find;
        private final MethodHandle address;
        private final MethodHandle ofAddress;

        Api() throws Throwable {
            linker = lookup.findStatic(linkerType, "nativeLinker", MethodType.methodType(linkerType))
                    .invoke();
            global = lookup.findStatic(arena, "global", MethodType.methodType(arena))
                    .invoke();
            find = lookup.findVirtual(symbols, "find", MethodType.methodType(Optional.class, String.class));
            address = lookup.findVirtual(segment, "address", MethodType.methodType(long.class));
            ofAddress = lookup.findStatic(segment, "ofAddress", MethodType.methodType(segment, long.class));
            everything = lookup.findVirtual(segment, "reinterpret", MethodType.methodType(segment, long.class))
                    .invoke(ofAddress.invoke(0L), Long.MAX_VALUE);
        }

        private static Class<?> type(String name) throws ClassNotFoundException {
            return Class.forName("java.lang.foreign." + name);
        }

        private Object value(String name) throws ReflectiveOperationException {
            return layouts.getField(name).get(null);
        }

        VarHandle memory(String name) throws Throwable {
            VarHandle handle = (VarHandle) layouts.getMethod("varHandle").invoke(value(name));
            return (VarHandle) MethodHandles.class
                    .getMethod("insertCoordinates", VarHandle.class, int.class, Object[].class)
                    .invoke(null, handle, 0, new Object[] {everything});
        }

        private Object layoutOf(Class<?> type) throws ReflectiveOperationException {
            return value("JAVA_" + type.getName().toUpperCase(Locale.ROOT));
        }

        private Object descriptor(MethodType type) throws Throwable {
            Object parameters = Array.newInstance(layout, type.parameterCount());
            for (int i = 0; i < type.parameterCount(); i++) {
                Array.set(parameters, i, layoutOf(type.parameterType(i)));
            }
            Class<?> list = parameters.getClass();
            if (type.returnType() == void.class) {
                return lookup.findStatic(descriptor, "ofVoid", MethodType.methodType(descriptor, list))
                        .asFixedArity()
                        .invoke(parameters);
            }
            return lookup.findStatic(descriptor, "of", MethodType.methodType(descriptor, layout, list))
                    .asFixedArity()
                    .invoke(layoutOf(type.returnType()), parameters);
        }

        private Object noOptions() {
            return Array.newInstance(option, 0);
        }
    }

    /** The functions of a native library that is already loaded. */
    static final class Library {
        private final Object symbols;

        /**
         * {@code file} is a part of the library's file name. {@code function} is the name of any
         * function in the library; it is used to check whether the library is visible.
         */
        Library(String file, String function) throws Throwable {
            Object loaded = API.lookup
                    .findStatic(API.symbols, "loaderLookup", MethodType.methodType(API.symbols))
                    .invoke();
            if (((Optional<?>) API.find.invoke(loaded, function)).isPresent()) {
                symbols = loaded;
                return;
            }
            // Another class loader has loaded the library. Find its path and open it again.
            symbols = API.lookup
                    .findStatic(API.symbols, "libraryLookup", MethodType.methodType(API.symbols, Path.class, API.arena))
                    .invoke(mapped(file), API.global);
        }

        private static Path mapped(String file) throws IOException {
            try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
                return lines.filter(line -> line.contains("/")
                                && line.substring(line.lastIndexOf('/')).contains(file))
                        .map(line -> Path.of(line.substring(line.indexOf('/'))))
                        .findFirst()
                        .orElseThrow(() -> new IOException(file + " is not loaded"));
            }
        }

        Function function(String name, Class<?> result, Class<?>... parameters) throws Throwable {
            Object found =
                    ((Optional<?>) API.find.invoke(symbols, name)).orElseThrow(() -> new NoSuchMethodException(name));
            Object options = API.noOptions();
            MethodType signature =
                    MethodType.methodType(MethodHandle.class, API.segment, API.descriptor, options.getClass());
            MethodHandle handle = (MethodHandle) API.lookup
                    .findVirtual(API.linkerType, "downcallHandle", signature)
                    .asFixedArity()
                    .invoke(API.linker, found, API.descriptor(MethodType.methodType(result, parameters)), options);
            return Function.of(handle);
        }
    }

    /**
     * A native function with integer parameters. It is a record because the JIT treats the fields
     * of records as constants, and so calls the function directly.
     */
    record Function(MethodHandle handle) {
        /**
         * Adapts a handle so that it takes all arguments in one array of longs and returns a long.
         */
        private static Function of(MethodHandle handle) {
            int count = handle.type().parameterCount();
            MethodType longs = MethodType.genericMethodType(count);
            for (int i = 0; i < count; i++) {
                longs = longs.changeParameterType(i, long.class);
            }
            return new Function(MethodHandles.explicitCastArguments(handle, longs.changeReturnType(long.class))
                    .asSpreader(long[].class, count));
        }

        /**
         * Calls the function. Arguments are truncated to the size of the parameters. Returns 0 if
         * the function has no result.
         */
        long call(long... arguments) {
            try {
                return (long) handle.invokeExact(arguments);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * Returns the address of a C function that calls a Java method. The function stays valid as
     * long as the JVM runs. The method must not throw.
     */
    static long callback(MethodHandle target) throws Throwable {
        Object options = API.noOptions();
        MethodType signature =
                MethodType.methodType(API.segment, MethodHandle.class, API.descriptor, API.arena, options.getClass());
        return (long) API.address.invoke(API.lookup
                .findVirtual(API.linkerType, "upcallStub", signature)
                .asFixedArity()
                .invoke(API.linker, target, API.descriptor(target.type()), API.global, options));
    }

    /** Wraps an address in a buffer, in which the driver's JNI functions expect pointers. */
    static ByteBuffer buffer(long address) throws Throwable {
        Object memory = API.lookup
                .findVirtual(API.segment, "reinterpret", MethodType.methodType(API.segment, long.class))
                .invoke(API.ofAddress.invoke(address), 1L);
        return (ByteBuffer) API.lookup
                .findVirtual(API.segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class))
                .invoke(memory);
    }
}
