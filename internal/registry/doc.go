// Package registry reads schemas from a schema registry with Confluent's API. Package framing
// decodes the headers with which messages refer to these schemas.
//
//	client, err := registry.New(registry.Options{URLs: []string{"http://127.0.0.1:8081"}})
//	header, value, err := framing.CutProtobuf(msg)
//	message, err := client.Message(ctx, header) // then protobuf.NewPlan(message, ...)
//
//	id, value, err := framing.Cut(msg)
//	schema, err := client.Avro(ctx, id) // then avro.NewPlan(schema, ...)
//
// # Errors
//
// If an error has the kind base.NotFound or base.Invalid, the message that names the schema is at
// fault, and can be stored as a dead letter. NotFound means that the registry does not have the
// schema, or that the schema does not have the message type. Invalid means that the schema is
// invalid, or of another type than the caller wants, such as Avro instead of Protobuf.
//
// For all other errors, the registry is at fault: it is unavailable, or refuses the credentials.
// The message may be valid, so the caller should wait and try again.
//
// The package uses the registry client of franz-go. The schema of an id never changes, so schemas
// are cached. That an id is unknown is cached for a few seconds only.
package registry
