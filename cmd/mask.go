package cmd

import (
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/secret"
)

// masker takes the values of secret variables out of texts: of those named like
// secrets, and of names; and those of the headers that open providers.
func (g *globals) masker(s *iostreams.Streams, names []string) *secret.Masker {
	environ, names := slices.Clone(s.Environ), slices.Clone(names)
	for _, h := range g.headers {
		name, _, _ := strings.Cut(h, "=")
		environ, names = append(environ, h), append(names, name)
	}
	return secret.FromEnviron(environ, names)
}

// secretHeaders are the configured headers that are named like secrets, as
// "NAME=value". What follows a scheme such as Bearer is a secret by itself.
func secretHeaders(cfg *config.Config) []string {
	var out []string
	for _, p := range cfg.Providers {
		for name, value := range p.Value.Headers {
			if !secretHeader(name) {
				continue
			}
			out = append(out, name+"="+value)
			if _, rest, ok := strings.Cut(value, " "); ok {
				out = append(out, name+"="+rest)
			}
		}
	}
	slices.Sort(out)
	return out
}

func secretHeader(name string) bool {
	return slices.ContainsFunc([]string{"AUTH", "KEY", "TOKEN", "SECRET", "PASSWORD", "COOKIE"}, func(word string) bool {
		return strings.Contains(strings.ToUpper(name), word)
	})
}

// maskedError is an error in the words in which it may be printed.
type maskedError struct {
	err           error
	message, hint string
}

func (m *maskedError) Error() string { return m.message }
func (m *maskedError) Unwrap() error { return m.err }
func (m *maskedError) Hint() string  { return m.hint }

// masked takes the values of secret variables out of what err says: a command
// line may hold one where another word belongs, and errors quote what they
// refuse.
func masked(s *iostreams.Streams, g *globals, err error) error {
	if err == nil {
		return nil
	}
	masker := g.masker(s, g.keys)
	return &maskedError{err: err, message: masker.MaskString(err.Error()), hint: masker.MaskString(exit.Hint(err))}
}
