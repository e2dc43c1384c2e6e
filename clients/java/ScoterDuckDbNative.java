package com.scoterdb.client;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.duckdb.DuckDBConnection;

/**
 * The functions of DuckDB's C API that bulk operations need. They come from the native library that
 * the JDBC driver has loaded. Handles of types, chunks and vectors are addresses.
 */
final class ScoterDuckDbNative {
    /** The number of rows in a vector. */
    static final int VECTOR_ROWS = 2048;

    /** The C API's number for the type BIGINT. */
    static final int BIGINT = 5;

    private static final ScoterNative.Function MALLOC;
    private static final ScoterNative.Function FREE;
    private static final ScoterNative.Function CREATE_LOGICAL_TYPE;
    private static final ScoterNative.Function CREATE_DECIMAL_TYPE;
    private static final ScoterNative.Function CREATE_LIST_TYPE;
    private static final ScoterNative.Function CREATE_ARRAY_TYPE;
    private static final ScoterNative.Function CREATE_MAP_TYPE;
    private static final ScoterNative.Function CREATE_STRUCT_TYPE;
    private static final ScoterNative.Function CREATE_ENUM_TYPE;
    private static final ScoterNative.Function DESTROY_LOGICAL_TYPE;
    static final ScoterNative.Function CHUNK_GET_VECTOR;
    static final ScoterNative.Function CHUNK_SET_SIZE;
    static final ScoterNative.Function CHUNK_RESET;
    static final ScoterNative.Function VECTOR_GET_DATA;
    static final ScoterNative.Function VECTOR_GET_VALIDITY;
    private static final ScoterNative.Function VECTOR_ENSURE_VALIDITY_WRITABLE;
    static final ScoterNative.Function LIST_GET_CHILD;
    static final ScoterNative.Function LIST_SET_SIZE;
    static final ScoterNative.Function LIST_RESERVE;
    static final ScoterNative.Function STRUCT_GET_CHILD;
    static final ScoterNative.Function ARRAY_GET_CHILD;
    private static final ScoterNative.Function BIND_GET_PARAMETER;
    private static final ScoterNative.Function BIND_ADD_RESULT_COLUMN;
    static final ScoterNative.Function BIND_SET_BIND_DATA;
    static final ScoterNative.Function BIND_SET_CARDINALITY;
    static final ScoterNative.Function BIND_SET_ERROR;
    private static final ScoterNative.Function GET_INT64;
    private static final ScoterNative.Function DESTROY_VALUE;
    static final ScoterNative.Function INIT_GET_BIND_DATA;
    static final ScoterNative.Function INIT_SET_MAX_THREADS;
    static final ScoterNative.Function INIT_SET_INIT_DATA;
    static final ScoterNative.Function FUNCTION_GET_BIND_DATA;
    static final ScoterNative.Function FUNCTION_GET_LOCAL_INIT_DATA;
    static final ScoterNative.Function FUNCTION_SET_ERROR;
    private static final ScoterNative.Function CREATE_TABLE_FUNCTION;
    private static final ScoterNative.Function TABLE_FUNCTION_SET_NAME;
    private static final ScoterNative.Function TABLE_FUNCTION_ADD_PARAMETER;
    private static final ScoterNative.Function TABLE_FUNCTION_SET_BIND;
    private static final ScoterNative.Function TABLE_FUNCTION_SET_INIT;
    private static final ScoterNative.Function TABLE_FUNCTION_SET_LOCAL_INIT;
    private static final ScoterNative.Function TABLE_FUNCTION_SET_FUNCTION;
    private static final ScoterNative.Function DESTROY_TABLE_FUNCTION;

    private static final ScoterNative.Function CREATE_SCALAR_FUNCTION;
    private static final ScoterNative.Function SCALAR_FUNCTION_SET_NAME;
    private static final ScoterNative.Function SCALAR_FUNCTION_ADD_PARAMETER;
    private static final ScoterNative.Function SCALAR_FUNCTION_SET_RETURN_TYPE;
    private static final ScoterNative.Function SCALAR_FUNCTION_SET_FUNCTION;
    private static final ScoterNative.Function DESTROY_SCALAR_FUNCTION;
    static final ScoterNative.Function SCALAR_FUNCTION_SET_ERROR;
    static final ScoterNative.Function CHUNK_GET_SIZE;

    /** The getter of the driver's private field with the native connection. */
    private static final MethodHandle CONNECTION_REF;

    private static final MethodHandle REGISTER_TABLE_FUNCTION;
    private static final MethodHandle REGISTER_SCALAR_FUNCTION;

