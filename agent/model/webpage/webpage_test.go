package webpage

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestIs(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		"<!DOCTYPE html><p>Sign in":         true,
		" \r\n\t<html>":                     true,
		"data: {\"text\":\"<html>\"}\n\n":   false,
		"{\"error\":\"<html>\"}":            false,
		"":                                  false,
		" \n":                               false,
		strings.Repeat("\n", 1<<16) + "<p>": false,
	} {
		res := &http.Response{Body: io.NopCloser(strings.NewReader(body))}
		if got := Is(res); got != want {
			t.Errorf("%.40q: page %v, want %v", body, got, want)
		}
		if whole, err := io.ReadAll(res.Body); err != nil || string(whole) != body {
			t.Errorf("%.40q: then read as %.40q, %v", body, whole, err)
		}
	}
}
