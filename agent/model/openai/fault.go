package openai

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/webpage"
)

// refusedBlocks is the answer that encrypted reasoning we sent back cannot be
// read any more, as when the key belongs to another account by now.
type refusedBlocks struct{ fault *agent.ProviderError }

func (e *refusedBlocks) Error() string { return e.fault.Error() }
func (e *refusedBlocks) Unwrap() error { return e.fault }

// complaint is an error as providers word it.
type complaint struct {
	Message string
	Code    string // a word or a number
	Type    string
}

// readComplaint finds the error in the JSON of a body or an event; ok is false
// if there is none. The shapes are those of OpenAI, of Google (a list), and of
// servers that give only a text.
func readComplaint(data []byte) (c complaint, ok bool) {
	data = bytes.TrimSpace(data)
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil && len(list) > 0 {
		data = list[0]
	}
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  any             `json:"detail"`
		Code    any             `json:"code"`
		Type    string          `json:"type"`
	}
	if json.Unmarshal(data, &body) != nil {
		return complaint{}, false
	}
	if text := ""; json.Unmarshal(body.Error, &text) == nil && text != "" {
		return complaint{Message: text}, true
	}
	var inner struct {
		Message string `json:"message"`
		Code    any    `json:"code"`
		Type    string `json:"type"`
		Status  string `json:"status"`
	}
	if json.Unmarshal(body.Error, &inner) == nil && (inner.Message != "" || inner.Code != nil || inner.Type != "") {
		return complaint{inner.Message, word(inner.Code), inner.Type + inner.Status}, true
	}
	if body.Message == "" && body.Detail != nil {
		body.Message = word(body.Detail)
	}
	return complaint{body.Message, word(body.Code), body.Type}, body.Message != ""
}

func word(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// statusFault is the fault an answer with an error's status stands for.
func (m *Model) statusFault(res *http.Response, body []byte) error {
	c, ok := readComplaint(body)
	if !ok {
		c.Message = plainText(body)
	}
	fault := &agent.ProviderError{
		Status: res.StatusCode, Message: m.line(c.Message, http.StatusText(res.StatusCode)),
		Hint:      m.hint(res.StatusCode, c),
		Retryable: agent.RetryableStatus(res.StatusCode),
		After:     retryAfter(res.Header),
		TooLong:   c.tooLong(),
	}
	if to := res.Header.Get("Location"); to != "" && res.StatusCode < 400 {
		fault.Hint = "it wants requests sent to " + m.line(to) + ": if that is right, make it the base URL"
	}
	if c.Code == "invalid_encrypted_content" {
		return &refusedBlocks{fault}
	}
	return fault
}

// plainText is a body that is neither JSON nor a web page.
func plainText(body []byte) string {
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "<") || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return ""
	}
	return text
}

// eventFault is an error that came in the stream.
func (m *Model) eventFault(c complaint) *agent.ProviderError {
	status, _ := strconv.Atoi(c.Code)
	if status < 400 || status > 599 {
		status = 0
	}
	return &agent.ProviderError{
		Status: status, Message: m.line(c.Message, c.Code, c.Type, "the provider reported an error in its reply"),
		Hint: m.hint(status, c), Retryable: c.passes(status), TooLong: c.tooLong(),
	}
}

// tooLong tells a request that does not fit the context window. Servers that
// have no code for it say so in words.
func (c complaint) tooLong() bool {
	return c.Code == "context_length_exceeded" ||
		c.about("maximum context length", "context window", "prompt is too long", "input is too long", "exceeds the available context")
}

// passes reports whether an error in the stream may be gone the next time.
// Most are the server's own trouble.
func (c complaint) passes(status int) bool {
	if status != 0 {
		return agent.RetryableStatus(status)
	}
	lasting := []string{"context_length_exceeded", "insufficient_quota", "model_not_found", "data_residency_mismatch"}
	return !slices.Contains(lasting, c.Code) && !strings.Contains(c.Code, "policy") &&
		!strings.HasPrefix(c.Code, "invalid_") && !strings.HasPrefix(c.Type, "invalid_")
}

// hint is the remedy, where there is one to name.
func (m *Model) hint(status int, c complaint) string {
	p := m.provider
	switch {
	case c.Code == "insufficient_quota" || status == http.StatusPaymentRequired:
		return "the account at " + p.Name + " has no credit left: add some, or use another model"
	case c.Code == "context_length_exceeded":
		return "use a model with a larger context window"
	case status == http.StatusBadRequest && m.effort() != "" && c.about("reasoning", "thinking", "effort"):
		return "this model may not be told how much to think: leave --thinking out"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return m.keyHint()
	case status == http.StatusNotFound && p.vendor.pull != "":
		return "fetch the model with: " + p.vendor.pull + " " + m.name
	case status == http.StatusNotFound:
		return fmt.Sprintf("check the name of the model, %q, and the address %s", m.name, m.line(p.BaseURL))
	}
	return ""
}

// about reports whether the provider's words speak of one of these.
func (c complaint) about(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(c.Message), w) })
}

func (m *Model) keyHint() string {
	switch p := m.provider; {
	case p.KeyEnv == "":
		return fmt.Sprintf("name the variable that holds the key as apiKeyEnv of [providers.%s]", p.Name)
	case p.APIKey == "":
		return "set " + p.KeyEnv + " to a key of " + p.Name
	default:
		return "check the key in " + p.KeyEnv + " and what it may be used for"
	}
}

