//go:build linux || darwin

package ask

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// bare is a desk of a run that waits for no plan.
type bare struct{ Desk }

func (bare) Plans(context.Context, *agent.State) tell.Plans { return nil }

// seat puts a person at a terminal, who types the next of keys whenever a list is
// drawn.
func seat(t *testing.T, keys ...string) *Person {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(ptmx, &pty.Winsize{Cols: 80, Rows: 40}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tty.Close()
		ptmx.Close()
	})
	go typeAtLists(ptmx, keys)
	on := &screen.Screen{Writer: &text.Writer{W: tty}, TTY: true, Columns: func() int { return 80 }}
	return &Person{Console: terminal.NewConsole(tty, tty), Screen: on, Desk: bare{}}
}

func typeAtLists(ptmx *os.File, keys []string) {
	var said bytes.Buffer
	for piece := make([]byte, 4096); ; {
		n, err := ptmx.Read(piece)
		if err != nil {
			return
		}
		said.Write(piece[:n])
		if len(keys) > 0 && strings.Contains(said.String(), "Use arrows") {
			said.Reset()
			_, _ = ptmx.WriteString(keys[0])
			keys = keys[1:]
		}
	}
}

const down, enter = "\x1b[B", "\r"

// TestPerson_Attend: what stands first decides nothing and is not asked again;
// what is chosen is answered; who leaves has decided nothing.
func TestPerson_Attend(t *testing.T) {
	t.Parallel()
	call := func(id string) agent.Suspension {
		return agent.Suspension{ToolCallID: id, N: 1, Kind: agent.KindApproval, ToolName: "shell", Args: []byte(`{"command":"make"}`), Payload: []byte(`{"rule":"shell:make"}`)}
	}
	first, second := call("a"), call("b")
	allow := func(scope string) agent.ApprovalDecision {
		return agent.ApprovalDecision{Action: agent.Approved, Scope: scope}
	}
	for name, tt := range map[string]struct {
		keys []string
		want *Reply // nil: left
	}{
		"the first choice, then one":   {[]string{enter, down + down + down + enter}, &Reply{To: second, Answer: allow(agent.ScopeOnce)}},
		"allowed for the run":          {[]string{down + down + down + down + enter}, &Reply{To: first, Answer: allow(agent.ScopeRun)}},
		"denied":                       {[]string{down + enter}, &Reply{To: first, Answer: agent.ApprovalDecision{Action: agent.Rejected}}},
		"all of it later":              {[]string{enter, enter}, nil},
		"the end of input":             {[]string{"\x04"}, nil},
		"Ctrl-C":                       {[]string{"\x03"}, nil},
		"later, then the end of input": {[]string{enter, "\x04"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			got, err := seat(t, tt.keys...).Attend(ctx, &agent.State{}, []agent.Suspension{first, second})
			if ctx.Err() != nil {
				t.Fatal("the prompt waits for ever")
			}
			if tt.want == nil && !errors.Is(err, terminal.ErrLeft) || tt.want != nil && err != nil {
				t.Errorf("error %v", err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("reply (-want +got):\n%s", d)
			}
		})
	}
}
