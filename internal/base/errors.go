package base

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Kind says how a client can react to an error. There are few kinds on purpose: a new one is
// justified only by a new reaction.
type Kind uint8

const (
	// Internal is a defect of Scoter. The client reports it.
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
	// Canceled is a request that the client gave up.
	Canceled
	// Timeout is a request that took longer than its time limit.
	Timeout
	// Corrupt means that data on disk is not what was written. The operator stops the server and
	// restores.
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

// String returns the name of the kind in responses, logs and docs.
func (k Kind) String() string { return kinds[k].name }

// KindNamed returns the kind whose String is name, or Internal if there is none.
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

// ExitCode returns the exit code of the command line for this kind, as in sysexits.h where one
// fits.
func (k Kind) ExitCode() int { return kinds[k].exit }

// Retryable reports whether a request that got this error was not applied, and may succeed if it is
// repeated as it is.
func (k Kind) Retryable() bool { return k == Busy || k == Unavailable || k == StorageFull }

// Error is an error for a user: its kind, what happened and where, and what to do about it.
type Error struct {
	Kind     Kind
	Message  string
	Hint     string // what the client can do; empty if there is nothing to suggest
	Position int    // 1-based byte position in the SQL text or body; 0 if unknown
	cause    error
}

// Errorf returns an error of a kind. The format is that of fmt.Errorf: errors.Is and errors.As find
// an error that is passed for %w.
func Errorf(kind Kind, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: wrapped.Error(), cause: errors.Unwrap(wrapped)}
}

// Error returns the message, without the hint.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the error that was passed for %w, if any.
func (e *Error) Unwrap() error { return e.cause }

// WithHint returns a copy with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// At returns a copy with the position of the error: a byte of the SQL text or body, counted from 1.
func (e *Error) At(position int) *Error {
	c := *e
	c.Position = position
	return &c
}

// KindOf returns the kind of an error. If several errors in err's chain have one, it is that of the
// outermost. The error of a context that ended is Canceled or Timeout. Any other error without a
// kind is Internal.
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
// position stay. If err is nil, it returns nil.
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
