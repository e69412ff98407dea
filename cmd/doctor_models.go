package cmd

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

// modelChecks say which providers can be asked, and whether the configured
// models can be opened.
func (w *wiring) modelChecks(cfg *config.Config, known model.Options) []check {
	var checks []check
	ready := false
	for _, s := range model.Services(known) {
		checks = append(checks, serviceCheck(s)...)
		ready = ready || s.KeySet || s.Own && !s.KeyMissing
	}
	configured := configuredModels(cfg)
	if !ready && len(configured) == 0 {
		checks = append(checks, warned("keys", "set one, such as ANTHROPIC_API_KEY, or run: agent init", "no keys of model providers are set"))
	}
	if len(configured) == 0 {
		return append(checks, warned("model", "name one: agent init, AGENT_MODEL, or model in your configuration; agent models lists them", "no model is configured: runs need --model"))
	}
	for _, c := range configured {
		checks = append(checks, modelCheck(c, known))
	}
	return checks
}

// serviceCheck tells of a provider that can be asked, or that is meant to be.
// Built-in ones without a key are not worth a line.
func serviceCheck(s model.Service) []check {
	where := s.BaseURL
	if where == "" {
		where = "the provider's own address"
	}
	switch {
	case s.Own && s.BaseURL == "":
		return []check{failed(s.Name, fmt.Sprintf("set baseUrl in [providers.%s]", s.Name), "the provider has no address")}
	case s.KeySet:
		return []check{passed(s.Name, "%s is set; %s", s.KeyEnv, where)}
	case s.Own && s.KeyMissing:
		return []check{warned(s.Name, "set "+s.KeyEnv+" to its key", "%s is not set; %s", s.KeyEnv, where)}
	case s.Own:
		return []check{passed(s.Name, "no key needed; %s", where)}
	}
	return nil
}

// configuredModel is a model that some setting names.
type configuredModel struct{ ID, From string }

// configuredModels are the models runs would be given, each once.
func configuredModels(cfg *config.Config) []configuredModel {
	var list []configuredModel
	add := func(id, from string) {
		if id != "" && !slices.ContainsFunc(list, func(m configuredModel) bool { return m.ID == id }) {
			list = append(list, configuredModel{id, from})
		}
	}
	add(cfg.Model.Value, cfg.Model.Origin.String())
	for _, m := range cfg.Modes {
		add(m.Value.DefaultModelID, fmt.Sprintf("mode %s, %s", m.Value.ID, m.Origin))
	}
	return list
}

func modelCheck(c configuredModel, known model.Options) check {
	if _, err := model.Open(c.ID, known); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return failed("model", "agent models lists models; agent init finds what there is", "%s (%s)", first, c.From)
	}
	words := offer.Facts(model.Facts(c.ID, known))
	if words == "" && strings.Contains(c.ID, "/") {
		words = "context window and prices unknown"
	}
	return passed("model", "%s", strings.TrimSuffix(fmt.Sprintf("%s (%s): %s", c.ID, c.From, words), ": "))
}

// onlineChecks ask each configured model, or where there is none one for each
// key that is set, to call a tool once.
func (w *wiring) onlineChecks(ctx context.Context, cfg *config.Config, known model.Options) []check {
	list := configuredModels(cfg)
	if len(list) == 0 {
		for _, o := range w.findModels(ctx).Offers {
			list = append(list, configuredModel{ID: o.ID})
		}
	}
	var checks []check
	for _, c := range list {
		if ctx.Err() != nil {
			break
		}
		checks = append(checks, w.onlineCheck(ctx, c.ID, known))
	}
	if len(checks) == 0 {
		checks = append(checks, warned("models", "agent init finds what there is", "there is no model to ask"))
	}
	return checks
}

func (w *wiring) onlineCheck(ctx context.Context, id string, known model.Options) check {
	m, err := model.Open(id, known)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return failed(id, "", "%s", first)
	}
	if !strings.Contains(id, "/") || strings.HasPrefix(id, scriptPrefix) {
		return passed(id, "asks nobody")
	}
	began := w.io.Now()
	if err := offer.Try(ctx, m); err != nil {
		return failed(id, text.Line(exit.Hint(err)), "%s", text.Line(err.Error()))
	}
	return passed(id, "called a tool after %s", w.io.Now().Sub(began).Round(time.Millisecond))
}
