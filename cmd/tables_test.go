package cmd

import (
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
)

// onXterm is an environment in which TERM is that of a usual terminal.
func onXterm(env map[string]string) func(string) string {
	return func(name string) string {
		if v, ok := env[name]; ok || name != "TERM" {
			return v
		}
		return "xterm-256color"
	}
}

func TestConduct(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		flags questionFlags
		env   map[string]string
		tty   bool
		want  conduct
		wrong string // the error's word
	}{
		{name: "no terminal", want: conduct{Detected: true}},
		{name: "terminal", tty: true, want: conduct{Prompt: true, Detected: true}},
		{name: "CI", env: map[string]string{"CI": "1"}, want: conduct{OnQuestion: agent.OnQuestionReadOnlyFallback, CI: true, Detected: true}},
		{name: "CI wins over a terminal", env: map[string]string{"CI": "true"}, tty: true, want: conduct{OnQuestion: agent.OnQuestionReadOnlyFallback, CI: true, Detected: true}},
		{name: "CI empty", env: map[string]string{"CI": ""}, want: conduct{Detected: true}},
		{name: "CI 0", env: map[string]string{"CI": "0"}, want: conduct{Detected: true}},
		{name: "CI false", env: map[string]string{"CI": "false"}, tty: true, want: conduct{Prompt: true, Detected: true}},
		{name: "variable wins over CI", env: map[string]string{"CI": "1", "AGENT_ON_QUESTION": "suspend"}, want: conduct{}},
		{name: "variable wins over a terminal", env: map[string]string{"AGENT_ON_QUESTION": "fail"}, tty: true, want: conduct{OnQuestion: agent.OnQuestionFail}},
		{name: "flag wins over variable", flags: questionFlags{OnQuestion: "fallback"}, env: map[string]string{"AGENT_ON_QUESTION": "fail"}, want: conduct{OnQuestion: agent.OnQuestionFallback}},
		{name: "non-interactive", flags: questionFlags{NonInteractive: true}, tty: true, want: conduct{OnQuestion: agent.OnQuestionFallback}},
		{name: "non-interactive twice said", flags: questionFlags{OnQuestion: "fallback", NonInteractive: true}, want: conduct{OnQuestion: agent.OnQuestionFallback}},
		{name: "prompt in CI on a terminal", flags: questionFlags{OnQuestion: "prompt"}, env: map[string]string{"CI": "1"}, tty: true, want: conduct{Prompt: true}},
		{name: "prompt without a terminal", flags: questionFlags{OnQuestion: "prompt"}, wrong: exit.CodeUsage},
		{name: "prompt by variable without a terminal", env: map[string]string{"AGENT_ON_QUESTION": "prompt"}, wrong: exit.CodeConfig},
		{name: "contradiction", flags: questionFlags{OnQuestion: "suspend", NonInteractive: true}, wrong: exit.CodeUsage},
		{name: "unknown", flags: questionFlags{OnQuestion: "Suspend"}, wrong: exit.CodeUsage},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.flags.conduct(&iostreams.Streams{Env: onXterm(tt.env), InTTY: tt.tty, ErrTTY: tt.tty})
			if (err != nil) != (tt.wrong != "") || got != tt.want {
				t.Errorf("got %+v, %v", got, err)
			}
			if err != nil && exit.ErrorCode(err) != tt.wrong {
				t.Errorf("%v is a %s error, want %s", err, exit.ErrorCode(err), tt.wrong)
			}
		})
	}
}

func TestConduct_configured(t *testing.T) {
	t.Parallel()
	terminal, script := &iostreams.Streams{Env: onXterm(nil), InTTY: true, ErrTTY: true}, &iostreams.Streams{Env: onXterm(nil)}
	detected, said := conduct{Prompt: true, Detected: true}, conduct{OnQuestion: agent.OnQuestionFail}
	tests := []struct {
		name  string
		c     conduct
		value string
		io    *iostreams.Streams
		want  conduct
	}{
		{"nothing", detected, "", terminal, detected},
		{"over what is detected", detected, "suspend", terminal, conduct{}},
		{"over CI", conduct{OnQuestion: agent.OnQuestionReadOnlyFallback, CI: true, Detected: true}, "fail", script, conduct{OnQuestion: agent.OnQuestionFail}},
		{"not over a flag", said, "suspend", script, said},
		{"prompt on a terminal", conduct{OnQuestion: agent.OnQuestionReadOnlyFallback, CI: true, Detected: true}, "prompt", terminal, conduct{Prompt: true}},
		{"prompt without one", conduct{Detected: true}, "prompt", script, conduct{Detected: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.c.configured(tt.value, tt.io); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestParseRef(t *testing.T) {
	t.Parallel()
	tests := []struct {
		ref, id string
		n       int
		wrong   bool
	}{
		{ref: "call_1", id: "call_1"}, {ref: "call_1#2", id: "call_1", n: 2}, {ref: "a#b#3", id: "a#b", n: 3},
		{ref: "call#", wrong: true}, {ref: "call#x", wrong: true}, {ref: "call#0", wrong: true}, {ref: "call#-1", wrong: true}, {ref: "#1", wrong: true},
	}
	for _, tt := range tests {
		id, n, err := parseRef(tt.ref)
		if id != tt.id || n != tt.n || (err != nil) != tt.wrong {
			t.Errorf("parseRef(%q) = %q, %d, %v", tt.ref, id, n, err)
		}
	}
}

func TestOutputIn(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"run -o json x": "json", "--output jsonl run": "jsonl", "run --output=json": "json", "run -ojsonl": "jsonl", "run -o=json": "json",
		"run": "text", "run -o xml": "text", "run -- -o json": "text", "run -o json -o text": "text",
		"run --bogus -o json": "json", "run -qojson": "json", "run -vo json": "json", "run -o": "text", "run -C -o json": "text",
		"run --output": "text", "run --outputs=json": "text", "run -m=o json": "text", "run -ov json": "text",
	} {
		if got := outputIn(strings.Fields(args)); got != want {
			t.Errorf("outputIn(%s) = %s, want %s", args, got, want)
		}
	}
}

func TestDataHome(t *testing.T) {
	t.Parallel()
	tests := []struct {
		goos, want string
		env        map[string]string
	}{
		{"linux", "/x", map[string]string{"XDG_DATA_HOME": "/x", "HOME": "/h"}},
		{"linux", "/h/.local/share", map[string]string{"HOME": "/h"}},
		{"linux", "/h/.local/share", map[string]string{"XDG_DATA_HOME": "relative", "HOME": "/h"}},
		{"darwin", "/h/Library/Application Support", map[string]string{"HOME": "/h"}},
		{"windows", "C:/data", map[string]string{"LocalAppData": "C:/data"}},
		{"linux", "", nil},
		{"windows", "", nil},
	}
	for _, tt := range tests {
		got, err := dataHome(func(n string) string { return tt.env[n] }, tt.goos)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s %v: %q, %v", tt.goos, tt.env, got, err)
		}
	}
}
