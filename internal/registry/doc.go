// Package registry reads schemas from a schema registry with Confluent's interface, and the
// headers by which messages name them.
//
//	client, err := registry.New(registry.Options{URLs: []string{"http://127.0.0.1:8081"}})
//	header, value, err := registry.CutProtobuf(msg)
//	message, err := client.Message(ctx, header) // then protobuf.NewPlan(message, ...)
//
//	id, value, err := registry.Cut(msg)
//	schema, err := client.Avro(ctx, id) // then avro.NewPlan(schema, ...)
//
// # Errors
//
// base.NotFound (the registry has no such schema, or the schema no such message type) and
// base.Invalid (the schema is of another kind, or is none) are the message's: it can be put
// aside. Every other error is the registry's, which is away or refuses the credentials: the
// message may be fine, so wait and ask again.
//
// The client is franz-go's. What an id means never changes, so schemas are kept; that an id
// is unknown is kept for a few seconds only.
package registry
