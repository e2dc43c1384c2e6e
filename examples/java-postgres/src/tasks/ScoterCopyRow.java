package tasks;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.UUID;

/**
 * Where generated code writes the values of a row for binary COPY, one after the other. The types
 * that most columns are of have a method each: to look for the writer of a column's type costs as
 * much as to write the value. Null is written as such, and told by {@link #nulls}.
 */
final class ScoterCopyRow {
    final ScoterCopyBuffer out = new ScoterCopyBuffer();
    /** Whether a value has been null. */
    boolean nulls;

    private final ScoterCopyType[] types;

    ScoterCopyRow(ScoterCopyType[] types) {
        this.types = types;
    }

    /** Writes the values of a row. */
    interface Writer<T> {
        void write(ScoterCopyRow to, T row);
    }

    /**
     * Whether a column's values may be written by the method of its kind, or {@link #value} has to
     * be asked.
     */
    static boolean direct(ScoterCopyType served, ScoterTypes.Type<?> type) {
        return type.kind != ScoterTypes.Kind.TEXT || served instanceof ScoterCopyType.Text;
    }

    /** Writes a value as the type of the column at that place. */
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
