package cmd

import (
	"github.com/seed-3e5a1d81/agent/internal/secret"
)

// maskedError is an error in the words in which it may be printed.
type maskedError struct {
	err           error
	message, hint string
}

func (m *maskedError) Error() string { return m.message }
func (m *maskedError) Unwrap() error { return m.err }

// masked takes the values of secret variables out of what err says: a command
// line may hold one where another word belongs, and errors quote what they
// refuse.
func masked(s *streams, g *globals, err error) error {
	if err == nil {
		return nil
	}
	masker := secret.FromEnviron(s.Environ, g.keys)
	return &maskedError{err: err, message: masker.MaskString(err.Error()), hint: masker.MaskString(hintOf(err))}
}
