package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// stalled is the cause a request is given up for when no byte came for long.
type stalled struct{ after time.Duration }

func (e *stalled) Error() string { return fmt.Sprintf("no byte came for %s", e.after) }

// watched carries one request. It gives it up when no byte comes for long, and
// turns answers that are no success into faults.
type watched struct {
	model *Model
	timer *time.Timer
	first time.Duration // until the first byte of the body
}

func (m *Model) watch(cancel context.CancelCauseFunc) *watched {
	first := m.opts.Stall
	if m.local() {
		first *= 10
	}
	w := &watched{model: m, first: first}
	w.timer = time.AfterFunc(first, func() { cancel(&stalled{first}) })
	return w
}

// local reports whether the server runs on this machine.
func (m *Model) local() bool {
	u, err := url.Parse(m.provider.BaseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// RoundTrip implements http.RoundTripper. The error of an answer that is no
// success is an *agent.ProviderError or a *refusedBlocks. Redirections are none:
// the conversation goes where the user said it may go.
func (w *watched) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := w.model.opts.Transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	w.timer.Reset(w.first)
	body := &watchedBody{ReadCloser: res.Body, timer: w.timer, after: w.model.opts.Stall, left: maxBody}
	res.Body = body
	if res.StatusCode < 300 {
		return res, nil
	}
	defer body.Close()
	text, _ := io.ReadAll(io.LimitReader(body, maxErrorBody)) // the status says enough without
	return nil, w.model.statusFault(res, text)
}

// maxErrorBody is how much of an error's body is read.
const maxErrorBody = 64 << 10

// maxBody is how much of a reply is read, unpacked. The longest replies there
// are, each of whose tokens comes as an event of its own, take half of it.
const maxBody = 128 << 20

// errTooLarge is a reply beyond maxBody.
var errTooLarge = errors.New("the reply is larger than 128 MiB")

// watchedBody starts the time anew with every byte.
type watchedBody struct {
	io.ReadCloser
	timer *time.Timer
	after time.Duration
	left  int
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	if n > 0 {
		b.timer.Reset(b.after)
	}
	return n, err
}

// endpoint is the base URL with a path added.
func (m *Model) endpoint(path string) string {
	return strings.TrimSuffix(m.provider.BaseURL, "/") + "/" + path
}
