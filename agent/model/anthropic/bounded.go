package anthropic

import (
	"errors"
	"io"
	"net/http"
)

// Bounds of what is read of an answer, unpacked. The longest replies there are,
// each of whose tokens comes as an event of its own, take half of the first.
const (
	maxBody      = 128 << 20
	maxErrorBody = 64 << 10
)

// errTooLarge is a reply beyond maxBody.
var errTooLarge = errors.New("the reply is larger than 128 MiB")

// bounded is a transport whose answers end somewhere. The SDK reads the body of
// an error whole.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body := &boundedBody{ReadCloser: res.Body, left: maxBody, after: errTooLarge}
	if res.StatusCode >= http.StatusMultipleChoices {
		body.left, body.after = maxErrorBody, io.EOF
	}
	res.Body = body
	return res, nil
}

// boundedBody ends with after.
type boundedBody struct {
	io.ReadCloser
	left  int
	after error
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, b.after
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
