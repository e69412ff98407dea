package anthropic

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// deadProxy fails as net/http does for a proxy.
type deadProxy string

func (d deadProxy) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New(string(d))
}

// A proxy that cannot be used is told as such, without its password.
func TestModel_Proxy(t *testing.T) {
	t.Parallel()
	for _, d := range []deadProxy{
		"proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused",
		`invalid proxy address "http://ann:proxy-pass@ho st": invalid character " " in host name`,
	} {
		m, err := Open("m", Options{APIKey: marker, HTTPClient: &http.Client{Transport: d}})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range m.Stream(t.Context(), agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: "hi"}}}) {
			var f *agent.ProviderError
			if !errors.As(err, &f) || !strings.Contains(f.Message, "proxy") || !strings.Contains(f.Hint, "HTTP_PROXY") || strings.Contains(fmt.Sprintf("%v %+v", err, f), "proxy-pass") {
				t.Errorf("%s: %v", d, err)
			}
		}
	}
}
