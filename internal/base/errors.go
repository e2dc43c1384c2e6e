package base

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Kind says how a client can react to an error. There are few kinds on purpose: a new kind is
// justified only if clients react to it in a new way.
type Kind uint8

const (
	// Internal means that the error is a defect of Scoter. The client reports it.
	Internal Kind = iota
	// Invalid is a request that cannot succeed as it is. The client changes it.
	Invalid
	// Unauthenticated is a request without a valid credential.
	Unauthenticated
	// Forbidden is a request that this caller may not make.
	Forbidden
	// NotFound means that a table, column, database or other object does not exist.
	NotFound
	// Conflict is a request that contradicts an existing object or a concurrent request. The client
	// retries, or chooses another name.
	Conflict
	// TooLarge is a request that exceeds a documented limit. The client splits it.
	TooLarge
	// Busy means that this client sends more than its share. The client waits, then retries.
	Busy
	// Unavailable means that the server cannot take the request at the moment. The client waits,
	// then retries.
	Unavailable
	// StorageFull means that the disk has no space. The operator frees some, and the client
	// retries.
	StorageFull
	// Canceled means that the client gave the request up.
	Canceled
	// Timeout is a request that took longer than its time limit.
	Timeout
	// Corrupt means that data on disk is not what was written. The operator stops the server and
	// restores a backup.
	Corrupt
	// Unknown is a request that may or may not have been applied. The client finds out, or repeats
	// it with the same idempotency key.
	Unknown
)

// kinds has the name, HTTP status and exit code of each Kind.
var kinds = [...]struct {
	name   string
	status int
	exit   int
}{
	Internal:        {"internal", http.StatusInternalServerError, 70},
	Invalid:         {"invalid", http.StatusBadRequest, 65},
	Unauthenticated: {"unauthenticated", http.StatusUnauthorized, 77},
	Forbidden:       {"forbidden", http.StatusForbidden, 77},
	NotFound:        {"not_found", http.StatusNotFound, 66},
	Conflict:        {"conflict", http.StatusConflict, 75},
	TooLarge:        {"too_large", http.StatusRequestEntityTooLarge, 65},
	Busy:            {"busy", http.StatusTooManyRequests, 75},
	Unavailable:     {"unavailable", http.StatusServiceUnavailable, 75},
	StorageFull:     {"storage_full", http.StatusInsufficientStorage, 74},
	Canceled:        {"canceled", 499, 130},
	Timeout:         {"timeout", http.StatusRequestTimeout, 75},
	Corrupt:         {"corrupt", http.StatusInternalServerError, 74},
	Unknown:         {"unknown", http.StatusInternalServerError, 74},
}

// String returns the kind's name, as it appears in responses, logs and docs.
func (k Kind) String() string { return kinds[k].name }

// KindNamed returns the kind with the given name, or Internal if no kind has that name.
func KindNamed(name string) Kind {
	for k := range kinds {
		if kinds[k].name == name {
			return Kind(k)
		}
	}
	return Internal
}

// HTTPStatus returns the status code of a response with an error of this kind.
func (k Kind) HTTPStatus() int { return kinds[k].status }

// ExitCode returns the exit code of the command line for this kind of error. It is the code of
// sysexits.h where that has a suitable one.
func (k Kind) ExitCode() int { return kinds[k].exit }

// Retryable reports whether an error of this kind means that the request was not applied, and that
// the same request may succeed later.
func (k Kind) Retryable() bool { return k == Busy || k == Unavailable || k == StorageFull }

// Error is an error for a user: its kind, what happened and where, and what to do about it.
type Error struct {
	Kind     Kind
	Message  string
	Hint     string // what the client can do; empty if there is nothing to suggest
	Position int    // 1-based byte position in the SQL text or body; 0 if unknown
	cause    error
}

// Errorf returns an error of the given kind. The format is that of fmt.Errorf: an error that is
// passed for %w is found by errors.Is and errors.As.
func Errorf(kind Kind, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: wrapped.Error(), cause: errors.Unwrap(wrapped)}
}

// Error returns the message, without the hint.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the error that was passed to Errorf for %w, or nil.
func (e *Error) Unwrap() error { return e.cause }

// WithHint returns a copy of the error with a hint: what the client can do about it.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// At returns a copy of the error with its position: the number of a byte of the SQL text or body,
// counted from 1.
func (e *Error) At(position int) *Error {
	c := *e
	c.Position = position
	return &c
}

// KindOf returns the kind of the outermost error in err's chain that has one. If none has one, the
// kind is Canceled for context.Canceled, Timeout for context.DeadlineExceeded, and otherwise
// Internal.
func KindOf(err error) Kind {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	default:
		return Internal
	}
}

// Wrap returns err with a description of the failed operation before its message. Kind, hint and
// position stay as they are. If err is nil, Wrap returns nil.
func Wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	message := fmt.Sprintf(format, args...) + ": " + err.Error()
	var e *Error
	if errors.As(err, &e) {
		return &Error{Kind: e.Kind, Message: message, Hint: e.Hint, Position: e.Position, cause: err}
	}
	return &Error{Kind: KindOf(err), Message: message, cause: err}
}
