package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// TestLoad_Precedence tries every set of sources for one key: the strongest
// that gives a value wins.
func TestLoad_Precedence(t *testing.T) {
	t.Parallel()
	sources := []Source{SourceProject, SourceUser, SourceEnvironment, SourceFlag}
	words := map[Source]string{SourceProject: "prompt", SourceUser: "suspend", SourceEnvironment: "fallback", SourceFlag: "fail"}
	for set := range 1 << len(sources) {
		t.Run(fmt.Sprintf("%04b", set), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			o := p.options()
			o.TrustWorkspace = true
			strongest := SourceBuiltIn
			for i, s := range sources {
				if set&(1<<i) == 0 {
					continue
				}
				strongest = s
				switch line := fmt.Sprintf("\nonQuestion = %q\n", words[s]); s {
				case SourceProject:
					p.project(line)
				case SourceUser:
					p.user(line)
				case SourceEnvironment:
					p.env["AGENT_ON_QUESTION"] = words[s]
				case SourceFlag:
					o.Flags = map[string][]string{"on-question": {words[s]}}
				}
			}
			got := mustLoad(t, o).OnQuestion
			if got.Value != words[strongest] || got.Origin.Source != strongest {
				t.Errorf("got %q from %v, want %q", got.Value, got.Origin, words[strongest])
			}
		})
	}
}

func TestLoad_Origins(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user("# mine\nmodel = \"a/b\"\n\n[limits]\n\nmaxSteps = 7\n")
	p.project("onQuestion = \"suspend\"\n")
	p.env["AGENT_RETRY_MAX_ELAPSED"] = "10s"
	o := p.options()
	o.TrustWorkspace = true
	o.Flags = map[string][]string{"timeout": {"1m"}, "unrelated": {"x"}}
	c := mustLoad(t, o)
	for got, want := range map[Origin]string{
		c.Model.Origin: p.userFile() + ":2", c.Limits.MaxSteps.Origin: p.userFile() + ":6",
		c.OnQuestion.Origin: ".mastracode/config.toml:1", c.Retry.MaxElapsed.Origin: "AGENT_RETRY_MAX_ELAPSED",
		c.Limits.Timeout.Origin: "--timeout", c.PlansDir.Origin: "built-in",
	} {
		if got.String() != want {
			t.Errorf("origin %q, want %q", got, want)
		}
	}
	if c.Limits.MaxSteps.Value != 7 || c.Limits.Timeout.Value != time.Minute || c.Retry.MaxElapsed.Value != 10*time.Second {
		t.Errorf("limits %+v, retry %+v", c.Limits, c.Retry)
	}
}

func TestLoad_BuiltIn(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, Options{})
	if c.PlansDir.Value != ".mastracode/plans" || c.Limits.MaxSteps.Value != agent.DefaultMaxSteps || c.Notify.Value != "off" ||
		c.Permissions.Execute.Value != agent.ActionAsk || c.Sandbox.Network.Value != "ask" || c.User != "" || c.Project != (Project{}) {
		t.Errorf("built in: %+v", c)
	}
	if want := (agent.Retry{MaxElapsed: 5 * time.Minute, First: 500 * time.Millisecond, Max: 30 * time.Second}); c.Retry.Agent() != want {
		t.Errorf("retry %+v, want %+v", c.Retry.Agent(), want)
	}
}

func TestLoad_RetryNone(t *testing.T) {
	t.Parallel()
	if got := newPlace(t).user("retry.maxElapsed = \"0s\"\n").load().Retry.Agent().MaxElapsed; got >= 0 {
		t.Errorf("MaxElapsed %v: the library takes 0 for its default", got)
	}
}

