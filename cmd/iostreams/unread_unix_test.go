//go:build unix

package iostreams

import (
	"os"
	"testing"
)

// TestStreams_Gone: a reader that leaves is noticed without a write.
func TestStreams_Gone(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s := &Streams{Out: NewWriter(w)}
	if s.Gone() {
		t.Error("gone, though the reader is there")
	}
	_ = r.Close()
	if !s.Gone() || s.Fault() != nil {
		t.Errorf("the reader has left: gone %t, fault %v", s.Gone(), s.Fault())
	}
}