// keyMissing saves a request that cannot succeed.
func (m *Model) keyMissing() error {
	if !m.provider.KeyMissing() {
		return nil
	}
	return &agent.ProviderError{Message: "there is no key for " + m.provider.Name, Hint: m.keyHint()}
}

// checkType refuses answers that are no stream.
func (m *Model) checkType(res *http.Response) error {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "text/html" || webpage.Is(res) {
		return m.notStream("a web page", kind, res)
	}
	if kind != "application/json" {
		return nil // many servers are careless about the type
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	if err != nil {
		return &url.Error{Op: "read", URL: m.provider.BaseURL, Err: err}
	}
	if c, ok := readComplaint(body); ok {
		return m.eventFault(c)
	}
	return m.notStream("something else", kind, res)
}

func (m *Model) notStream(what, kind string, res *http.Response) *agent.ProviderError {
	from := url.URL{Scheme: res.Request.URL.Scheme, Host: res.Request.URL.Host, Path: res.Request.URL.Path}
	return &agent.ProviderError{
		Message: m.line(fmt.Sprintf("%s answered with %s (content type %q), not with a stream of events", &from, what, kind)),
		Hint:    "check the address " + m.line(m.provider.BaseURL) + ", and whether a proxy or a login page stands before it",
	}
}

// cut is a reply that did not come to its end.
func cut() *agent.ProviderError {
	return &agent.ProviderError{Message: "the stream ended in the middle of a reply", Retryable: true}
}

// garbled is an event that cannot be read.
func garbled(err error) *agent.ProviderError {
	return &agent.ProviderError{Message: "the stream holds something that is no event", Retryable: true, Err: err}
}

// fault is err as the loop wants it: what went wrong on the way may pass,
// what kept the request from being made does not.
func (m *Model) fault(err error) error {
	var known *agent.ProviderError
	if errors.As(err, &known) {
		return known
	}
	if errors.As(err, new(*stalled)) {
		return &agent.ProviderError{Message: err.Error(), Retryable: true, Err: err}
	}
	var way *url.Error
	var certificate *tls.CertificateVerificationError
	onTheWay := errors.As(err, &way)
	if onTheWay {
		err = way.Err
	}
	fault := &agent.ProviderError{Message: m.line(err.Error()), Retryable: onTheWay}
	switch {
	case errors.Is(err, errTooLarge):
		fault.Retryable, fault.Hint = false, "check the address "+m.line(m.provider.BaseURL)+", or use another model"
	case errors.Is(err, bufio.ErrTooLong):
		fault.Message = "an event of the reply is larger than 32 MiB"
		fault.Retryable, fault.Hint = false, "check the address "+m.line(m.provider.BaseURL)+", or use another model"
	case strings.Contains(err.Error(), "invalid proxy address"): // the error shows it, with the password in it
		return &agent.ProviderError{Message: "the address of the proxy is none", Hint: "check HTTP_PROXY and HTTPS_PROXY"}
	case strings.Contains(err.Error(), "proxyconnect"):
		fault.Message, fault.Hint = m.line("the proxy cannot be used: "+err.Error()), "check HTTP_PROXY and HTTPS_PROXY"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, windowsRefused):
		fault.Message = "nothing answers at " + m.line(m.provider.BaseURL)
		fault.Retryable, fault.Hint = m.startable()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		fault.Message = "the connection broke off"
	case errors.As(err, &certificate):
		fault.Retryable = false
		fault.Hint = "check the address " + m.line(m.provider.BaseURL) + " and the certificates of this machine"
	}
	if m.redact(err.Error()) == err.Error() {
		fault.Err = err
	}
	return fault
}

// windowsRefused is WSAECONNREFUSED, which is no syscall.ECONNREFUSED there; it
// is no error elsewhere.
const windowsRefused = syscall.Errno(10061)

// startable says what to do about a server that does not listen. One on this
// machine does not come up by waiting.
func (m *Model) startable() (retryable bool, hint string) {
	switch {
	case m.provider.vendor.start != "":
		return false, "start it with: " + m.provider.vendor.start
	case m.local():
		return false, "start the server, or check the address"
	}
	return true, "check the address and the network"
}

// maxLine is how many characters of a provider's words are shown.
const maxLine = 300

// line makes one line of the first text that is not empty, without secrets.
func (m *Model) line(texts ...string) string {
	for _, text := range texts {
		text = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(text, "\uFFFD"))
		text = m.redact(strings.Join(strings.Fields(text), " "))
		if r := []rune(text); len(r) > maxLine {
			text = string(r[:maxLine-1]) + "…"
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// redact takes the key, and what headers hold, out of a text.
func (m *Model) redact(text string) string {
	secrets := []string{m.provider.APIKey}
	for _, v := range m.provider.Headers {
		secrets = append(secrets, v, strings.TrimPrefix(v, "Bearer "))
	}
	if u, err := url.Parse(m.provider.BaseURL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		secrets = append(secrets, password)
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, s := range secrets {
		if len(s) >= 6 { // shorter ones would take words apart
			text = strings.ReplaceAll(text, s, "[secret]")
		}
	}
	return text
}

// retryAfter reads how long the provider asks to wait.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	after := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(after, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
