//go:build linux || darwin

package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newGossip is a provider that tells everybody the key it is asked with: in words,
// in the arguments of a call, in the error of a status and in one in the middle
// of a stream, one after the other.
func newGossip(t *testing.T) *vendor {
	t.Helper()
	call := func(id, name string, args any) vendorTurn {
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		return vendorTurn{Text: "Your key is {{key}}.", ToolCalls: []vendorToolCall{{ID: id, Name: name, Args: raw}}}
	}
	v := newVendor(io.Discard,
		call("a", "write_file", map[string]string{"path": ".mastracode/plans/key.md", "content": "# Plan\n\nNo key.\n"}),
		call("b", "submit_plan", map[string]string{"path": ".mastracode/plans/key.md"}),
		call("d", "write_file", map[string]string{"path": ".mastracode/plans/{{key}}.md", "content": "# Plan {{key}}\n\nkey {{key}}\n"}),
		call("c", "ask_user", map[string]string{"question": "Is {{key}} your key?"}),
		vendorTurn{Status: http.StatusUnauthorized, Message: "no such key: {{key}}"},
		vendorTurn{Status: http.StatusServiceUnavailable, Message: "down, {{key}}"},
		vendorTurn{Text: "{{key}}", Broken: "the end of {{key}}"},
		vendorTurn{Text: "{{key}} was your key."},
	)
	t.Cleanup(v.Close)
	return v
}

// opened is a provider with the secret that opens it.
type opened struct {
	name, model string
	env         string // variable of the secret; "" for a header
	config      string // with %s for the address
}

func openedProviders() []opened {
	own := func(name, api, rest string) string {
		return fmt.Sprintf("[providers.%s]\nbaseUrl = \"%%s\"\napi = \"%s\"\n%s\n", name, api, rest)
	}
	return []opened{
		{"anthropic", "claude-sonnet-5", "ANTHROPIC_API_KEY", "[providers.anthropic]\nbaseUrl = \"%s\"\n"},
		{"anthropic", "claude-sonnet-4-5", "ANTHROPIC_AUTH_TOKEN", "[providers.anthropic]\nbaseUrl = \"%s\"\n"},
		{"openai", "gpt-5", "OPENAI_API_KEY", "[providers.openai]\nbaseUrl = \"%s/v1\"\n"},
		{"gemini", "gemini-2.5-pro", "GEMINI_API_KEY", "[providers.gemini]\nbaseUrl = \"%s/v1\"\n"},
		{"gemini", "gemini-2.5-flash", "GOOGLE_API_KEY", "[providers.gemini]\nbaseUrl = \"%s/v1\"\n"},
		{"openrouter", "openai/gpt-5", "OPENROUTER_API_KEY", "[providers.openrouter]\nbaseUrl = \"%s/v1\"\n"},
		{"chatty", "m", "CHATTY_PASS", own("chatty", "chat", "apiKeyEnv = \"CHATTY_PASS\"")},
		{"answers", "m", "ANSWERS_PASS", own("answers", "responses", "apiKeyEnv = \"ANSWERS_PASS\"")},
		{"claude", "m", "CLAUDE_PASS", own("claude", "anthropic", "apiKeyEnv = \"CLAUDE_PASS\"")},
		{"headed", "m", "", own("headed", "chat", "headers = { Authorization = \"Bearer %s\" }")},
		{"headed", "m", "", own("headed", "anthropic", "headers = { x-api-key = \"%s\" }")},
	}
}

// A key that a provider repeats comes out nowhere: not on stdout or stderr of any
// command, in any format, not in the database, a recording or the workspace.
func TestKeys_neverLeak(t *testing.T) {
	t.Parallel()
	for n, p := range openedProviders() {
		t.Run(fmt.Sprintf("%d %s %s", n, p.name, p.env), func(t *testing.T) {
			t.Parallel()
			marker := fmt.Sprintf("planted/%d+\"marker\"<%s>", n, strings.Repeat("x", n))
			if p.env == "" {
				marker = fmt.Sprintf("planted-%d-marker", n) // as it stands in a TOML text
			}
			b := newDesk(t)
			g := newGossip(t)
			b.env["XDG_CONFIG_HOME"], b.env["AGENT_RETRY_MAX_ELAPSED"] = filepath.Join(b.env["HOME"], "config"), "1ms"
			text := fmt.Sprintf(p.config, g.URL)
			if p.env == "" {
				text = fmt.Sprintf(strings.Replace(p.config, "%s", g.URL, 1), marker)
			} else {
				b.env[p.env] = marker
			}
			b.configure(text)
			said := b.gossips(p, filepath.Join(b.env["HOME"], "turns.yaml"))
			if !strings.Contains(said, "[secret ") || g.asked < 7 {
				t.Fatalf("the provider was not heard: %d requests\n%s", g.asked, said)
			}
			b.lacks(said, marker)
		})
	}
}

// configure writes the user's configuration.
func (b *bench) configure(content string) {
	b.t.Helper()
	dir := filepath.Join(b.env["XDG_CONFIG_HOME"], "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// gossips drives a run through all that the provider says, and asks every
// command that tells of it.
func (b *bench) gossips(p opened, recording string) string {
	b.t.Helper()
	var said strings.Builder
	id := p.name + "/" + p.model
	for _, args := range [][]string{
		{"run", "--model", id, "--record", recording, "-v", "Do it"},
		{"resume", "latest", "--reject", "--feedback", "no", "-o", "jsonl"},
		{"resume", "latest", "--answer", "yes"},
		{"resume", "latest", "-o", "json"},
		{"resume", "latest", "-v", "-o", "jsonl"},
		{"resume", "latest"},
		{"show", "latest"},
		{"show", "latest", "-o", "json"},
		{"plans", "show", "latest", "--raw"},
		{"list", "-o", "json"},
		{"list", "--search", "planted"},
		{"config", "-o", "json"},
		{"models", "--provider", p.name},
		{"doctor", "--online", "-v"},
		{"init"},
		{"run", "hi"},
	} {
		r := b.run(args...)
		fmt.Fprintf(&said, "$ %s\n%s%s", strings.Join(args, " "), r.out, r.err)
	}
	return said.String()
}

// lacks searches what was said and every file that was left for a marker, in
// each of its forms.
func (b *bench) lacks(said, marker string) {
	b.t.Helper()
	quoted, err := json.Marshal(marker)
	if err != nil {
		b.t.Fatal(err)
	}
	forms := []string{marker, strings.Trim(string(quoted), `"`)}
	check := func(where, content string) {
		for _, form := range forms {
			if at := strings.Index(content, form); at >= 0 {
				b.t.Errorf("the key is in %s: …%s…", where, content[max(0, at-80):min(len(content), at+80)])
			}
		}
	}
	check("the output", said)
	files := 0
	for _, root := range []string{b.env["HOME"], b.dir} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || d.Name() == "config.toml" {
				return err
			}
			content, err := os.ReadFile(path)
			files++
			check(path, string(content))
			return err
		})
		if err != nil {
			b.t.Fatal(err)
		}
	}
	if files < 3 {
		b.t.Errorf("only %d files were searched", files)
	}
}
