package exit

import (
	"errors"
	"fmt"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// Codes of errors that are none of package agent's.
const (
	CodeUsage    = "usage"
	CodeConfig   = "config"
	CodeStore    = "store"
	CodeInternal = "internal"
)

// usageError is a command line that asks for nothing that could be done.
type usageError struct{ message, code string }

func (e *usageError) Error() string     { return e.message }
func (e *usageError) ErrorCode() string { return e.code }

// Usagef is a command line that asks for nothing that could be done.
func Usagef(format string, args ...any) error {
	return Refusef(CodeUsage, format, args...)
}

// Configf is a usage error whose cause lies in the configuration or the
// environment.
func Configf(format string, args ...any) error {
	return Refusef(CodeConfig, format, args...)
}

// Refusef is a usage error that has a code of its own.
func Refusef(code, format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...), code: code}
}

// hintedError is an error that knows the next step.
type hintedError struct {
	err  error
	hint string
}

func (e *hintedError) Error() string { return e.err.Error() }
func (e *hintedError) Unwrap() error { return e.err }
func (e *hintedError) Hint() string  { return e.hint }

// Hintf adds the next step to err.
func Hintf(err error, format string, args ...any) error {
	return &hintedError{err: err, hint: fmt.Sprintf(format, args...)}
}

// ErrorCode is the word for err in JSON: package agent's, that of an error with
// a method ErrorCode, or one of these.
func ErrorCode(err error) string {
	if code := agent.Code(err); code != "" {
		return code
	}
	var coded interface{ ErrorCode() string }
	switch {
	case errors.As(err, &coded):
		return coded.ErrorCode()
	case errors.Is(err, runstore.ErrStore):
		return CodeStore
	}
	return CodeInternal
}

// Hint is the next step err knows of, by its outermost method Hint or as a
// provider's fault; "" if none.
func Hint(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	var p *agent.ProviderError
	if errors.As(err, &p) {
		return p.Hint
	}
	return ""
}
