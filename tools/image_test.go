package tools

import (
	"strings"
	"testing"
)

// Models are shown no pictures, and read_file says so rather than "binary".
func TestTextual_Images(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR": "a picture (PNG)",
		"\xff\xd8\xff\xe0\x00\x10JFIF":        "a picture (JPEG)",
		"GIF89a\x01\x00\x01\x00":              "a picture (GIF)",
		"RIFF\x24\x00\x00\x00WEBPVP8 ":        "a picture (WebP)",
		"\x7fELF\x02\x00":                     "a binary file",
	} {
		if err := textual([]byte(head)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", head, err, want)
		}
	}
	for _, head := range []string{"BMW is a car", "GIF89a is how such files begin", "RIFF and raff"} {
		if err := textual([]byte(head)); err != nil {
			t.Errorf("%q: %v", head, err)
		}
	}
}