const everything = `
model = "openai/gpt"
onQuestion = "fallback"
defaultModeId = "review"
plansDir = "docs/plans"
notify = "bell"

[[modes]]
id = "review"
name = "Review"
description = "Look closely"
instructions = """
Look closely.
"""
tools = ["read_file"]
writes = "none"
defaultModelId = "openai/gpt-mini"
metadata = { colour = "blue", level = 3 }

[[modes]]
id = "plan"
additionalTools = ["shell"]
availableTools = []
transitionsTo = "review"
default = true

[permissions]
allow = ["shell(go test *)", "shell(git status)"]
ask = ["edit(docs/**)"]
deny = ["read(.env)"]

[permissions.categories]
edit = "ask"
execute = "deny"

[sandbox]
write = ["~/cache", "/var/tmp/x"]
network = "on"
passEnv = ["NPM_TOKEN"]
secrets = ["~/.kube"]

[providers.local]
baseUrl = "http://127.0.0.1:8080/v1"
api = "chat"
apiKeyEnv = "LOCAL_KEY"
headers = { X-Key = "very secret" }
models = ["small", { id = "large", contextWindow = 131072, prices = { input = 1, output = 2.5, cacheRead = 0.1 } }]

[retry]
maxElapsed = "2m"
first = "1s"
max = "10s"

[limits]
maxSteps = 50
timeout = "1h"

[hooks]
onSuspend = "notify-send waits"
onFinish = "true"
onTool = "check"
`

func TestLoad_Everything(t *testing.T) {
	t.Parallel()
	c := newPlace(t).user(everything).load()
	if len(c.Modes) != 2 || c.Modes[0].Origin.Line != 8 || c.Modes[1].Origin.Line != 20 {
		t.Fatalf("modes %+v", c.Modes)
	}
	m := c.Modes[0].Value
	if m.ID != "review" || m.Instructions != "Look closely.\n" || m.Writes != agent.WritesNone || !slices.Equal(m.Tools, []string{"read_file"}) ||
		m.DefaultModelID != "openai/gpt-mini" || m.Metadata["level"] != int64(3) || m.AvailableTools != nil {
		t.Errorf("mode %+v", m)
	}
	if m := c.Modes[1].Value; m.AvailableTools == nil || len(m.AvailableTools) != 0 || !m.Default {
		t.Errorf("mode %+v: an empty filter is not a missing one", m)
	}
	pr := c.Providers[0].Value
	if pr.Name != "local" || pr.API != "chat" || pr.Headers["X-Key"] != "very secret" || len(pr.Models) != 2 {
		t.Errorf("provider %+v", pr)
	}
	if small, large := pr.Models[0], pr.Models[1]; small != (ProviderModel{ID: "small"}) || large.ID != "large" || large.ContextWindow != 131072 ||
		*large.Prices != (agent.Prices{Input: 1, Output: 2.5, CacheRead: 0.1, CacheWrite: 1}) {
		t.Errorf("models %+v", pr.Models)
	}
	if len(c.Permissions.Allow) != 2 || c.Permissions.Allow[1].Value != "shell(git status)" || c.Permissions.Edit.Value != agent.ActionAsk {
		t.Errorf("permissions %+v", c.Permissions)
	}
	if c.Sandbox.Network.Value != "on" || c.Sandbox.PassEnv[0].Value != "NPM_TOKEN" || c.Hooks.OnTool.Value != "check" {
		t.Errorf("sandbox %+v, hooks %+v", c.Sandbox, c.Hooks)
	}
}

func TestConfig_Settings(t *testing.T) {
	t.Parallel()
	c := newPlace(t).user(everything).load()
	var shown strings.Builder
	got := map[string]string{}
	for _, s := range c.Settings() {
		fmt.Fprintf(&shown, "%s = %s (%s)\n", s.Key, s.Text(), s.From)
		got[s.Key] = s.Text()
	}
	for key, want := range map[string]string{
		"model": "openai/gpt", "limits.timeout": "1h0m0s", "limits.maxSteps": "50", "modes.review": "Look closely", "yolo": "", "db": "",
		"providers.local.headers": "X-Key", "permissions.categories.read": "allow", "permissions.deny": "read(.env)",
	} {
		if text, ok := got[key]; !ok || text != want {
			t.Errorf("%s = %q, %v; want %q", key, text, ok, want)
		}
	}
	if strings.Contains(shown.String(), "secret\n") || strings.Contains(shown.String(), "very secret") {
		t.Errorf("a header's value is shown:\n%s", shown.String())
	}
	for _, k := range Keys() {
		if k.access != nil && !strings.Contains(shown.String(), k.Name+" = ") {
			t.Errorf("%s is not shown", k.Name)
		}
	}
}

