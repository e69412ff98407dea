package tools

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// However early a walk is called off, it leaves no directory open. Not parallel:
// other tests open files too.
func TestWalk_ClosesWhatItOpened(t *testing.T) {
	h := newHost(t, nil)
	for i := range 400 {
		h.write(fmt.Sprintf("d%d/e%d/f%d/file%d", i%5, i%7, i%11, i), "text\n")
	}
	open := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(fds)
	}
	before := open()
	for stop := range int64(60) {
		ctx, cancel := context.WithCancel(t.Context())
		w, err := openWorkspace(h.call("{}"), Closed{})
		if err != nil {
			t.Fatal(err)
		}
		var looked atomic.Int64
		wk := walk[entry]{w: w, into: func(entry) bool { return true }, tell: func(entry) {}}
		wk.look = func(entries []entry) []entry {
			if looked.Add(1) > stop {
				cancel()
			}
			return entries
		}
		if err := wk.run(ctx, "."); err == nil {
			t.Fatalf("a walk that was called off after %d looks came to its end", stop)
		}
		w.close()
		cancel()
	}
	if after := open(); after > before {
		t.Errorf("%d files are open, %d were before", after, before)
	}
}

// No expression takes for ever, and those that are none say what is wrong.
func TestSearchText_NoExpressionExplodes(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("f", strings.Repeat("a", 20_000)+"!\n")
	for _, pattern := range []string{"(a+)+$", "(a|aa)*b", "(a*)*c", "(.*)*(.*)*d"} {
		h.ok(SearchText(Closed{}), `{"pattern":`+jsonOf(t, pattern)+`}`)
	}
	for pattern, says := range map[string]string{
		"(": "missing closing", "a{1001}": "repeat count", "((a{100}){100}){100}": "repeat count", "(?=a)": "invalid or unsupported Perl syntax", `\1`: "invalid escape", "*": "missing argument",
		strings.Repeat("(", 2000) + strings.Repeat(")", 2000): "nest", "[z-a]": "range",
	} {
		h.refused(SearchText(Closed{}), `{"pattern":`+jsonOf(t, pattern)+`}`, says, "RE2")
	}
}
