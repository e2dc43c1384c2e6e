package com.scoterdb.client;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.UUID;

/**
 * Receives the values of a row from generated code, one after the other, and writes them for binary
 * COPY. Frequent types have a method of their own, because finding a column's writer costs as much
 * as writing the value. A null is written as NULL and sets {@link #nulls}.
 */
final class ScoterCopyRow {
    final ScoterCopyBuffer out = new ScoterCopyBuffer();
    /** Whether a null was written since the caller cleared this flag. */
    boolean nulls;

    private final ScoterCopyType[] types;

    ScoterCopyRow(ScoterCopyType[] types) {
        this.types = types;
    }

    /** Writes all values of a row. */
    interface Writer<T> {
        void write(ScoterCopyRow to, T row);
    }

    /**
     * Returns whether generated code may write a column's values with the method for its kind.
     * Otherwise {@link #value} must be used.
     */
    static boolean direct(ScoterCopyType served, ScoterTypes.Type<?> type) {
        return type.kind != ScoterTypes.Kind.TEXT || served instanceof ScoterCopyType.Text;
    }

    /** Writes a value with the writer of the column number {@code column}. */
    void value(int column, Object value) {
        nulls |= value == null;
        types[column].putNullable(out, value);
    }

    private void none() {
        nulls = true;
        out.reserve(4);
        out.int32(-1);
    }

    void bool(Boolean value) {
        if (value == null) {
            none();
        } else {
            ScoterCopyFixed.bool(out, value);
        }
    }

    void int16(Short value) {
        if (value == null) {
            none();
        } else {
            ScoterCopyFixed.int16(out, value);
        }
    }

    void int32(Integer value) {
        if (value == null) {
            none();
        } else {
            ScoterCopyFixed.int32(out, value);
        }
    }

    void int64(Long value) {
        if (value == null) {
            none();
        } else {
            ScoterCopyFixed.int64(out, value);
        }
    }

    void float32(Float value) {
        if (value == null) {
            none();
        } else {
            ScoterCopyFixed.float32(out, value);
        }
    }

    void float64(Double value) {
        if (value == null) {
            none();
        } else {
            ScoterCopyFixed.float64(out, value);
        }
    }

    void uuid(UUID value) {
        if (value == null) {
            none();
        } else {
            ScoterCopyFixed.uuid(out, value);
        }
    }

    void date(LocalDate value) {
        if (value == null) {
            none();
        } else {
            ScoterCopyFixed.date(out, value);
        }
    }

    void timestamp(LocalDateTime value) {
        if (value == null) {
            none();
        } else {
            ScoterCopyFixed.timestamp(out, value);
        }
    }

    void timestamptz(OffsetDateTime value) {
        if (value == null) {
            none();
        } else {
            ScoterCopyFixed.timestamptz(out, value);
        }
    }

    void decimal(BigDecimal value) {
        if (value == null) {
            none();
        } else {
            ScoterCopyNumeric.write(out, value);
        }
    }

    void text(String value) {
        if (value == null) {
            none();
        } else {
            out.text(value);
        }
    }
}