// A default of the user's takes that of a built-in mode, which would otherwise
// come first.
func TestConfig_MergeModes_default(t *testing.T) {
	t.Parallel()
	builtin := []agent.Mode{{ID: "plan", Default: true}, {ID: "build"}}
	c := newPlace(t).user("[[modes]]\nid = \"mine\"\ndefault = true\ntools = []\n").load()
	got := c.MergeModes(builtin)
	if len(got) != 3 || got[0].Default || !got[2].Default || !builtin[0].Default {
		t.Errorf("merged %+v of %+v", got, builtin)
	}
}

func TestConfig_MergeModes(t *testing.T) {
	t.Parallel()
	builtin := []agent.Mode{{ID: "plan", Name: "Plan"}, {ID: "build"}}
	got := newPlace(t).user(everything).load().MergeModes(builtin)
	if len(got) != 3 || got[0].ID != "plan" || got[0].Name != "" || got[1].ID != "build" || got[2].ID != "review" {
		t.Errorf("modes %+v", got)
	}
	if builtin[0].Name != "Plan" {
		t.Error("the built-in modes were changed")
	}
}

func TestLoad_RulesHoldTogether(t *testing.T) {
	t.Parallel()
	p := newPlace(t).user("permissions.deny = [\"a\"]\n").project("permissions.deny = [\"b\"]\n")
	o := p.options()
	o.Flags = map[string][]string{"deny": {"c", "d"}}
	var got []string
	for _, r := range mustLoad(t, o).Permissions.Deny {
		got = append(got, r.Value+" "+r.Origin.String())
	}
	want := []string{"b .mastracode/config.toml:1", "a " + p.userFile() + ":1", "c --deny", "d --deny"}
	if !slices.Equal(got, want) {
		t.Errorf("rules %q, want %q", got, want)
	}
}

