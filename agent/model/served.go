package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"unicode"

	"github.com/seed-3e5a1d81/agent/agent/model/openai"
)

// maxServed bounds the answer that lists models, in bytes.
const maxServed = 4 << 20

// maxName is how long the name of a model may be, in bytes; longer ones are no
// names.
const maxName = 256

// Served asks a service that speaks one of OpenAI's formats which models it
// serves, with its key and headers. Errors name the address and no secret; ctx
// bounds the wait.
func Served(ctx context.Context, s Service, opts Options) ([]Listed, error) {
	if s.API == apiAnthropic || s.BaseURL == "" {
		return nil, fmt.Errorf("list models of %s: it cannot be asked for them", s.Name)
	}
	names, err := askServed(ctx, opts.vendor(opts.configured(s.Name)))
	if err != nil {
		return nil, fmt.Errorf("list models of %s: %w", s.Name, err)
	}
	var out []Listed
	for _, name := range names {
		id := s.Name + "/" + name
		out = append(out, Listed{ID: id, ModelFacts: Facts(id, opts)})
	}
	return out, nil
}

// configured is what the user configured of a provider, if anything.
func (o Options) configured(provider string) Endpoint {
	for _, e := range o.Providers {
		if e.Name == provider {
			return e
		}
	}
	return Endpoint{Name: provider}
}

func askServed(ctx context.Context, p openai.Provider) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(p.BaseURL, "/")+"/models", nil)
	if err != nil {
		return nil, errors.New("its address is none")
	}
	if p.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+p.APIKey)
	}
	for name, value := range p.Headers {
		req.Header.Set(name, value)
	}
	// A redirection would carry the key elsewhere.
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return nil, unanswered(req.URL.Host, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers with status %d", req.URL.Host, res.StatusCode)
	}
	names, err := readServed(res.Body)
	if err != nil {
		return nil, fmt.Errorf("what %s answers (content type %.60q) is no list of models: %w", req.URL.Host, res.Header.Get("Content-Type"), err)
	}
	return names, nil
}

// unanswered says that a request had no answer, without its address, which may
// hold a password.
func unanswered(host string, err error) error {
	var way *url.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("nothing answers at %s", host)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("nothing answers at %s in time", host)
	case errors.As(err, &way):
		err = way.Err
	}
	return fmt.Errorf("nothing answers at %s: %w", host, err)
}

// unshown reports whether no model has a name with such a character.
func unshown(r rune) bool { return !unicode.IsGraphic(r) }

func readServed(body io.Reader) ([]string, error) {
	var answer struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(body, maxServed)).Decode(&answer); err != nil {
		if errors.As(err, new(*json.UnmarshalTypeError)) {
			err = errors.New("it is JSON of another kind")
		}
		return nil, err
	}
	var names []string
	for _, m := range answer.Data {
		if strings.TrimSpace(m.ID) != "" && len(m.ID) <= maxName && !strings.ContainsFunc(m.ID, unshown) {
			names = append(names, m.ID)
		}
	}
	return names, nil
}
