// Package webpage tells the web pages of proxies and logins from answers of an API.
package webpage

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
)

// Is reports whether a body begins as a web page does and no stream of
// events or JSON: with "<", white space before it aside. It waits for the first
// other byte, looks at 4 KiB at most, and leaves the body whole.
func Is(res *http.Response) bool {
	body := bufio.NewReader(res.Body)
	res.Body = struct {
		io.Reader
		io.Closer
	}{body, res.Body}
	for n := 1; ; n++ {
		head, err := body.Peek(n)
		if err != nil {
			return false
		}
		if !bytes.ContainsAny(head[n-1:], " \t\r\n") {
			return head[n-1] == '<'
		}
	}
}