// TestLoad_Faults gives each faulty text to the user's file, to a trusted and
// to an untrusted project file. line is where the fault is; words are in its
// message.
func TestLoad_Faults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		line       int
		words      string
	}{
		{"syntax", "model = \"a\"\n\nmodel =\n", 3, "TOML"},
		{"the same key twice", "model = \"a\"\nmodel = \"b\"\n", 2, "TOML"},
		{"type of a text", "\nmodel = 3\n", 2, "model: is a number, write a text"},
		{"blank", "model = \" \"\n", 1, "blank"},
		{"control characters", "model = \"a\\u001b[31m\"\n", 1, "control"},
		{"word", "onQuestion = \"maybe\"\n", 1, "prompt, suspend, fallback or fail"},
		{"word in another case", "onQuestion = \"Fail\"\n", 1, "fail"},
		{"negative limit", "[limits]\nmaxSteps = -1\n", 2, "limits.maxSteps: is -1"},
		{"no limit", "limits.maxSteps = 0\n", 1, "from 1"},
		{"huge limit", "limits.maxSteps = 9223372036854775807\n", 1, "from 1"},
		{"a limit in quotes", "limits.maxSteps = \"5\"\n", 1, "is a text, write a whole number"},
		{"a fraction", "limits.maxSteps = 1.5\n", 1, "fraction"},
		{"time-out 0", "limits.timeout = \"0s\"\n", 1, "0"},
		{"negative time-out", "limits.timeout = \"-5m\"\n", 1, "negative"},
		{"a duration without unit", "limits.timeout = \"5\"\n", 1, "such as 30s"},
		{"a duration as a number", "limits.timeout = 300\n", 1, "write a duration"},
		{"negative retry", "[retry]\n\n\nmaxElapsed = \"-1s\"\n", 4, "negative"},
		{"plans outside", "plansDir = \"../plans\"\n", 1, "not inside the workspace"},
		{"plans absolute", "plansDir = \"/tmp/plans\"\n", 1, "relative"},
		{"plans on the way out", "plansDir = \"a/../../b\"\n", 1, "not inside"},
		{"plans everywhere", "plansDir = \".\"\n", 1, "workspace itself"},
		{"plans in git", "plansDir = \".git/x\"\n", 1, "git"},
		{"plans with backslashes", "plansDir = '..\\plans'\n", 1, "slashes"},
		{"a table that is none", "limits = 5\n", 1, "write a table [limits]"},
		{"rules that are no list", "permissions.deny = \"x\"\n", 1, "write a list"},
		{"rules of another type", "permissions.deny = [\"x\", 1]\n", 1, "item 2"},
		{"a blank rule", "[permissions]\ndeny = [\n \"x\",\n \"\",\n]\n", 2, "blank"},
		{"a mode without id", "[[modes]]\nname = \"x\"\ntools = []\nwrites = \"none\"\n", 1, "no id"},
		{"the second mode", "[[modes]]\nid = \"a\"\ntools = []\nwrites = \"none\"\n[[modes]]\nid = \"b\"\nwrites = \"all\"\n", 7, "writes"},
		{"the same mode twice", "[[modes]]\nid = \"a\"\ntools = []\nwrites = \"none\"\n[[modes]]\nid = \"a\"\n", 6, "twice"},
		{"both tool fields", "[[modes]]\nid = \"a\"\ntools = []\nadditionalTools = []\n", 1, "one of them"},
		{"leads to itself", "[[modes]]\nid = \"a\"\ntransitionsTo = \"a\"\n", 1, "itself"},
		{"leads nowhere", "[[modes]]\nid = \"a\"\ntools = []\nwrites = \"none\"\ntransitionsTo = \"x\"\n", 1, "no mode"},
		{"a tool nobody has", "[[modes]]\nid = \"a\"\nwrites = \"none\"\ntools = [\"read_file\"]\nadditionalTools = 3\n", 5, "list"},
		{"a mode's odd name", "[[modes]]\nid = \"a b\"\n", 2, "not a name"},
		{"modes that are no list", "modes = 3\n", 1, "[[modes]]"},
		{"one mode as a table", "[modes]\nid = \"a\"\n", 1, "[[modes]]"},
		{"too deep", "\nx = " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n", 0, "line 2 is nested too deeply"},
		{"a key too long", strings.Repeat("a.", 40) + "b = 1\n", 0, "nested too deeply"},
	}
	// These are faults of what a project sets only when it is trusted, or never.
	untrustedIgnores := []string{"model", "onQuestion", "limits", "retry", "plansDir"}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t).user(tc.text)
			checkFault(t, p.options(), p.userFile(), tc.line, tc.words)

			p = newPlace(t).project(tc.text)
			o := p.options()
			o.TrustWorkspace = true
			checkFault(t, o, ProjectPath, tc.line, tc.words)

			c := p.load()
			ignored := slices.ContainsFunc(untrustedIgnores, func(k string) bool {
				return slices.ContainsFunc(c.Ignored, func(i Ignored) bool { return strings.HasPrefix(i.Key, k) })
			})
			told := slices.ContainsFunc(c.Warnings, func(w Problem) bool { return strings.Contains(w.Error(), tc.words) })
			if told == ignored && len(c.Ignored) == 0 {
				t.Errorf("untrusted: warnings %v, ignored %v", c.Warnings, c.Ignored)
			}
		})
	}
}

func checkFault(t *testing.T, o Options, file string, line int, words string) {
	t.Helper()
	c, err := Load(o)
	if err == nil || c != nil {
		t.Fatalf("%s: Load = %+v, %v; want an error", file, c, err)
	}
	var p Problem
	if !errors.As(err, &p) || p.Origin.Name != file || p.Origin.Line != line {
		t.Errorf("error %q, want it at %s:%d", err, file, line)
	}
	if !strings.Contains(err.Error(), words) {
		t.Errorf("error %q lacks %q", err, words)
	}
}

