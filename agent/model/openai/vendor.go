package openai

import (
	"net"
	"net/url"
	"strings"
)

// vendor is where a provider differs from what the API's description says.
type vendor struct {
	keyNeeded bool // it serves nobody without a key
	cacheKey  bool // takes prompt_cache_key
	// objectArgs: it reads the arguments of earlier calls and refuses the
	// whole request if they are no JSON object.
	objectArgs bool
	// signed reports whether a model wants a signature on earlier calls, also
	// on those of other models; nil: none does.
	signed func(model string) bool
	// priced: what it calls cost is US dollars.
	priced bool
	// reasoning: "reasoning" of earlier replies is taken back.
	reasoning bool
	effort    func(model, thinking string) (effort string)
	nested    bool   // the effort is an object "reasoning"
	start     string // command that starts it
	pull      string // command that fetches a model, the name follows
}

// OpenAI is OpenAI's own service, or the one OPENAI_BASE_URL names.
func OpenAI(getenv func(name string) string) Provider {
	p := Provider{
		Name: "openai", BaseURL: "https://api.openai.com/v1", API: Responses,
		APIKey: getenv("OPENAI_API_KEY"), KeyEnv: "OPENAI_API_KEY", Headers: map[string]string{},
		vendor: vendor{keyNeeded: true, cacheKey: true},
	}
	if base := getenv("OPENAI_BASE_URL"); base != "" {
		p = p.At(base)
	}
	for header, name := range map[string]string{"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"} {
		if v := getenv(name); v != "" {
			p.Headers[header] = v
		}
	}
	return p
}

// At returns the provider at another address. Who answers there may serve
// without a key, and need not know what only the vendor's own service does.
func (p Provider) At(baseURL string) Provider {
	p.BaseURL = baseURL
	p.vendor.keyNeeded, p.vendor.cacheKey = false, false
	return p
}

// Ollama is the Ollama server of this machine, or the one OLLAMA_HOST names.
func Ollama(getenv func(name string) string) Provider {
	return Provider{
		Name: "ollama", BaseURL: ollamaURL(getenv("OLLAMA_HOST")), API: Chat,
		vendor: vendor{objectArgs: true, reasoning: true, start: "ollama serve", pull: "ollama pull"},
	}
}

// ollamaURL reads OLLAMA_HOST as Ollama does: scheme and port may be missing,
// and an address to listen on is one to call.
func ollamaURL(host string) string {
	host = strings.TrimSpace(host)
	scheme, rest, ok := strings.Cut(host, "://")
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	if !ok {
		scheme, rest, port = "http", host, "11434"
	}
	rest, path, _ := strings.Cut(rest, "/")
	name, p, err := net.SplitHostPort(rest)
	if err != nil {
		name, p = strings.Trim(rest, "[]"), port
	}
	if name == "" || name == "0.0.0.0" || name == "::" {
		name = "127.0.0.1"
	}
	path = strings.TrimSuffix("/"+strings.Trim(path, "/"), "/")
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(name, p), Path: strings.TrimSuffix(path, "/v1") + "/v1"}
	return u.String()
}

// OpenRouter is openrouter.ai.
func OpenRouter(getenv func(name string) string) Provider {
	return Provider{
		Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", API: Chat,
		APIKey: getenv("OPENROUTER_API_KEY"), KeyEnv: "OPENROUTER_API_KEY",
		vendor: vendor{keyNeeded: true, priced: true, reasoning: true, nested: true},
	}
}

// Gemini is Google's service for Gemini, by its OpenAI-compatible door.
func Gemini(getenv func(name string) string) Provider {
	p := Provider{
		Name: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", API: Chat,
		APIKey: getenv("GEMINI_API_KEY"), KeyEnv: "GEMINI_API_KEY",
		vendor: vendor{keyNeeded: true, objectArgs: true, signed: geminiSigned, effort: geminiEffort},
	}
	if key := getenv("GOOGLE_API_KEY"); p.APIKey == "" && key != "" {
		p.APIKey, p.KeyEnv = key, "GOOGLE_API_KEY"
	}
	return p
}

// effort is what a model is told of thinking; "" is nothing.
func (m *Model) effort() string {
	t := m.opts.Thinking
	switch {
	case t == "":
		return ""
	case m.provider.API == Responses:
		return responsesEffort(m.name, t)
	case m.provider.vendor.effort != nil:
		return m.provider.vendor.effort(m.name, t)
	case t == "off":
		return "none"
	}
	return t
}

// geminiSigned: the models since version 3 do.
func geminiSigned(model string) bool {
	return !strings.Contains(model, "gemini-1") && !strings.Contains(model, "gemini-2")
}

// geminiEffort: only the small models of 2.5 can leave thinking off.
func geminiEffort(model, thinking string) string {
	switch {
	case thinking != "off":
		return thinking
	case strings.Contains(model, "2.5-flash"):
		return "none"
	}
	return "low"
}

// responsesEffort: what "off" comes to depends on the model's generation.
func responsesEffort(model, thinking string) string {
	name := model[strings.LastIndex(model, "/")+1:]
	switch {
	case !reasons(model):
		return ""
	case thinking != "off":
		return thinking
	case len(name) > 1 && name[0] == 'o' && name[1] <= '9', strings.HasPrefix(name, "gpt-oss"), strings.Contains(name, "codex"):
		return "low"
	case name == "gpt-5", strings.HasPrefix(name, "gpt-5-"):
		return "minimal"
	}
	return "none"
}

// reasons reports whether a model of the Responses API thinks. The older ones
// refuse requests that speak of reasoning at all.
func reasons(model string) bool {
	name := model[strings.LastIndex(model, "/")+1:]
	for _, old := range []string{"gpt-3", "gpt-4", "chatgpt-4", "gpt-5-chat"} {
		if strings.HasPrefix(name, old) {
			return false
		}
	}
	return true
}
