// Package openai is the adapter for models behind OpenAI's two wire formats:
// the Responses API, and chat completions, which many others speak as well.
//
// It reads no environment itself and starts nothing before the first request.
// A request is sent once; the loop of package agent retries.
package openai

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Wire formats, as Provider.API names them.
const (
	Chat      = "chat"      // chat completions
	Responses = "responses" // the Responses API
)

// Provider is a server with models. OpenAI, Ollama, OpenRouter and Gemini
// return those that users know by name.
type Provider struct {
	Name    string // the part of model IDs before the slash
	BaseURL string // what "/responses" and "/chat/completions" are added to
	API     string // Chat, also when "", or Responses
	APIKey  string `json:"-"` // sent as bearer token; "": none is sent
	// KeyEnv names the variable the key came from, for hints.
	KeyEnv string
	// Headers go with every request. Their values may be secret.
	Headers map[string]string `json:"-"`

	vendor vendor
}

// String leaves out what is secret.
func (p Provider) String() string { return p.Name + " at " + p.BaseURL }

// GoString leaves out what is secret.
func (p Provider) GoString() string { return p.String() }

// KeyMissing reports whether the provider serves nobody without a key and has
// none. Its models can be opened all the same: the first request fails.
func (p Provider) KeyMissing() bool { return p.vendor.keyNeeded && p.APIKey == "" }

// Options are the same for all models of a run. The zero value is useful.
type Options struct {
	// Thinking is "off", "low", "medium", "high", or "" for the provider's own
	// default. Models that cannot leave it off think as little as they can.
	Thinking string
	// Stall is how long no byte may come before the request counts as stalled;
	// 0 means a minute. A server on this machine gets ten times as long for
	// the first byte, since it may have to load the model.
	Stall time.Duration
	// Transport carries the requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
}

// Model is one model of a Provider. It is safe for concurrent use.
type Model struct {
	provider Provider
	name     string
	opts     Options
}

// New returns the model of that name. Errors are about the configuration;
// whether the provider and the model exist shows with the first request.
func New(p Provider, name string, opts Options) (*Model, error) {
	u, err := url.Parse(p.BaseURL)
	switch {
	case name == "":
		return nil, fmt.Errorf("open %s: no model is named, as in %s/NAME", p.Name, p.Name)
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("open %s/%s: the base URL is not an http or https address", p.Name, name)
	case !slices.Contains([]string{"", Chat, Responses}, p.API):
		return nil, fmt.Errorf("open %s/%s: API %q is neither %s nor %s", p.Name, name, p.API, Chat, Responses)
	case !slices.Contains([]string{"", "off", "low", "medium", "high"}, opts.Thinking):
		return nil, fmt.Errorf("open %s/%s: thinking %q is none of off, low, medium, high", p.Name, name, opts.Thinking)
	}
	if opts.Stall <= 0 {
		opts.Stall = time.Minute
	}
	if opts.Transport == nil {
		opts.Transport = http.DefaultTransport
	}
	return &Model{provider: p, name: name, opts: opts}, nil
}

// ID is "provider/model".
func (m *Model) ID() string { return m.provider.Name + "/" + m.name }

// String is the ID: printing a model must not print its key.
func (m *Model) String() string { return m.ID() }

// GoString is the ID as well.
func (m *Model) GoString() string { return m.ID() }

// exchange is one request and its reply in one of the wire formats.
type exchange interface {
	// send sends the request and returns a response of status 200.
	send(ctx context.Context, client *http.Client) (*http.Response, error)
	// event takes what the server said next and emits deltas. Done means that
	// the reply is whole.
	event(data []byte, emit func(agent.Chunk) bool) (done bool, err error)
	// reply is the reply; whole is false when the stream ended before event
	// reported done.
	reply(whole bool) (*agent.Reply, error)
}

// errLeft: nobody ranges over the reply any more.
var errLeft = errors.New("left")

// Stream asks for one reply. When ctx ends, or the range is left, the
// connection is closed at once.
func (m *Model) Stream(ctx context.Context, req agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		said := false
		emit := func(c agent.Chunk) bool {
			said = said || !c.Reasoning
			return yield(c, nil)
		}
		reply, err := m.ask(ctx, req, emit)
		if fault := (*refusedBlocks)(nil); errors.As(err, &fault) {
			reply, err = m.ask(ctx, withoutBlocks(req), emit)
		}
		switch {
		case errors.Is(err, errLeft):
		case err != nil && ctx.Err() != nil:
			yield(agent.Chunk{}, ctx.Err())
		case err != nil:
			yield(agent.Chunk{}, m.fault(err))
		case said || reply.Text == "" || emit(agent.Chunk{ID: "text", Text: reply.Text}): // not every gateway streams
			yield(agent.Chunk{Reply: reply}, nil)
		}
	}
}

// withoutBlocks returns the request without what the adapter kept of replies.
func withoutBlocks(req agent.Request) agent.Request {
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		req.Messages[i].Blocks = nil
	}
	return req
}

func (m *Model) ask(ctx context.Context, req agent.Request, emit func(agent.Chunk) bool) (*agent.Reply, error) {
	if err := m.keyMissing(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := m.watch(cancel)
	defer w.timer.Stop()
	reply, err := m.exchange(ctx, w, req, emit)
	if cause := context.Cause(ctx); err != nil && errors.As(cause, new(*stalled)) {
		return nil, cause
	}
	return reply, err
}

func (m *Model) exchange(ctx context.Context, w *watched, req agent.Request, emit func(agent.Chunk) bool) (*agent.Reply, error) {
	var x exchange = newChat(m, req)
	if m.provider.API == Responses {
		x = newResponses(m, req)
	}
	res, err := x.send(ctx, &http.Client{Transport: w})
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if err := m.checkType(res); err != nil {
		return nil, err
	}
	events := ssestream.NewDecoder(res)
	for events.Next() {
		done, err := x.event(events.Event().Data, emit)
		if err != nil {
			return nil, err
		}
		if done {
			return x.reply(true)
		}
	}
	if err := events.Err(); err != nil {
		return nil, &url.Error{Op: "read", URL: m.provider.BaseURL, Err: err}
	}
	return x.reply(false)
}