// TestLoad_UserFaults are faults only the user's file can have.
func TestLoad_UserFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		line       int
		words      string
	}{
		{"unknown key", "\nmodle = \"x\"\n", 2, "modle: is no setting, did you mean model?"},
		{"key of another case", "Model = \"x\"\n", 1, "did you mean model?"},
		{"key at the wrong place", "maxSteps = 3\n", 1, "did you mean limits.maxSteps?"},
		{"unknown table", "\n[limit]\nmaxSteps = 3\n", 2, "limit"},
		{"unknown key in a table", "[limits]\nmaxStep = 3\n", 2, "did you mean limits.maxSteps?"},
		{"unknown key of a mode", "[[modes]]\nid = \"a\"\n[[modes]]\nid = \"b\"\ntool = []\n", 5, "did you mean tools?"},
		{"unknown key of a provider", "[providers.x]\nurl = \"\"\n", 2, "did you mean"},
		{"nothing near", "zzzzzzzzzzzz = 1\n", 1, "zzzzzzzzzzzz: is no setting"},
		{"a key that would pass for a path", "\"limits.maxSteps\" = 1\n", 1, "is no setting"},
		{"database", "db = \"x\"\n", 1, "use --db or AGENT_DB"},
		{"sandbox relative", "sandbox.write = [\"cache\"]\n", 1, "absolute"},
		{"network", "sandbox.network = true\n", 1, "true or false"},
		{"passing what is ours", "sandbox.passEnv = [\"AGENT_RUN_ID\"]\n", 1, "never passed"},
		{"passing nonsense", "sandbox.passEnv = [\"A=B\"]\n", 1, "environment variable"},
		{"provider's protocol", "[providers.x]\napi = \"soap\"\n", 2, "chat, responses or anthropic"},
		{"provider's address", "[providers.x]\n\nbaseUrl = \"file:///etc\"\n", 3, "address"},
		{"a password in the address", "[providers.x]\nbaseUrl = \"https://a:hidden@x.example\"\n", 2, "password"},
		{"a header's line break", "[providers.x]\nheaders = { A = \"hidden\\nB: c\" }\n", 2, "line break"},
		{"models that are none", "[providers.x]\nmodels = \"a\"\n", 2, "write a list"},
		{"a model twice", "[providers.x]\nmodels = [\"a\", { id = \"a\" }]\n", 2, "item 2 names \"a\" again"},
		{"a model without a name", "[providers.x]\nmodels = [{ contextWindow = 5 }]\n", 2, "item 1 has no id"},
		{"a blank model", "[providers.x]\nmodels = [\" \"]\n", 2, "item 1 is blank"},
		{"a model's unknown key", "[providers.x]\n[[providers.x.models]]\nid = \"a\"\nwindow = 5\n", 2, "window is no setting"},
		{"a window that is none", "[providers.x]\nmodels = [{ id = \"a\", contextWindow = 0 }]\n", 2, "contextWindow is 0"},
		{"half a price", "[providers.x]\nmodels = [{ id = \"a\", prices = { input = 1 } }]\n", 2, "lacks input or output"},
		{"a price below nothing", "[providers.x]\nmodels = [{ id = \"a\", prices = { input = -1, output = 1 } }]\n", 2, "has input, which is -1"},
		{"a price of something else", "[providers.x]\nmodels = [{ id = \"a\", prices = { in = 1, output = 1 } }]\n", 2, "\"in\", which is no price"},
		{"a provider that is none", "providers.x = 1\n", 1, "write a table"},
		{"unknown default mode", "defaultModeId = \"plam\"\n", 1, "no mode"},
		{"unknown tool", "[[modes]]\nid = \"a\"\ntools = [\"fly\"]\n", 1, "no tool"},
		{"category", "[permissions.categories]\nread = \"maybe\"\n", 2, "allow, ask or deny"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t).user(tc.text)
			checkFault(t, p.options(), p.userFile(), tc.line, tc.words)
			if _, err := Load(p.options()); strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error quotes a secret: %v", err)
			}
		})
	}
}

