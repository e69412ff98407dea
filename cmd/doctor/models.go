package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/offer"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Models says which providers can be asked, and whether the configured models can
// be opened.
func Models(cfg *config.Config, known model.Options) []Check {
	var checks []Check
	ready, configured := false, configuredIn(cfg)
	for _, s := range model.Services(known) {
		checks = append(checks, serviceCheck(s)...)
		ready = ready || s.KeySet || s.Own && !s.KeyMissing
	}
	if !ready && len(configured) == 0 {
		checks = append(checks, Warned("keys", "set one, such as ANTHROPIC_API_KEY, or run: agent init", "no keys of model providers are set"))
	}
	if len(configured) == 0 {
		return append(checks, Warned("model", "name one: agent init, AGENT_MODEL, or model in your configuration; agent models lists them", "no model is configured: runs need --model"))
	}
	for _, c := range configured {
		checks = append(checks, modelCheck(c, known))
	}
	return checks
}

// serviceCheck tells of a provider that can be asked, or that is meant to be.
// Built-in ones without a key are not worth a line.
func serviceCheck(s model.Service) []Check {
	where := s.BaseURL
	if where == "" {
		where = "the provider's own address"
	}
	switch {
	case s.Own && s.BaseURL == "":
		return []Check{Failed(s.Name, fmt.Sprintf("set baseUrl in [providers.%s]", s.Name), "the provider has no address")}
	case s.KeySet:
		return []Check{Passed(s.Name, "%s is set; %s", s.KeyEnv, where)}
	case s.Own && s.KeyMissing:
		return []Check{Warned(s.Name, "set "+s.KeyEnv+" to its key", "%s is not set; %s", s.KeyEnv, where)}
	case s.Own:
		return []Check{Passed(s.Name, "no key needed; %s", where)}
	}
	return nil
}

// configured is a model that some setting names.
type configured struct{ ID, From string }

// configuredIn are the models runs would be given, each once.
func configuredIn(cfg *config.Config) []configured {
	var list []configured
	add := func(id, from string) {
		if id != "" && !slices.ContainsFunc(list, func(m configured) bool { return m.ID == id }) {
			list = append(list, configured{id, from})
		}
	}
	add(cfg.Model.Value, cfg.Model.Origin.String())
	for _, m := range cfg.Modes {
		add(m.Value.DefaultModelID, fmt.Sprintf("mode %s, %s", m.Value.ID, m.Origin))
	}
	return list
}

func modelCheck(c configured, known model.Options) Check {
	if _, err := model.Open(c.ID, known); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return Failed("model", "agent models lists models; agent init finds what there is", "%s (%s)", first, c.From)
	}
	words := offer.Facts(model.Facts(c.ID, known))
	if words == "" && strings.Contains(c.ID, "/") {
		words = "context window and prices unknown"
	}
	return Passed("model", "%s", strings.TrimSuffix(fmt.Sprintf("%s (%s): %s", c.ID, c.From, words), ": "))
}

// Configured are the IDs of the models runs would be given.
func Configured(cfg *config.Config) []string {
	var ids []string
	for _, c := range configuredIn(cfg) {
		ids = append(ids, c.ID)
	}
	return ids
}

// Online asks models, each by its ID, to call a tool once.
func Online(ctx context.Context, ids []string, known model.Options, now func() time.Time) []Check {
	var checks []Check
	for _, id := range ids {
		if ctx.Err() != nil {
			break
		}
		checks = append(checks, onlineCheck(ctx, id, known, now))
	}
	if len(checks) == 0 {
		checks = append(checks, Warned("models", "agent init finds what there is", "there is no model to ask"))
	}
	return checks
}

func onlineCheck(ctx context.Context, id string, known model.Options, now func() time.Time) Check {
	m, err := model.Open(id, known)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return Failed(id, "", "%s", first)
	}
	if !strings.Contains(id, "/") || strings.HasPrefix(id, "script:") {
		return Passed(id, "asks nobody")
	}
	began := now()
	if err := offer.Try(ctx, m); err != nil {
		return Failed(id, text.Line(exit.Hint(err)), "%s", text.Line(err.Error()))
	}
	return Passed(id, "called a tool after %s", now().Sub(began).Round(time.Millisecond))
}
