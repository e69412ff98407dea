package config

import (
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Standing says whether a project file may set a key.
type Standing string

// Standings of keys.
const (
	Always      Standing = "yes"          // any project file may
	WhenTrusted Standing = "when trusted" // after agent trust
	Never       Standing = "never"        // the user's file may
	NoFile      Standing = "no file may"  // nor may the user's file
)

// Key is one documented setting.
type Key struct {
	Name    string   // "limits.maxSteps"; NAME and [[modes]] stand for any
	Type    string   // for readers
	Default string   // as it would be written, without quotes; "": none
	Env     string   // variable that sets it; "": none
	Flag    string   // flag that sets it, without dashes; "": none
	Project Standing // whether a project file may set it
	Doc     string   // one sentence or two, Markdown

	access access // nil for the fields of modes and providers
}

// Keys is the one list of settings, in the order of the documentation.
func Keys() []Key {
	var all []Key
	for _, group := range [][]Key{
		runKeys(), modeKeys(), permissionKeys(), sandboxKeys(), providerKeys(), boundKeys(), hostKeys(),
	} {
		all = append(all, group...)
	}
	return all
}

func runKeys() []Key {
	return []Key{
		{
			Name: "model", Type: "text", Env: "AGENT_MODEL", Flag: "model", Project: WhenTrusted,
			Doc:    "Model of runs, `provider/model`. `script:` models are never taken from a project. A mode's `defaultModelId` comes before `AGENT_MODEL`.",
			access: one(func(c *Config) *Value[string] { return &c.Model }, plain(line)),
		},
		{
			Name: "thinking", Type: "off, low, medium, high", Flag: "thinking", Project: WhenTrusted,
			Doc:    "How much models think before they speak, where they can. Without it, as their providers do.",
			access: one(func(c *Config) *Value[string] { return &c.Thinking }, words("off", "low", "medium", "high")),
		},
		{
			Name: "onQuestion", Type: "prompt, suspend, fallback, fail", Env: "AGENT_ON_QUESTION", Flag: "on-question", Project: WhenTrusted,
			Doc:    "What a question or a plan does. Without it, it depends on where the command runs.",
			access: one(func(c *Config) *Value[string] { return &c.OnQuestion }, words("prompt", "suspend", "fallback", "fail")),
		},
		{
			Name: "defaultModeId", Type: "text", Project: WhenTrusted,
			Doc:    "Mode a run begins in where `--mode` names none. Without it, the first mode with `default = true`.",
			access: one(func(c *Config) *Value[string] { return &c.DefaultModeID }, plain(identifier)),
		},
		{
			Name: "plansDir", Type: "path", Default: ".mastracode/plans", Project: WhenTrusted,
			Doc:    "Directory of plans, relative to the workspace and inside it.",
			access: one(func(c *Config) *Value[string] { return &c.PlansDir }, plain(inWorkspace)),
		},
	}
}

func modeKeys() []Key {
	const reading = "A mode of a project that is not trusted is taken only whole, and only with tools that read, no model and no `default`."
	return []Key{
		{Name: "[[modes]] id", Type: "text", Project: Always, Doc: "Name of the mode, required. A project never redefines `plan`, `build` or `explore`, nor a mode of the user. " + reading},
		{Name: "[[modes]] name", Type: "text", Project: Always, Doc: "Name for people."},
		{Name: "[[modes]] description", Type: "text", Project: Always, Doc: "What the mode is for, in a line."},
		{Name: "[[modes]] instructions", Type: "text", Project: Always, Doc: "What the model is told in this mode, after the agent's own instructions."},
		{Name: "[[modes]] availableTools", Type: "list of texts", Project: Always, Doc: "Filter of the mode's tools: absent lets all through, `[]` none."},
		{Name: "[[modes]] tools", Type: "list of texts", Project: Always, Doc: "Tools in place of the agent's. Not together with `additionalTools`."},
		{Name: "[[modes]] additionalTools", Type: "list of texts", Project: Always, Doc: "Tools beside the agent's."},
		{Name: "[[modes]] writes", Type: "none, plans, workspace", Default: "workspace", Project: Always, Doc: "What the tools may write. Without trust only `none` and `plans`."},
		{Name: "[[modes]] defaultModelId", Type: "text", Project: WhenTrusted, Doc: "Model of this mode. It comes before `AGENT_MODEL` and after `--model`."},
		{Name: "[[modes]] transitionsTo", Type: "text", Project: Always, Doc: "Mode an approved plan leads to. Without it, the default mode."},
		{Name: "[[modes]] default", Type: "true or false", Default: "false", Project: WhenTrusted, Doc: "Whether runs begin in it where `defaultModeId` says nothing."},
		{Name: "[[modes]] metadata", Type: "table", Project: Always, Doc: "Whatever a program around the agent wants to keep with the mode."},
	}
}

func permissionKeys() []Key {
	action := words(agent.ActionAllow, agent.ActionAsk, agent.ActionDeny)
	return []Key{
		{
			Name: "permissions.allow", Type: "list of rules", Flag: "allow", Project: WhenTrusted,
			Doc:    "Calls that run unasked, such as `shell(go test *)`; see [permissions.md](permissions.md). Rules of all sources hold together; deny wins over ask, ask over allow.",
			access: list{func(c *Config) *[]Value[string] { return &c.Permissions.Allow }, filled},
		},
		{
			Name: "permissions.ask", Type: "list of rules", Flag: "ask", Project: Always,
			Doc:    "Calls a person is asked about.",
			access: list{func(c *Config) *[]Value[string] { return &c.Permissions.Ask }, filled},
		},
		{
			Name: "permissions.deny", Type: "list of rules", Flag: "deny", Project: Always,
			Doc:    "Calls that never run.",
			access: list{func(c *Config) *[]Value[string] { return &c.Permissions.Deny }, filled},
		},
		{
			Name: "permissions.categories.read", Type: "allow, ask, deny", Default: "allow", Project: WhenTrusted,
			Doc:    "What becomes of reading where no rule matches.",
			access: one(func(c *Config) *Value[agent.Action] { return &c.Permissions.Read }, action),
		},
		{
			Name: "permissions.categories.edit", Type: "allow, ask, deny", Default: "allow", Project: WhenTrusted,
			Doc:    "The same for writing files, within what the mode may write.",
			access: one(func(c *Config) *Value[agent.Action] { return &c.Permissions.Edit }, action),
		},
		{
			Name: "permissions.categories.execute", Type: "allow, ask, deny", Default: "ask", Project: WhenTrusted,
			Doc:    "The same for commands.",
			access: one(func(c *Config) *Value[agent.Action] { return &c.Permissions.Execute }, action),
		},
		{
			Name: "yolo", Type: "true or false", Default: "false", Flag: "yolo", Project: Never,
			Doc:    "Allow every call that no rule denies.",
			access: one(func(c *Config) *Value[bool] { return &c.Yolo }, truth),
		},
	}
}

func sandboxKeys() []Key {
	return []Key{
		{
			Name: "sandbox.write", Type: "list of paths", Project: Never,
			Doc:    "Places commands may write beside the workspace; absolute or beginning with `~/`.",
			access: list{func(c *Config) *[]Value[string] { return &c.Sandbox.Write }, writable},
		},
		{
			Name: "sandbox.network", Type: "off, ask, on", Default: "ask", Project: Never,
			Doc:    "Network of commands in modes that may write the workspace: `ask` gives it to those a person was asked about and allowed, one by one. Other modes never have it. With `off`, commands run only where something keeps them from it.",
			access: one(func(c *Config) *Value[string] { return &c.Sandbox.Network }, words("off", "ask", "on")),
		},
		{
			Name: "sandbox.passEnv", Type: "list of names", Project: Never,
			Doc:    "Variables that commands get although their names look like secrets.",
			access: list{func(c *Config) *[]Value[string] { return &c.Sandbox.PassEnv }, variable},
		},
		{
			Name: "sandbox.secrets", Type: "list of paths", Project: WhenTrusted,
			Doc:    "Further paths that no tool may touch, beside the built-in ones: patterns with `*`, `?`, `[ ]`, `{ }` and `**`. With a `/` inside they begin at the workspace, with `/` or `~/` in front they are absolute, a bare name counts at any depth.",
			access: list{func(c *Config) *[]Value[string] { return &c.Sandbox.Secrets }, line},
		},
	}
}

func providerKeys() []Key {
	return []Key{
		{Name: "providers.NAME.baseUrl", Type: "address", Project: Never, Doc: "Where the provider's API is, version included, such as `http://localhost:1234/v1`. A provider of your own needs it; a built-in one (`anthropic`, `openai`, `gemini`, `openrouter`, `ollama`) is then asked there."},
		{Name: "providers.NAME.api", Type: "chat, responses, anthropic", Project: Never, Doc: "The protocol it speaks: OpenAI's chat completions (`chat`) or Responses, or Anthropic's Messages. Default `chat`; a built-in provider keeps its own."},
		{Name: "providers.NAME.apiKeyEnv", Type: "name", Project: Never, Doc: "Variable that holds its key: its value is masked, and commands do not get it. Keys themselves are not written here. A built-in provider keeps its variable without it."},
		{Name: "providers.NAME.headers", Type: "table of texts", Project: Never, Doc: "Headers sent with every request. Their values are not shown."},
		{Name: "providers.NAME.models", Type: "list of texts or tables", Project: Never, Doc: "Its models, for lists and completion: names, or tables with what is known of one: `{ id, contextWindow, maxOutput, prices = { input, output, cacheRead, cacheWrite } }`, in tokens and US dollars per million of them."},
	}
}

func boundKeys() []Key {
	return []Key{
		{
			Name: "retry.maxElapsed", Type: "duration", Default: "5m", Env: "AGENT_RETRY_MAX_ELAPSED", Project: WhenTrusted,
			Doc:    "How long a provider's faults are met with further attempts; `0s`: none.",
			access: one(func(c *Config) *Value[time.Duration] { return &c.Retry.MaxElapsed }, duration(false)),
		},
		{
			Name: "retry.first", Type: "duration", Default: "500ms", Project: WhenTrusted,
			Doc:    "Wait before the second attempt, doubled each time.",
			access: one(func(c *Config) *Value[time.Duration] { return &c.Retry.First }, duration(true)),
		},
		{
			Name: "retry.max", Type: "duration", Default: "30s", Project: WhenTrusted,
			Doc:    "Longest wait between two attempts.",
			access: one(func(c *Config) *Value[time.Duration] { return &c.Retry.Max }, duration(true)),
		},
		{
			Name: "limits.maxSteps", Type: "number", Default: "100", Flag: "max-steps", Project: WhenTrusted,
			Doc:    "Most steps of a run, over all resumptions.",
			access: one(func(c *Config) *Value[int] { return &c.Limits.MaxSteps }, count),
		},
		{
			Name: "limits.maxTokens", Type: "number", Flag: "max-tokens", Project: WhenTrusted,
			Doc:    "Most tokens of a run, in and out, those from the provider's cache too, over all resumptions.",
			access: one(func(c *Config) *Value[int] { return &c.Limits.MaxTokens }, count),
		},
		{
			Name: "limits.maxCost", Type: "number", Flag: "max-cost", Project: WhenTrusted,
			Doc:    "Most a run may cost, in US dollars, over all resumptions. A model whose prices are unknown pauses such a run.",
			access: one(func(c *Config) *Value[float64] { return &c.Limits.MaxCost }, dollars),
		},
		{
			Name: "limits.timeout", Type: "duration", Flag: "timeout", Project: WhenTrusted,
			Doc:    "Most driven time of a run; waiting for a person does not count.",
			access: one(func(c *Config) *Value[time.Duration] { return &c.Limits.Timeout }, duration(true)),
		},
	}
}

func hostKeys() []Key {
	return []Key{
		{
			Name: "hooks.onSuspend", Type: "command line", Project: WhenTrusted,
			Doc:    "Run when a run begins to wait for a person, with the event as JSON on its stdin. Nothing waits for it.",
			access: one(func(c *Config) *Value[string] { return &c.Hooks.OnSuspend }, plain(filled)),
		},
		{
			Name: "hooks.onFinish", Type: "command line", Project: WhenTrusted,
			Doc:    "Run when a run has finished or failed, likewise.",
			access: one(func(c *Config) *Value[string] { return &c.Hooks.OnFinish }, plain(filled)),
		},
		{
			Name: "hooks.onTool", Type: "command line", Project: WhenTrusted,
			Doc:    "Asked before each tool call but questions and plans, with the call as JSON on its stdin: any exit code but 0 denies it.",
			access: one(func(c *Config) *Value[string] { return &c.Hooks.OnTool }, plain(filled)),
		},
		{
			Name: "notify", Type: "off, bell, desktop", Default: "off", Project: Never,
			Doc:    "How you are called back to a terminal when a run waits for you or has ended after 10 seconds or more of work.",
			access: one(func(c *Config) *Value[string] { return &c.Notify }, words("off", "bell", "desktop")),
		},
		{
			Name: "db", Type: "path", Env: "AGENT_DB", Flag: "db", Project: NoFile,
			Doc:    "Database of runs. Without it, `runs.db` in the user's data directory.",
			access: one(func(c *Config) *Value[string] { return &c.DB }, plain(line)),
		},
	}
}

// Table is the list of keys as a Markdown table, as in docs/config.md.
func Table() string {
	var b strings.Builder
	b.WriteString("| key | type | default | variable, flag | from a project | what it does |\n|---|---|---|---|---|---|\n")
	for _, k := range Keys() {
		var ways []string
		if k.Env != "" {
			ways = append(ways, "`"+k.Env+"`")
		}
		if k.Flag != "" {
			ways = append(ways, "`--"+k.Flag+"`")
		}
		def := k.Default
		if def != "" {
			def = "`" + def + "`"
		}
		cells := []string{"`" + k.Name + "`", k.Type, def, strings.Join(ways, ", "), string(k.Project), k.Doc}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return b.String()
}

// Permits reports whether key, as Setting and Ignored have it, is about what
// calls may do.
func Permits(key string) bool { return key == "yolo" || strings.HasPrefix(key, "permissions.") }
