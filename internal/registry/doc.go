// Package registry reads schemas from a schema registry with Confluent's API. The headers with
// which messages refer to schemas are decoded by package framing.
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
// base.NotFound and base.Invalid are errors of a message, which can be stored as a dead letter.
// NotFound means that the registry does not have the schema, or the schema does not have the
// message type. Invalid means that the schema is of another kind or is invalid.
//
// All other errors are errors of the registry: it is unavailable, or refuses the credentials. The
// message may be valid, so wait and try again.
//
// The client is franz-go's. The meaning of an id never changes, so schemas are cached. An unknown
// id is cached for a few seconds only.
package registry
