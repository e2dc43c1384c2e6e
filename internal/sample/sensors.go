// Package sample generates sample data: the sensor readings that the published bulk-write
// benchmarks use. It uses the same pseudo-random numbers as those Java programs.
package sample

import (
	"math"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/uuid"

	"github.com/scoterdb/scoter/internal/schema"
)

// SensorTable is the SQL statement that creates the table for the readings.
const SensorTable = `CREATE TABLE IF NOT EXISTS sensor_readings (
  device_id UUID NOT NULL, "timestamp" TIMESTAMPTZ NOT NULL, temperature DOUBLE NOT NULL, humidity DOUBLE NOT NULL,
  pressure DECIMAL(10,2) NOT NULL, battery_level SMALLINT NOT NULL, is_anomaly BOOLEAN NOT NULL,
  location VARCHAR NOT NULL, tags VARCHAR[] NOT NULL
) SORTED BY (device_id, "timestamp")`

var locations = []string{"warehouse-A", "warehouse-B", "outdoor-north", "outdoor-south", "lab-clean-room", "lab-general",
	"roof-sensor", "basement-hvac", "server-room-1", "server-room-2"}

var tags = [][]string{{"temperature", "indoor"}, {"temperature", "outdoor"}, {"humidity", "critical"}, {"pressure", "calibrated"},
	{"battery", "low-power"}, {"anomaly", "flagged"}, {}}

const devices = 100

// Sensors generates readings: one every ten seconds from 2025-01-01 on, each from one of 100
// devices. All Sensors generate the same rows.
type Sensors struct {
	random  javaRandom
	devices [devices]uuid.UUID
	row     int64
}

// NewSensors returns a Sensors whose next reading is the first one.
func NewSensors() *Sensors {
	s := &Sensors{random: newJavaRandom(42)}
	ids := newJavaRandom(12345)
	for i := range s.devices {
		for half := range 2 {
			v := uint64(ids.nextLong())
			for b := range 8 {
				s.devices[i][half*8+b] = byte(v >> (56 - 8*b))
			}
		}
	}
	return s
}

var fields = []struct{ name, typ string }{
	{"device_id", "UUID"}, {"timestamp", "TIMESTAMPTZ"}, {"temperature", "DOUBLE"}, {"humidity", "DOUBLE"}, {"pressure", "DECIMAL(10,2)"},
	{"battery_level", "SMALLINT"}, {"is_anomaly", "BOOLEAN"}, {"location", "VARCHAR"}, {"tags", "VARCHAR[]"},
}

func sensorSchema() *arrow.Schema {
	out := make([]arrow.Field, len(fields))
	for i, f := range fields {
		t, err := schema.Parse(f.typ)
		if err != nil {
			panic("sample: " + err.Error())
		}
		out[i] = arrow.Field{Name: f.name, Type: t.Arrow(), Nullable: true}
	}
	return arrow.NewSchema(out, nil)
}

// Batch returns the next n readings. The caller releases it.
func (s *Sensors) Batch(n int) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, sensorSchema())
	defer b.Release()
	b.Reserve(n)
	id := b.Field(0).(*extensions.UUIDBuilder)
	at := b.Field(1).(*array.TimestampBuilder)
	temperature, humidity := b.Field(2).(*array.Float64Builder), b.Field(3).(*array.Float64Builder)
	pressure := b.Field(4).(*array.Decimal128Builder)
	battery, anomaly := b.Field(5).(*array.Int16Builder), b.Field(6).(*array.BooleanBuilder)
	location := b.Field(7).(*array.StringBuilder)
	list := b.Field(8).(*array.ListBuilder)
	words := list.ValueBuilder().(*array.StringBuilder)
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	r := &s.random
	for range n {
		id.Append(s.devices[r.nextInt(devices)])
		at.Append(arrow.Timestamp(start + s.row*10_000_000))
		temperature.Append(18 + r.nextDouble()*15)
		humidity.Append(30 + r.nextDouble()*50)
		pressure.Append(decimal128.FromI64(halfUp(980 + r.nextDouble()*40)))
		battery.Append(int16(20 + r.nextInt(80)))
		anomaly.Append(r.nextDouble() < 0.05)
		location.Append(locations[r.nextInt(len(locations))])
		list.Append(true)
		for _, tag := range tags[r.nextInt(len(tags))] {
			words.Append(tag)
		}
		s.row++
	}
	return b.NewRecordBatch()
}

// halfUp returns v in hundredths, rounded as Java's BigDecimal.valueOf(v).setScale(2, HALF_UP)
// does. Java rounds the decimal text of v, and halfUp its binary value. In the range of the
// readings, both give the same result.
func halfUp(v float64) int64 { return int64(math.Floor(v*100 + 0.5)) }

// javaRandom generates the same numbers as java.util.Random, by the linear congruential generator
// that Java's documentation specifies.
type javaRandom struct{ seed int64 }

func newJavaRandom(seed int64) javaRandom {
	return javaRandom{(seed ^ 0x5DEECE66D) & (1<<48 - 1)}
}

func (r *javaRandom) next(bits uint) int32 {
	r.seed = (r.seed*0x5DEECE66D + 0xB) & (1<<48 - 1)
	return int32(r.seed >> (48 - bits))
}

func (r *javaRandom) nextLong() int64 { return int64(r.next(32))<<32 + int64(r.next(32)) }

func (r *javaRandom) nextDouble() float64 {
	return float64(int64(r.next(26))<<27+int64(r.next(27))) * (1.0 / (1 << 53))
}

func (r *javaRandom) nextInt(bound int) int {
	if bound&(bound-1) == 0 {
		return int((int64(bound) * int64(r.next(31))) >> 31)
	}
	for {
		bits := r.next(31)
		value := bits % int32(bound)
		if bits-value+int32(bound-1) >= 0 {
			return int(value)
		}
	}
}
