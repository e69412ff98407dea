package iostreams

import (
	"errors"
	"syscall"
	"testing"
	"time"
)

// broken fails every write with one error, and counts them.
type broken struct {
	err    error
	writes int
}

func (b *broken) Write([]byte) (int, error) {
	b.writes++
	return 0, b.err
}

// TestStreams_Fault: what is said after a write failed is swallowed, and only a
// reader that left is no fault.
func TestStreams_Fault(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	for name, tt := range map[string]struct{ err, want error }{"full": {full, full}, "left": {syscall.EPIPE, nil}} {
		out := &broken{err: tt.err}
		s := &Streams{Out: NewWriter(out)}
		if s.Gone() || s.Fault() != nil {
			t.Errorf("%s: gone %t, fault %v before a write", name, s.Gone(), s.Fault())
		}
		for range 2 {
			if n, err := s.Out.Write([]byte("words")); n != 5 || err != nil {
				t.Errorf("%s: wrote %d, %v", name, n, err)
			}
		}
		if out.writes != 1 || !s.Gone() || !errors.Is(s.Fault(), tt.want) {
			t.Errorf("%s: %d writes, gone %t, fault %v, want %v", name, out.writes, s.Gone(), s.Fault(), tt.want)
		}
	}
}

func TestStreams_LeftAlone(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		env  map[string]string
		tty  bool
		ago  time.Duration
		want bool
	}{
		"long enough": {tty: true, ago: time.Minute, want: true},
		"just now":    {tty: true, ago: time.Second},
		"a pipe":      {ago: time.Minute},
		"CI":          {tty: true, ago: time.Minute, env: map[string]string{"CI": "1"}},
		"dumb":        {tty: true, ago: time.Minute, env: map[string]string{"TERM": "dumb"}},
	} {
		env := func(n string) string {
			if v, ok := tt.env[n]; ok || n != "TERM" {
				return v
			}
			return "xterm"
		}
		s := &Streams{ErrTTY: tt.tty, Env: env, Now: func() time.Time { return now }, Patience: Patience{Away: time.Minute}}
		if got := s.LeftAlone(now.Add(-tt.ago)); got != tt.want {
			t.Errorf("%s: left alone %t", name, got)
		}
	}
}