    static {
        try {
            Class<?> bindings = Class.forName("org.duckdb.DuckDBBindings");
            MethodHandles.Lookup driver = MethodHandles.privateLookupIn(bindings, MethodHandles.lookup());
            driver.ensureInitialized(bindings);
            CONNECTION_REF = driver.findGetter(DuckDBConnection.class, "connRef", ByteBuffer.class);
            MethodType register = MethodType.methodType(int.class, ByteBuffer.class, ByteBuffer.class);
            REGISTER_TABLE_FUNCTION = driver.findStatic(bindings, "duckdb_register_table_function", register);
            REGISTER_SCALAR_FUNCTION = driver.findStatic(bindings, "duckdb_register_scalar_function", register);
            var lib = new ScoterNative.Library("libduckdb_java", "duckdb_malloc");
            Class<?> none = void.class;
            Class<?> l = long.class;
            MALLOC = lib.function("duckdb_malloc", l, l);
            FREE = lib.function("duckdb_free", none, l);
            CREATE_LOGICAL_TYPE = lib.function("duckdb_create_logical_type", l, int.class);
            CREATE_DECIMAL_TYPE = lib.function("duckdb_create_decimal_type", l, byte.class, byte.class);
            CREATE_LIST_TYPE = lib.function("duckdb_create_list_type", l, l);
            CREATE_ARRAY_TYPE = lib.function("duckdb_create_array_type", l, l, l);
            CREATE_MAP_TYPE = lib.function("duckdb_create_map_type", l, l, l);
            CREATE_STRUCT_TYPE = lib.function("duckdb_create_struct_type", l, l, l, l);
            CREATE_ENUM_TYPE = lib.function("duckdb_create_enum_type", l, l, l);
            DESTROY_LOGICAL_TYPE = lib.function("duckdb_destroy_logical_type", none, l);
            CHUNK_GET_VECTOR = lib.function("duckdb_data_chunk_get_vector", l, l, l);
            CHUNK_SET_SIZE = lib.function("duckdb_data_chunk_set_size", none, l, l);
            CHUNK_RESET = lib.function("duckdb_data_chunk_reset", none, l);
            VECTOR_GET_DATA = lib.function("duckdb_vector_get_data", l, l);
            VECTOR_GET_VALIDITY = lib.function("duckdb_vector_get_validity", l, l);
            VECTOR_ENSURE_VALIDITY_WRITABLE = lib.function("duckdb_vector_ensure_validity_writable", none, l);
            LIST_GET_CHILD = lib.function("duckdb_list_vector_get_child", l, l);
            LIST_SET_SIZE = lib.function("duckdb_list_vector_set_size", int.class, l, l);
            LIST_RESERVE = lib.function("duckdb_list_vector_reserve", int.class, l, l);
            STRUCT_GET_CHILD = lib.function("duckdb_struct_vector_get_child", l, l, l);
            ARRAY_GET_CHILD = lib.function("duckdb_array_vector_get_child", l, l);
            BIND_GET_PARAMETER = lib.function("duckdb_bind_get_parameter", l, l, l);
            BIND_ADD_RESULT_COLUMN = lib.function("duckdb_bind_add_result_column", none, l, l, l);
            BIND_SET_BIND_DATA = lib.function("duckdb_bind_set_bind_data", none, l, l, l);
            BIND_SET_CARDINALITY = lib.function("duckdb_bind_set_cardinality", none, l, l, boolean.class);
            BIND_SET_ERROR = lib.function("duckdb_bind_set_error", none, l, l);
            GET_INT64 = lib.function("duckdb_get_int64", l, l);
            DESTROY_VALUE = lib.function("duckdb_destroy_value", none, l);
            INIT_GET_BIND_DATA = lib.function("duckdb_init_get_bind_data", l, l);
            INIT_SET_MAX_THREADS = lib.function("duckdb_init_set_max_threads", none, l, l);
            INIT_SET_INIT_DATA = lib.function("duckdb_init_set_init_data", none, l, l, l);
            FUNCTION_GET_BIND_DATA = lib.function("duckdb_function_get_bind_data", l, l);
            FUNCTION_GET_LOCAL_INIT_DATA = lib.function("duckdb_function_get_local_init_data", l, l);
            FUNCTION_SET_ERROR = lib.function("duckdb_function_set_error", none, l, l);
            CREATE_TABLE_FUNCTION = lib.function("duckdb_create_table_function", l);
            TABLE_FUNCTION_SET_NAME = lib.function("duckdb_table_function_set_name", none, l, l);
            TABLE_FUNCTION_ADD_PARAMETER = lib.function("duckdb_table_function_add_parameter", none, l, l);
            TABLE_FUNCTION_SET_BIND = lib.function("duckdb_table_function_set_bind", none, l, l);
            TABLE_FUNCTION_SET_INIT = lib.function("duckdb_table_function_set_init", none, l, l);
            TABLE_FUNCTION_SET_LOCAL_INIT = lib.function("duckdb_table_function_set_local_init", none, l, l);
            TABLE_FUNCTION_SET_FUNCTION = lib.function("duckdb_table_function_set_function", none, l, l);
            CREATE_SCALAR_FUNCTION = lib.function("duckdb_create_scalar_function", l);
            SCALAR_FUNCTION_SET_NAME = lib.function("duckdb_scalar_function_set_name", none, l, l);
            SCALAR_FUNCTION_ADD_PARAMETER = lib.function("duckdb_scalar_function_add_parameter", none, l, l);
            SCALAR_FUNCTION_SET_RETURN_TYPE = lib.function("duckdb_scalar_function_set_return_type", none, l, l);
            SCALAR_FUNCTION_SET_FUNCTION = lib.function("duckdb_scalar_function_set_function", none, l, l);
            DESTROY_SCALAR_FUNCTION = lib.function("duckdb_destroy_scalar_function", none, l);
            SCALAR_FUNCTION_SET_ERROR = lib.function("duckdb_scalar_function_set_error", none, l, l);
            CHUNK_GET_SIZE = lib.function("duckdb_data_chunk_get_size", l, l);
            DESTROY_TABLE_FUNCTION = lib.function("duckdb_destroy_table_function", none, l);
        } catch (Throwable e) {
            throw new UnsupportedOperationException("DuckDB's C API cannot be reached: " + e, e);
        }
    }

