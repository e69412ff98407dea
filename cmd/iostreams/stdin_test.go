package iostreams

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// slowPipe is stdin whose writer sends these pieces and then neither sends nor
// ends.
func slowPipe(t *testing.T, pieces ...string) io.Reader {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	go func() {
		for _, p := range pieces {
			if _, err := io.WriteString(w, p); err != nil {
				return
			}
		}
	}()
	return r
}

func impatient(in io.Reader) *Streams {
	return &Streams{In: in, InData: true, Patience: Patience{FirstByte: time.Millisecond, Idle: 20 * time.Millisecond}}
}

func TestStreams_ReadContext(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		in         *Streams
		want, warn string
	}{
		{"all of it", &Streams{In: strings.NewReader("log\n"), InData: true, Patience: Patience{FirstByte: time.Minute, Idle: time.Minute}}, "log\n", ""},
		{"of an editor on Windows", &Streams{In: strings.NewReader("\ufeffDo it"), InData: true, Patience: Patience{FirstByte: time.Minute, Idle: time.Minute}}, "Do it", ""},
		{"closed", &Streams{InData: true}, "", ""},
		{"a terminal or /dev/null", &Streams{In: strings.NewReader("typed")}, "", ""},
		{"nothing comes", impatient(slowPipe(t)), "", "sent nothing for"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var warned string
			got, err := tt.in.ReadContext(t.Context(), func(s string) { warned += s })
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
			if !strings.Contains(warned, tt.warn) || tt.warn == "" && warned != "" {
				t.Errorf("warned %q", warned)
			}
		})
	}
}

func TestStreams_ReadContext_neverEnds(t *testing.T) {
	t.Parallel()
	s := &Streams{In: slowPipe(t, "half a log"), InData: true, Patience: Patience{FirstByte: time.Minute, Idle: 20 * time.Millisecond}}
	warned := ""
	got, err := s.ReadContext(t.Context(), func(w string) { warned += w })
	if err != nil || got != "half a log" || !strings.Contains(warned, "10 bytes") {
		t.Errorf("got %q, %v, warned %q", got, err, warned)
	}
}

func TestStreams_ReadNeeded(t *testing.T) {
	t.Parallel()
	if _, err := impatient(slowPipe(t)).ReadNeeded(t.Context(), "prompt"); exit.ErrorCode(err) != exit.CodeUsage {
		t.Errorf("a pipe that says nothing: %v", err)
	}
	if _, err := (&Streams{}).ReadNeeded(t.Context(), "prompt"); exit.ErrorCode(err) != exit.CodeUsage {
		t.Errorf("a closed stdin: %v", err)
	}
	big := &Streams{In: strings.NewReader(strings.Repeat("x", maxInput+1)), Patience: Patience{FirstByte: time.Minute, Idle: time.Minute}}
	if _, err := big.ReadNeeded(t.Context(), "prompt"); exit.ErrorCode(err) != exit.CodeUsage {
		t.Errorf("too much: %v", err)
	}
	exact := &Streams{In: strings.NewReader(strings.Repeat("x", maxInput)), Patience: Patience{FirstByte: time.Minute, Idle: time.Minute}}
	if got, err := exact.ReadNeeded(t.Context(), "prompt"); err != nil || len(got) != maxInput {
		t.Errorf("just enough: %d bytes, %v", len(got), err)
	}
}

func TestReadInput_canceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("told to stop")
	cancel(stop)
	if _, err := readInput(ctx, slowPipe(t), time.Minute, time.Minute); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}