func TestLoad_AllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t).user("model = 1\nonQuestion = \"x\"\nfoo = 1\n")
	p.env["AGENT_RETRY_MAX_ELAPSED"] = "soon"
	o := p.options()
	o.Flags = map[string][]string{"max-steps": {"0"}}
	_, err := Load(o)
	for _, want := range []string{":1: model", ":2: onQuestion", ":3: foo", "AGENT_RETRY_MAX_ELAPSED: retry.maxElapsed", "--max-steps: limits.maxSteps"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

func TestLoad_CheckRule(t *testing.T) {
	t.Parallel()
	check := func(rule string) error {
		if strings.HasSuffix(rule, "(") {
			return errors.New("a parenthesis is open")
		}
		return nil
	}
	p := newPlace(t).user("permissions.ask = [\"shell(\"]\n")
	o := p.options()
	o.CheckRule = check
	checkFault(t, o, p.userFile(), 1, `"shell(": a parenthesis is open`)

	p = newPlace(t).project("permissions.deny = [\"shell(\"]\n")
	o = p.options()
	o.CheckRule = check
	if c := mustLoad(t, o); len(c.Permissions.Deny) != 0 || len(c.Warnings) != 1 {
		t.Errorf("untrusted: rules %v, warnings %v", c.Permissions.Deny, c.Warnings)
	}
}

func TestLoad_UserFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(filepath.Join(p.userFile(), "x"), "")
	if _, err := Load(p.options()); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("a directory: %v", err)
	}
	p = newPlace(t).user(strings.Repeat("#", MaxFile+1))
	if _, err := Load(p.options()); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("a huge file: %v", err)
	}
	p = newPlace(t)
	p.write(filepath.Join(p.home, "dotfiles"), "model = \"linked\"\n")
	if err := os.MkdirAll(filepath.Dir(p.userFile()), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(p.home, "dotfiles"), p.userFile()); err != nil {
		t.Skip(err)
	}
	if got := p.load().Model.Value; got != "linked" {
		t.Errorf("through the user's own link: %q", got)
	}
}

func TestUserFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := &place{t: t}
	p.write(filepath.Join(dir, "mac/Library/Application Support/agent/config.toml"), "")
	p.write(filepath.Join(dir, "both/.config/agent/config.toml"), "")
	p.write(filepath.Join(dir, "both/Library/Application Support/agent/config.toml"), "")
	tests := []struct {
		name, goos string
		env        map[string]string
		want       string
	}{
		{"XDG", "linux", map[string]string{"XDG_CONFIG_HOME": filepath.Join(dir, "x"), "HOME": dir}, "x/agent/config.toml"},
		{"XDG on a Mac", "darwin", map[string]string{"XDG_CONFIG_HOME": filepath.Join(dir, "x"), "HOME": filepath.Join(dir, "mac")}, "x/agent/config.toml"},
		{"relative XDG does not count", "linux", map[string]string{"XDG_CONFIG_HOME": "x", "HOME": dir}, ".config/agent/config.toml"},
		{"home", "linux", map[string]string{"HOME": filepath.Join(dir, "mac")}, "mac/.config/agent/config.toml"},
		{"Mac", "darwin", map[string]string{"HOME": filepath.Join(dir, "mac")}, "mac/Library/Application Support/agent/config.toml"},
		{"Mac with both", "darwin", map[string]string{"HOME": filepath.Join(dir, "both")}, "both/.config/agent/config.toml"},
		{"Windows", "windows", map[string]string{"AppData": filepath.Join(dir, "roaming"), "USERPROFILE": dir}, "roaming/agent/config.toml"},
		{"Windows with dotfiles", "windows", map[string]string{"AppData": filepath.Join(dir, "roaming"), "USERPROFILE": filepath.Join(dir, "both")}, "both/.config/agent/config.toml"},
		{"no home", "linux", nil, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			want := tc.want
			if want != "" {
				want = filepath.Join(dir, want)
			}
			if got := UserFile(func(n string) string { return tc.env[n] }, tc.goos, "config.toml"); got != want {
				t.Errorf("UserFile = %q, want %q", got, want)
			}
		})
	}
}