    private ScoterDuckDbNative() {}

    /** Loads the functions. Throws a LinkageError if they are not available. */
    static void load() {
        // Calling this method runs the static initializer, which does the work.
    }

    /** Allocates native memory. The caller must release it with {@link #free}. */
    static long allocate(long bytes) {
        long address = MALLOC.call(bytes);
        if (address == 0) {
            throw new OutOfMemoryError(bytes + " bytes outside of the heap");
        }
        return address;
    }

    static void free(long address) {
        FREE.call(address);
    }

    /** Returns a text as a zero-terminated C string. The caller must free it. */
    private static long cString(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        long address = allocate(bytes.length + 1L);
        for (int i = 0; i < bytes.length; i++) {
            ScoterNative.BYTE.set(address + i, bytes[i]);
        }
        ScoterNative.BYTE.set(address + bytes.length, (byte) 0);
        return address;
    }

    /** Returns an array of pointers in native memory. The caller must free it. */
    private static long pointers(long... values) {
        long address = allocate(8L * Math.max(1, values.length));
        for (int i = 0; i < values.length; i++) {
            ScoterNative.LONG.set(address + 8L * i, values[i]);
        }
        return address;
    }

    private static long[] cStrings(String[] texts) {
        long[] addresses = new long[texts.length];
        for (int i = 0; i < texts.length; i++) {
            addresses[i] = cString(texts[i]);
        }
        return addresses;
    }

    private static void freeAll(long... addresses) {
        for (long address : addresses) {
            free(address);
        }
    }

    /** Calls a destroy function of the C API, which takes the address of the handle. */
    private static void destroy(ScoterNative.Function function, long handle) {
        long place = pointers(handle);
        function.call(place);
        free(place);
    }

    // Types. A function that makes a type from other types destroys those.

    static long logicalType(int id) {
        return CREATE_LOGICAL_TYPE.call(id);
    }

    static long decimalType(int precision, int scale) {
        return CREATE_DECIMAL_TYPE.call(precision, scale);
    }

    /** Makes a list type, or an array type if {@code length} is not 0. */
    static long listType(long element, int length) {
        long type = length == 0 ? CREATE_LIST_TYPE.call(element) : CREATE_ARRAY_TYPE.call(element, length);
        destroyType(element);
        return type;
    }

    static long mapType(long key, long value) {
        long type = CREATE_MAP_TYPE.call(key, value);
        destroyType(key);
        destroyType(value);
        return type;
    }

