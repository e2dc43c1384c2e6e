package registry

import (
	"context"
	"encoding/binary"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/avro"
)

// Avro returns the Avro schema with an id, which framing.Cut reads from the header of a message.
// The package comment describes the errors.
func (c *Client) Avro(ctx context.Context, id uint32) (*avro.Schema, error) {
	// This key of the cache begins with "avro". Keys of Protobuf schemas begin with a 0 byte, so
	// the two cannot be equal.
	key := string(binary.BigEndian.AppendUint32([]byte("avro"), id))
	return get(ctx, c, key, func() (*avro.Schema, error) {
		s, refs, err := c.byID(ctx, id, sr.TypeAvro)
		if err != nil {
			return nil, err
		}
		schema, err := parseAvro(s, refs)
		return schema, base.Wrap(err, "schema %d", id)
	})
}

// LatestAvro returns the newest version of a subject's Avro schema. It does not cache the schema,
// but asks the registry each time.
func (c *Client) LatestAvro(ctx context.Context, subject string) (*avro.Schema, error) {
	s, refs, err := c.latest(ctx, subject, sr.TypeAvro)
	if err != nil {
		return nil, err
	}
	schema, err := parseAvro(s, refs)
	return schema, base.Wrap(err, "schema of subject %q", subject)
}

func parseAvro(s sr.Schema, refs []reference) (*avro.Schema, error) {
	texts := make([]string, len(refs))
	for i, r := range refs {
		texts[i] = r.text
	}
	return avro.Parse(s.Schema, texts...)
}
