package model

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/anthropic"
	"github.com/seed-3e5a1d81/agent/agent/model/openai"
)

// deadProxy fails as net/http does for a proxy.
type deadProxy string

func (d deadProxy) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New(string(d))
}

// A proxy that cannot be used is told as such, without its password, whatever
// the format.
func TestOpen_deadProxy(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(through http.RoundTripper) (agent.Model, error){
		"anthropic": func(through http.RoundTripper) (agent.Model, error) {
			return anthropic.Open("m", anthropic.Options{APIKey: "key", HTTPClient: &http.Client{Transport: through}})
		},
		"openai": func(through http.RoundTripper) (agent.Model, error) {
			return openai.New(openai.Provider{Name: "x", BaseURL: "http://h.invalid"}, "m", openai.Options{Transport: through})
		},
	} {
		for _, proxy := range []deadProxy{
			"proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused",
			`invalid proxy address "http://ann:proxy-pass@ho st": invalid character " " in host name`,
		} {
			m, err := open(proxy)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range m.Stream(t.Context(), agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: "hi"}}}) {
				var f *agent.ProviderError
				if !errors.As(err, &f) || !strings.Contains(f.Message, "proxy") || !strings.Contains(f.Hint, "HTTP_PROXY") || strings.Contains(fmt.Sprintf("%v %+v", err, f), "proxy-pass") {
					t.Errorf("%s: %s: %v", name, proxy, err)
				}
			}
		}
	}
}
