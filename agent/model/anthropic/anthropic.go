// Package anthropic adapts the Messages API of Anthropic, and of servers that
// speak it, to agent.Model.
//
// What is particular here, beside the plain mapping of messages:
//
//   - Thinking blocks are kept in Reply.Blocks as the provider sent them and go
//     back unchanged, in their place, to the model that made them; see kept.
//   - Arguments of a recorded call that are no JSON object go back as
//     {"_invalid": what they were}, as the API takes objects only.
//   - A turn the provider pauses (pause_turn) is continued at once, in the same
//     reply, up to maxPauses times.
//   - The system prompt, the tools and the newest two user turns are marked
//     for the provider's prompt cache.
//   - Images are not part of agent.Message, so none are sent.
//
// The SDK sends each request once: retries are the loop's. It reads no
// environment and no file; what it is to know is in Options.
package anthropic

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Names of the environment variables that Anthropic's own tools read, too.
const (
	KeyEnv     = "ANTHROPIC_API_KEY"
	TokenEnv   = "ANTHROPIC_AUTH_TOKEN"
	BaseURLEnv = "ANTHROPIC_BASE_URL"
)

// DefaultStall is how long a stream may be silent before it counts as dead.
const DefaultStall = 60 * time.Second

// maxPauses is how often one reply may be paused by the provider.
const maxPauses = 5

// Options say how a model is reached. A key is needed, in APIKey, in AuthToken
// or through Getenv, unless Keyless; the zero value of everything else is useful.
type Options struct {
	// Provider is the first part of the model's ID; "" means "anthropic".
	Provider string
	// APIKey goes into the header x-api-key, AuthToken into Authorization as
	// Bearer. The first that is set is used: APIKey, AuthToken, KeyEnv or else
	// ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN.
	APIKey, AuthToken string
	// KeyEnv names the variable with the API key; "" means ANTHROPIC_API_KEY,
	// or ANTHROPIC_AUTH_TOKEN, and that ANTHROPIC_BASE_URL is honoured.
	KeyEnv string
	// Keyless is for a server that wants no key: none is looked up.
	Keyless bool
	// BaseURL is where the API is, without /v1/messages; "" means what
	// ANTHROPIC_BASE_URL says, or Anthropic's own.
	BaseURL string
	Headers map[string]string // sent with each request
	// Getenv looks variables up; nil finds none.
	Getenv func(name string) string
	// Thinking is off, low, medium or high; "" leaves it to the model.
	Thinking string
	// MaxTokens bounds the tokens of one reply, thinking included; 0 means as
	// many as is sensible for the model.
	MaxTokens int64
	Stall     time.Duration // DefaultStall if 0
	// HTTPClient sends the requests; nil means one with Go's defaults. Its
	// redirects are never followed: they would carry the key elsewhere.
	HTTPClient *http.Client
}

// Model is one model of the API. It is safe for concurrent use.
type Model struct {
	id, name  string
	kind      kind
	thinking  string
	maxTokens int64
	stall     time.Duration
	access    access
	secrets   []string                  // what headers hold, the longest first
	messages  func() sdk.MessageService // made when first needed
}

// access is where the API is and what opens it.
type access struct {
	key, token string
	keyName    string // where the key came from, for hints
	base       string // "" for Anthropic's own
	baseName   string // where base is set, for hints
}

// Open returns the model of that name, as the provider spells it. It sends
// nothing and makes nothing that a request will need. Errors: no key, a base
// URL that is none, a level of thinking that there is not.
func Open(name string, opts Options) (agent.Model, error) {
	if opts.Provider == "" {
		opts.Provider = "anthropic"
	}
	id := opts.Provider + "/" + name
	if strings.TrimSpace(name) == "" {
		return nil, fmt.Errorf("open %s: no model is named, as in %s/claude-sonnet-5-5", id, opts.Provider)
	}
	a, err := opts.access()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", id, err)
	}
	m := &Model{id: id, name: name, kind: kindOf(name), thinking: opts.Thinking, maxTokens: opts.MaxTokens, stall: opts.Stall, access: a}
	for _, v := range opts.Headers {
		m.secrets = append(m.secrets, v, strings.TrimPrefix(v, "Bearer "))
	}
	slices.SortFunc(m.secrets, func(a, b string) int { return len(b) - len(a) })
	if err := m.kind.checkThinking(opts.Thinking); err != nil {
		return nil, fmt.Errorf("open %s: %w", id, err)
	}
	if m.maxTokens <= 0 {
		m.maxTokens = m.kind.maxTokens()
	}
	if m.stall <= 0 {
		m.stall = DefaultStall
	}
	headers, httpClient := maps.Clone(opts.Headers), opts.HTTPClient
	m.messages = sync.OnceValue(func() sdk.MessageService { return newService(a, headers, httpClient) })
	return m, nil
}

