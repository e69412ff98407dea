package anthropic

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/seed-3e5a1d81/agent/agent"
)

// apiError is an error the API told in a stream or as a response.
type apiError struct {
	status        int
	kind, message string
}

func (e *apiError) Error() string { return e.message }

// apiErrorOf reads the body of an error; one that is not the API's leaves its
// fields empty.
func apiErrorOf(data []byte) *apiError {
	var body struct {
		Error struct{ Type, Message string }
	}
	_ = json.Unmarshal(data, &body) // then there is nothing to tell
	e := &apiError{kind: body.Error.Type, message: body.Error.Message}
	e.status = statusOf(e.kind)
	return e
}

// statusOf is the status that a kind of error has outside of streams. Unknown
// kinds are the provider's fault until it says otherwise.
func statusOf(kind string) int {
	switch kind {
	case "invalid_request_error":
		return http.StatusBadRequest
	case "authentication_error":
		return http.StatusUnauthorized
	case "billing_error":
		return http.StatusPaymentRequired
	case "permission_error":
		return http.StatusForbidden
	case "not_found_error":
		return http.StatusNotFound
	case "request_too_large":
		return http.StatusRequestEntityTooLarge
	case "rate_limit_error":
		return http.StatusTooManyRequests
	case "timeout_error":
		return http.StatusGatewayTimeout
	case "overloaded_error":
		return 529
	}
	return http.StatusInternalServerError
}

// fault makes a ProviderError of whatever went wrong. It wraps nothing: the
// errors of the SDK and of net/http hold requests, and these hold the key.
func (m *Model) fault(err error, res *http.Response) *agent.ProviderError {
	var own *apiError
	var strange *strangeError
	var told *sdk.Error
	var garbled *garbledError
	switch {
	case errors.As(err, &own):
		return m.statusFault(own, nil)
	case errors.As(err, &told):
		own = apiErrorOf([]byte(told.RawJSON()))
		own.status = told.StatusCode
		return m.statusFault(own, res)
	case errors.As(err, &strange):
		return &agent.ProviderError{
			Message: m.clean("this is not the API: " + strange.Error()),
			Hint:    "check the address in " + m.access.baseName + ", and whether a proxy or a login page stands before it",
		}
	case errors.Is(err, errTooLarge):
		return &agent.ProviderError{Message: errTooLarge.Error(), Hint: "check the address in " + m.access.baseName + ", or use another --model"}
	case errors.Is(err, bufio.ErrTooLong):
		return &agent.ProviderError{Message: "an event of the reply is larger than 32 MiB", Hint: "check the address in " + m.access.baseName + ", or use another --model"}
	case errors.Is(err, errCut):
		return &agent.ProviderError{Message: errCut.Error(), Retryable: true}
	case errors.As(err, &garbled):
		return &agent.ProviderError{Message: m.clean(garbled.Error()), Retryable: true}
	case res != nil && res.StatusCode >= 400: // its body could not be read
		return m.statusFault(&apiError{status: res.StatusCode}, res)
	}
	return m.connectionFault(err)
}

func (m *Model) stalled() *agent.ProviderError {
	return &agent.ProviderError{Message: fmt.Sprintf("nothing came for %s", m.stall), Retryable: true}
}

func (m *Model) connectionFault(err error) *agent.ProviderError {
	var in *url.Error
	if errors.As(err, &in) {
		err = in.Err // without the address, which may hold a password
	}
	if strings.Contains(err.Error(), "invalid proxy address") { // the error shows it, with the password in it
		return &agent.ProviderError{Message: "the address of the proxy is none", Hint: "check HTTP_PROXY and HTTPS_PROXY"}
	}
	var certificate *tls.CertificateVerificationError
	final := errors.As(err, &certificate) || errors.Is(err, http.ErrSchemeMismatch)
	hint := "check the network"
	if m.access.base != "" {
		hint = "check the network and the address in " + m.access.baseName
	}
	if strings.Contains(err.Error(), "proxyconnect") {
		hint = "check HTTP_PROXY and HTTPS_PROXY"
	}
	return &agent.ProviderError{Message: m.clean("no connection: " + err.Error()), Hint: hint, Retryable: !final}
}

// statusFault is an error with a status. res is nil when it came in a stream.
func (m *Model) statusFault(e *apiError, res *http.Response) *agent.ProviderError {
	pe := &agent.ProviderError{
		Status: e.status, Message: m.clean(e.message), Hint: m.hint(e),
		Retryable: agent.RetryableStatus(e.status), TooLong: m.tooLong(e),
	}
	if pe.Message == "" {
		pe.Message = strings.TrimSpace(http.StatusText(e.status) + " (no word of the API's)")
	}
	if res == nil {
		return pe
	}
	switch res.Header.Get("X-Should-Retry") { // the API knows better than its status
	case "true":
		pe.Retryable = true
	case "false":
		pe.Retryable = false
	}
	if pe.Retryable {
		pe.After = after(res.Header, time.Now())
	}
	return pe
}

// hint is the remedy, in one line.
func (m *Model) hint(e *apiError) string {
	says := func(words string) bool { return strings.Contains(strings.ToLower(e.message), words) }
	switch {
	case e.status == http.StatusUnauthorized:
		return "set a valid key in " + m.access.keyName
	case e.status == http.StatusForbidden:
		return fmt.Sprintf("the key in %s may not use %s: use another key or another --model", m.access.keyName, m.id)
	case e.status == http.StatusNotFound && m.access.base != "":
		return fmt.Sprintf("check the model's name %q and the address in %s", m.name, m.access.baseName)
	case e.status == http.StatusNotFound:
		return fmt.Sprintf("check the model's name %q: use another --model", m.name)
	case m.tooLong(e):
		return "the conversation has become too long for one request: start a new run"
	case e.status == http.StatusPaymentRequired, says("credit balance"), says("usage limits"):
		return fmt.Sprintf("the account of the key in %s has no credit left: add some, or use another --model", m.access.keyName)
	case !agent.RetryableStatus(e.status):
		return "the provider does not take this request: try another --model or another level of thinking"
	}
	return ""
}

// tooLong tells a request that does not fit the context window, or the wire.
func (m *Model) tooLong(e *apiError) bool {
	return e.status == http.StatusRequestEntityTooLarge || strings.Contains(strings.ToLower(e.message), "prompt is too long")
}

// after is how long the provider asks to wait.
func after(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return seconds(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// seconds bounds what is asked for to what a duration holds.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, 24*3600) * float64(time.Second))
}

// maxMessage bounds what is told of an error, in runes.
const maxMessage = 400

// clean makes one line of what a provider said, without the key.
func (m *Model) clean(s string) string {
	for _, secret := range []string{m.access.key, m.access.token} {
		if secret != "" {
			s = strings.ReplaceAll(s, secret, "[key]")
		}
	}
	for _, secret := range m.secrets {
		if len(secret) >= 6 { // shorter ones would take words apart
			s = strings.ReplaceAll(s, secret, "[secret]")
		}
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxMessage {
		s = string(r[:maxMessage]) + "…"
	}
	return s
}

// refusesThinking tells the refusal of thinking blocks, which is worth a
// request without them.
func refusesThinking(err error) bool {
	var pe *agent.ProviderError
	if !errors.As(err, &pe) || pe.Status != http.StatusBadRequest {
		return false
	}
	says := func(words string) bool { return strings.Contains(pe.Message, words) }
	return says("thinking") && (says("signature") || says("cannot be modified") || says("bound to"))
}
