package schema

// Kind is a DuckDB type without its parameters. Only the following kinds have parameters: Decimal
// (Width, Scale), Enum (Values), List (Elem), Array (Elem, Size), Struct (Fields) and Map (Key,
// Elem).
type Kind uint8

// The kinds, named as in DuckDB. The zero Kind is not a type.
const (
	invalid Kind = iota
	// Null is the type of a column that has only NULLs. Tables cannot have such columns.
	Null
	Boolean
	TinyInt
	SmallInt
	Integer
	BigInt
	HugeInt
	UTinyInt
	USmallInt
	UInteger
	UBigInt
	UHugeInt
	Float
	Double
	Decimal
	Varchar
	Blob
	UUID
	Date
	Time
	TimeTZ
	TimestampS
	TimestampMS
	Timestamp
	TimestampNS
	TimestampTZ
	Interval
	Bit
	JSON
	Enum
	List
	Array
	Struct
	Map
)

// names are the names of the kinds as String returns them. DuckDB parses each name as the same
// type.
var names = [...]string{
	invalid:     "INVALID",
	Null:        `"NULL"`,
	Boolean:     "BOOLEAN",
	TinyInt:     "TINYINT",
	SmallInt:    "SMALLINT",
	Integer:     "INTEGER",
	BigInt:      "BIGINT",
	HugeInt:     "HUGEINT",
	UTinyInt:    "UTINYINT",
	USmallInt:   "USMALLINT",
	UInteger:    "UINTEGER",
	UBigInt:     "UBIGINT",
	UHugeInt:    "UHUGEINT",
	Float:       "FLOAT",
	Double:      "DOUBLE",
	Decimal:     "DECIMAL",
	Varchar:     "VARCHAR",
	Blob:        "BLOB",
	UUID:        "UUID",
	Date:        "DATE",
	Time:        "TIME",
	TimeTZ:      "TIME WITH TIME ZONE",
	TimestampS:  "TIMESTAMP_S",
	TimestampMS: "TIMESTAMP_MS",
	Timestamp:   "TIMESTAMP",
	TimestampNS: "TIMESTAMP_NS",
	TimestampTZ: "TIMESTAMP WITH TIME ZONE",
	Interval:    "INTERVAL",
	Bit:         "BIT",
	JSON:        "JSON",
	Enum:        "ENUM",
	List:        "LIST",
	Array:       "ARRAY",
	Struct:      "STRUCT",
	Map:         "MAP",
}

// String returns the DuckDB keyword of the kind, such as BIGINT.
func (k Kind) String() string {
	if int(k) >= len(names) {
		return names[invalid]
	}
	return names[k]
}

// spellings maps every word that DuckDB accepts for a type without parameters to its kind. The
// words are in upper case.
var spellings = map[string]Kind{
	"NULL":    Null,
	"BOOLEAN": Boolean, "BOOL": Boolean, "LOGICAL": Boolean,
	"TINYINT": TinyInt, "INT1": TinyInt,
	"SMALLINT": SmallInt, "INT2": SmallInt, "INT16": SmallInt, "SHORT": SmallInt,
	"INTEGER": Integer, "INT": Integer, "INT4": Integer, "INT32": Integer, "SIGNED": Integer, "INTEGRAL": Integer,
	"BIGINT": BigInt, "INT8": BigInt, "INT64": BigInt, "LONG": BigInt, "OID": BigInt,
	"HUGEINT": HugeInt, "INT128": HugeInt,
	"UTINYINT": UTinyInt, "UINT8": UTinyInt,
	"USMALLINT": USmallInt, "UINT16": USmallInt,
	"UINTEGER": UInteger, "UINT32": UInteger,
	"UBIGINT": UBigInt, "UINT64": UBigInt,
	"UHUGEINT": UHugeInt, "UINT128": UHugeInt,
	"FLOAT": Float, "REAL": Float, "FLOAT4": Float,
	"DOUBLE": Double, "FLOAT8": Double, "DOUBLE PRECISION": Double,
	"DECIMAL": Decimal, "NUMERIC": Decimal, "DEC": Decimal,
	"VARCHAR": Varchar, "TEXT": Varchar, "STRING": Varchar, "CHAR": Varchar, "BPCHAR": Varchar, "NVARCHAR": Varchar,
	"CHARACTER VARYING": Varchar,
	"BLOB":              Blob, "BYTEA": Blob, "BINARY": Blob, "VARBINARY": Blob,
	"UUID": UUID, "GUID": UUID,
	"DATE": Date,
	"TIME": Time, "TIME WITHOUT TIME ZONE": Time,
	"TIMETZ": TimeTZ, "TIME WITH TIME ZONE": TimeTZ,
	"TIMESTAMP_S": TimestampS, "TIMESTAMP_SEC": TimestampS,
	"TIMESTAMP_MS": TimestampMS,
	"TIMESTAMP":    Timestamp, "DATETIME": Timestamp, "TIMESTAMP_US": Timestamp, "TIMESTAMP WITHOUT TIME ZONE": Timestamp,
	"TIMESTAMP_NS": TimestampNS,
	"TIMESTAMPTZ":  TimestampTZ, "TIMESTAMP WITH TIME ZONE": TimestampTZ,
	"INTERVAL": Interval,
	"BIT":      Bit, "BITSTRING": Bit,
	"JSON": JSON,
}

// refused are DuckDB types that tables cannot have, because Parquet cannot store their values
// without loss.
var refused = map[string]bool{
	"UNION": true, "VARIANT": true, "GEOMETRY": true, "BIGNUM": true, "VARINT": true, "TIME_NS": true,
}

// isSignedInt and isUnsignedInt distinguish the integer kinds.
func (k Kind) isSignedInt() bool   { return k >= TinyInt && k <= HugeInt }
func (k Kind) isUnsignedInt() bool { return k >= UTinyInt && k <= UHugeInt }

// IsInteger reports whether the values are integers, of any width and sign.
func (k Kind) IsInteger() bool { return k >= TinyInt && k <= UHugeInt }

// bits returns the width in bits of an integer kind.
func (k Kind) bits() int {
	if k.isUnsignedInt() {
		return 8 << (k - UTinyInt)
	}
	return 8 << (k - TinyInt)
}

// digits returns the maximum number of decimal digits of the values of an integer kind.
func (k Kind) digits() int {
	switch k.bits() {
	case 8:
		return 3
	case 16:
		return 5
	case 32:
		return 10
	case 64:
		if k.isUnsignedInt() {
			return 20
		}
		return 19
	default:
		return 39
	}
}