// access finds the key and the address.
func (o Options) access() (access, error) {
	getenv := o.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	a := access{key: strings.TrimSpace(o.APIKey), token: strings.TrimSpace(o.AuthToken), base: o.BaseURL, baseName: "the base URL"}
	own := o.KeyEnv == "" && !o.Keyless
	if o.KeyEnv == "" {
		o.KeyEnv = KeyEnv
	}
	if a.keyName = o.KeyEnv; a.key == "" && a.token == "" && !o.Keyless {
		a.key = strings.TrimSpace(getenv(o.KeyEnv))
		if token := strings.TrimSpace(getenv(TokenEnv)); own && a.key == "" && token != "" {
			a.token, a.keyName = token, TokenEnv
		}
	} else if a.key != "" {
		a.token = ""
	}
	if a.base == "" && own {
		a.base, a.baseName = strings.TrimSpace(getenv(BaseURLEnv)), BaseURLEnv
	}
	if a.key == "" && a.token == "" && !o.Keyless {
		return a, fmt.Errorf("%s is not set", o.KeyEnv)
	}
	return a, a.checkBase()
}

// checkBase also takes the version off that some write at the end.
func (a *access) checkBase() error {
	if a.base == "" {
		return nil
	}
	u, err := url.Parse(a.base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%s is not an http or https address", a.baseName) // not shown: it may hold a password
	}
	a.base = strings.TrimSuffix(strings.TrimRight(a.base, "/"), "/v1")
	return nil
}

// newService makes the one service of the SDK that is needed, contributing
// nothing of its own: no retries, no environment, no traces. A whole sdk.Client
// would read the environment, and link 40 MB of other services.
func newService(a access, headers map[string]string, httpClient *http.Client) sdk.MessageService {
	own := http.Client{}
	if httpClient != nil {
		own = *httpClient
	}
	if own.Transport == nil {
		own.Transport = http.DefaultTransport
	}
	own.Transport = bounded{own.Transport}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	opts := []option.RequestOption{
		option.WithEnvironmentProduction(), option.WithoutOpenTelemetry(),
		option.WithMaxRetries(0), option.WithHTTPClient(&own),
	}
	if a.key != "" {
		// The SDK would send it as Bearer, which other servers do not expect.
		opts = append(opts, option.WithHeader("X-Api-Key", a.key))
	} else if a.token != "" {
		opts = append(opts, option.WithAuthToken(a.token))
	}
	if a.base != "" {
		opts = append(opts, option.WithBaseURL(a.base))
	}
	for name, value := range headers {
		opts = append(opts, option.WithHeader(name, value))
	}
	return sdk.NewMessageService(opts...)
}

// ID is "anthropic/NAME".
func (m *Model) ID() string { return m.id }

// String is the ID: printing a model must not print its key.
func (m *Model) String() string { return m.id }

// GoString is the ID as well.
func (m *Model) GoString() string { return m.id }

// errLeft says that whoever ranged over the stream broke off.
var errLeft = errors.New("the reader left")

// Stream implements agent.Model.
func (m *Model) Stream(ctx context.Context, req agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		reply, err := m.converse(ctx, req, func(c agent.Chunk) bool { return yield(c, nil) })
		switch {
		case errors.Is(err, errLeft):
		case err != nil:
			yield(agent.Chunk{}, err)
		default:
			yield(agent.Chunk{Reply: reply}, nil)
		}
	}
}

// converse asks until there is a whole reply: once more when the provider
// pauses, and once without thinking when it refuses the thinking of old. That
// one happens when a key of another account, or a run's masked secrets, make
// blocks void; the run would be stuck for good otherwise.
func (m *Model) converse(ctx context.Context, req agent.Request, show func(agent.Chunk) bool) (*agent.Reply, error) {
	var ans answer
	plain := false
	for pauses := 0; ; {
		r, err := m.request(req, conversation{plain: plain, goesOn: pauses > 0})
		if err != nil {
			return nil, err
		}
		if pauses == 0 {
			ans.prefix = r.prefix
		}
		err = m.turn(ctx, r, &ans, show)
		switch {
		case err != nil && r.thinks && !plain && refusesThinking(err):
			plain = true
			continue
		case err != nil:
			return nil, err
		case ans.stop == stopRefusal && !show(agent.Chunk{ID: stopRefusal, Text: ans.refusal()}):
			return nil, errLeft
		case ans.stop != stopPause || pauses == maxPauses:
			return ans.reply(), nil
		}
		pauses++
		req.Messages = append(slices.Clone(req.Messages), ans.message(m.id))
		if pauses > 1 { // the answer so far, not each of its states
			req.Messages = slices.Delete(req.Messages, len(req.Messages)-2, len(req.Messages)-1)
		}
	}
}