    static long structType(long[] types, String[] names) {
        long[] texts = cStrings(names);
        long typeList = pointers(types);
        long nameList = pointers(texts);
        long type = CREATE_STRUCT_TYPE.call(typeList, nameList, types.length);
        freeAll(texts);
        freeAll(typeList, nameList);
        for (long field : types) {
            destroyType(field);
        }
        return type;
    }

    static long enumType(String[] labels) {
        long[] texts = cStrings(labels);
        long list = pointers(texts);
        long type = CREATE_ENUM_TYPE.call(list, labels.length);
        freeAll(texts);
        free(list);
        return type;
    }

    static void destroyType(long type) {
        destroy(DESTROY_LOGICAL_TYPE, type);
    }

    /**
     * Returns the address of a vector's validity mask. It has one bit per value, which is set if
     * the value is not null. At first all bits are set.
     */
    static long validity(long vector) {
        VECTOR_ENSURE_VALIDITY_WRITABLE.call(vector);
        return VECTOR_GET_VALIDITY.call(vector);
    }

    // Table functions. DuckDB calls bind, init and function with the addresses of its own
    // structures.

    /** Returns the first argument of the table function's call. */
    static long bindArgument(long info) {
        long value = BIND_GET_PARAMETER.call(info, 0);
        long argument = GET_INT64.call(value);
        destroy(DESTROY_VALUE, value);
        return argument;
    }

    static void bindColumn(long info, String name, long type) {
        long text = cString(name);
        BIND_ADD_RESULT_COLUMN.call(info, text, type);
        free(text);
    }

    /**
     * Makes the running callback fail with a message. {@code set} is the C function that reports
     * errors for this kind of callback.
     */
    static void error(ScoterNative.Function set, long info, String message) {
        long text = cString(message);
        set.call(info, text);
        free(text);
    }

    /**
     * Registers a table function with one BIGINT parameter. If a transaction is open, a rollback
     * removes the function.
     *
     * @throws SQLException if DuckDB refuses it
     */
    static void register(DuckDBConnection connection, String name, long bind, long init, long localInit, long function)
            throws SQLException {
        long text = cString(name);
        long argument = logicalType(BIGINT);
        long made = CREATE_TABLE_FUNCTION.call();
        try {
            TABLE_FUNCTION_SET_NAME.call(made, text);
            TABLE_FUNCTION_ADD_PARAMETER.call(made, argument);
            TABLE_FUNCTION_SET_BIND.call(made, bind);
            TABLE_FUNCTION_SET_INIT.call(made, init);
            TABLE_FUNCTION_SET_LOCAL_INIT.call(made, localInit);
            TABLE_FUNCTION_SET_FUNCTION.call(made, function);
            int state = (int) REGISTER_TABLE_FUNCTION.invokeExact(
                    (ByteBuffer) CONNECTION_REF.invokeExact(connection), ScoterNative.buffer(made));
            if (state != 0) {
                throw new SQLException("DuckDB does not take the table function " + name);
            }
        } catch (SQLException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        } finally {
            destroy(DESTROY_TABLE_FUNCTION, made);
            destroyType(argument);
            free(text);
        }
    }

    /**
     * Finds the static method that implements a scalar function. Its parameters are the addresses
     * of the function's info, its arguments and its result.
     */
    static MethodHandle scalarCallback(MethodHandles.Lookup in, String name) throws ReflectiveOperationException {
        return in.findStatic(
                in.lookupClass(), name, MethodType.methodType(void.class, long.class, long.class, long.class));
    }

    /**
     * Registers a scalar function and destroys the types that it was given. If a transaction is
     * open, a rollback removes the function.
     *
     * @return false if DuckDB refuses it, for example because it already exists
     */
    static boolean registerScalar(
            DuckDBConnection connection, String name, long result, long function, long... parameters) {
        long text = cString(name);
        long made = CREATE_SCALAR_FUNCTION.call();
        try {
            SCALAR_FUNCTION_SET_NAME.call(made, text);
            for (long parameter : parameters) {
                SCALAR_FUNCTION_ADD_PARAMETER.call(made, parameter);
            }
            SCALAR_FUNCTION_SET_RETURN_TYPE.call(made, result);
            SCALAR_FUNCTION_SET_FUNCTION.call(made, function);
            return (int) REGISTER_SCALAR_FUNCTION.invokeExact(
                            (ByteBuffer) CONNECTION_REF.invokeExact(connection), ScoterNative.buffer(made))
                    == 0;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        } finally {
            destroy(DESTROY_SCALAR_FUNCTION, made);
            destroyType(result);
            for (long parameter : parameters) {
                destroyType(parameter);
            }
            free(text);
        }
    }
}
