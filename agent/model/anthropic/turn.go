package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/webpage"
)

// errStalled ends the context of a request that nothing came back for.
var errStalled = errors.New("silence")

// turn sends one request and takes its stream in. However it ends, the
// connection is given up.
func (m *Model) turn(ctx context.Context, r request, ans *answer, show func(agent.Chunk) bool) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(m.stall, func() { cancel(errStalled) })
	defer watch.Stop()

	res, err := m.send(within, r)
	if res != nil && res.Body != nil {
		defer res.Body.Close()
	}
	if err == nil {
		watch.Stop()
		res.Body = &watched{ReadCloser: res.Body, watch: watch, stall: m.stall}
		ans.begin()
		err = read(res, ans, show)
	}
	switch {
	case err == nil || errors.Is(err, errLeft):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(within), errStalled):
		return m.stalled()
	}
	return m.fault(err, res)
}

// send returns the response to a request, also when it is an error of the API.
// The body is read here and not through the SDK's stream, see event.
func (m *Model) send(ctx context.Context, r request) (res *http.Response, err error) {
	messages := m.messages()
	stream := messages.NewStreaming(ctx, r.params,
		option.WithResponseInto(&res), option.WithHeader("Accept", "text/event-stream"))
	if err := stream.Err(); err != nil {
		return res, err
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if strange := (&strangeError{from: res.Request.URL, status: res.StatusCode, kind: kind}); res.StatusCode != http.StatusOK || kind != "text/event-stream" || webpage.Is(res) {
		return res, strange
	}
	return res, nil
}

// strangeError is an answer that is not the API's.
type strangeError struct {
	from   *url.URL
	status int
	kind   string
}

func (e *strangeError) Error() string {
	from := url.URL{Scheme: e.from.Scheme, Host: e.from.Host, Path: e.from.Path}
	what := fmt.Sprintf("content of type %q", e.kind)
	switch {
	case e.status != http.StatusOK:
		what = fmt.Sprintf("status %d", e.status)
	case e.kind == "text/html", e.kind == "text/event-stream":
		what = "a web page (" + what + ")"
	}
	return fmt.Sprintf("%s answered with %s instead of a stream", &from, what)
}

// watched runs the watch while it waits for bytes, and not while whoever reads
// them is busy: a person may hold up the output.
type watched struct {
	io.ReadCloser
	watch *time.Timer
	stall time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	w.watch.Reset(w.stall)
	defer w.watch.Stop()
	return w.ReadCloser.Read(p)
}

// garbledError is a stream that is not the API's, or was damaged on its way.
type garbledError struct{ err error }

func (e *garbledError) Error() string { return "the stream is garbled: " + e.err.Error() }

func (e *garbledError) Unwrap() error { return e.err }

// errCut is a stream that ended without an end.
var errCut = errors.New("the stream was cut before the reply was whole")

// read takes a stream in, up to the event that ends it.
func read(res *http.Response, ans *answer, show func(agent.Chunk) bool) error {
	events := ssestream.NewDecoder(res)
	for events.Next() {
		e, err := decode(events.Event())
		if err != nil {
			return err
		}
		if e.Type == "message_stop" {
			return nil
		}
		chunk, err := ans.take(e)
		if err != nil {
			return &garbledError{err}
		}
		if chunk.Text != "" && !show(chunk) {
			return errLeft
		}
	}
	if err := events.Err(); err != nil {
		return fmt.Errorf("%w: %w", errCut, err)
	}
	return errCut
}

// onlyCounts reports whether an event could be read but for a count of tokens,
// which is unknown then.
func onlyCounts(err error) bool {
	var kind *json.UnmarshalTypeError
	return errors.As(err, &kind) && strings.Contains(strings.ToLower(kind.Field), "usage")
}

// decode reads one event. An event of type error is an error.
func decode(raw ssestream.Event) (e event, err error) {
	if len(raw.Data) == 0 || raw.Type == "ping" {
		return e, nil
	}
	if raw.Type == "error" {
		return e, apiErrorOf(raw.Data)
	}
	if err := json.Unmarshal(raw.Data, &e); err != nil && !onlyCounts(err) {
		return e, &garbledError{err}
	}
	if e.Type == "error" { // servers there are that do not name their events
		return e, apiErrorOf(raw.Data)
	}
	return e, nil
}
