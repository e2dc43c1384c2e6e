package com.scoterdb.client;

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
 * Native memory and functions through Java's foreign-function API (Java 22 and newer).
 *
 * <p>The API is looked up once by name, so that this compiles for Java 17; what is left are handles
 * of primitive types that the JIT compiles to plain calls and moves. Addresses and pointers are
 * longs. Everything here is restricted: it throws where the program is run without
 * {@code --enable-native-access} and that is enforced.
 */
final class ScoterNative {
    /** Access to the whole memory by address. */
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

    /** The bits of one, two, four or eight bytes as a number. */
    static long bits(long address, int size) {
        return switch (size) {
            case 1 -> (byte) BYTE.get(address);
            case 2 -> (short) SHORT.get(address);
            case 4 -> (int) INT.get(address);
            default -> (long) LONG.get(address);
        };
    }

    /** What is needed of java.lang.foreign. */
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

    /** The functions of a library that is loaded already. */
    static final class Library {
        private final Object symbols;

        /** {@code file} is a part of the library's file name, {@code function} one that it has. */
        Library(String file, String function) throws Throwable {
            Object loaded = API.lookup
                    .findStatic(API.symbols, "loaderLookup", MethodType.methodType(API.symbols))
                    .invoke();
            if (((Optional<?>) API.find.invoke(loaded, function)).isPresent()) {
                symbols = loaded;
                return;
            }
            // Another class loader has loaded it: then it is found by its path, and opened once
            // more.
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
     * A native function of whole numbers. The fields of a record are constants to the JIT, which
     * calls the function directly.
     */
    record Function(MethodHandle handle) {
        /** All parameters and the result are longs, in an array. */
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
         * Numbers are cut to the size of the parameters; 0 is what a function without a result
         * returns.
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
     * The address of a C function that runs a method for as long as the JVM lives. It must not
     * throw.
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

    /** Memory as the buffer that JNI functions take for a pointer. */
    static ByteBuffer buffer(long address) throws Throwable {
        Object memory = API.lookup
                .findVirtual(API.segment, "reinterpret", MethodType.methodType(API.segment, long.class))
                .invoke(API.ofAddress.invoke(address), 1L);
        return (ByteBuffer) API.lookup
                .findVirtual(API.segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class))
                .invoke(memory);
    }
}
