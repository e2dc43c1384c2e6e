package base

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Kind says what the receiver of an error can do about it. There are few, on
// purpose: a new one is justified only by a new reaction.
type Kind uint8

const (
	// Internal is a defect of Scoter: report it.
	Internal Kind = iota
	// Invalid is a request that cannot succeed as it stands: change it.
	Invalid
	// Unauthenticated is a request without a valid credential.
	Unauthenticated
	// Forbidden is a request that this caller may not make.
	Forbidden
	// NotFound names a table, column, database or other thing that is not there.
	NotFound
	// Conflict is a request that lost against a concurrent one or an existing thing: retry or rename.
	Conflict
	// TooLarge is a request over a stated limit: split it.
	TooLarge
	// Busy is a caller that sends faster than its share: back off, then retry.
	Busy
	// Unavailable is a server that cannot take the request now: back off, then retry.
	Unavailable
	// StorageFull is a disk without space: free some, then retry.
	StorageFull
	// Canceled is a request whose client went away.
	Canceled
	// Timeout is a request that took longer than it was allowed.
	Timeout
	// Corrupt is data on disk that is not what was written: stop and restore.
	Corrupt
	// Unknown is a request that may or may not have been done: find out, or repeat it under the same idempotency key.
	Unknown
)

// kinds is the one table from kind to its name, HTTP status and exit code.
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

// String returns the kind's name on the wire, in logs and in docs.
func (k Kind) String() string { return kinds[k].name }

// KindNamed returns the kind of a name that String gave; Internal for any other.
func KindNamed(name string) Kind {
	for k := range kinds {
		if kinds[k].name == name {
			return Kind(k)
		}
	}
	return Internal
}

// HTTPStatus returns the status code a server answers with for this kind.
func (k Kind) HTTPStatus() int { return kinds[k].status }

// ExitCode returns the exit code of the command line for this kind (sysexits.h
// where one fits).
func (k Kind) ExitCode() int { return kinds[k].exit }

// Retryable reports whether the same request may succeed later, unchanged, and was not done now.
func (k Kind) Retryable() bool { return k == Busy || k == Unavailable || k == StorageFull }

// Error is an error that reaches a user: its kind, what happened and where, and,
// if there is one, what to do about it.
type Error struct {
	Kind     Kind
	Message  string
	Hint     string // one suggestion, or empty
	Position int    // 1-based byte position in the SQL text or body; 0 if it has none
	cause    error
}

// Errorf returns an error of a kind. The format is that of fmt.Errorf: an error
// given to %w stays reachable by errors.Is and errors.As.
func Errorf(kind Kind, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: wrapped.Error(), cause: errors.Unwrap(wrapped)}
}

// Error returns the message, without the hint.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the error given to %w, if any.
func (e *Error) Unwrap() error { return e.cause }

// WithHint returns a copy that carries a suggestion.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// At returns a copy that carries a 1-based byte position.
func (e *Error) At(position int) *Error {
	c := *e
	c.Position = position
	return &c
}

// KindOf returns the kind of the outermost Error in err's chain. An ended context
// is Canceled or Timeout; an error without a kind is Internal.
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

// Wrap adds what was being done to an error and keeps its kind, hint and position.
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
