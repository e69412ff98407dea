package cmd

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/cmd/offer"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// completeModels offers providers, and behind one its models with what they
// hold and cost. A server of the user's own machine is asked what it serves, if
// it answers before the person notices.
func (w *wiring) completeModels(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	known, err := w.modelsHere()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	provider, _, chosen := strings.Cut(typed, "/")
	if !chosen {
		return modelStarts(known, typed)
	}
	var list []cobra.Completion
	for _, s := range model.Services(known) {
		if s.Name != provider {
			continue
		}
		for _, m := range offer.Served(cmd.Context(), s, known, completionWait) {
			list = append(list, cobra.CompletionWithDesc(text.Field(m.ID, 200), offer.Facts(m.ModelFacts)))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// modelStarts are the beginnings of all IDs. Only one of them is whole.
func modelStarts(known model.Options, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const whole = "demo"
	list := []cobra.Completion{
		cobra.CompletionWithDesc(whole, "scripted, without a network"),
		cobra.CompletionWithDesc("script:", "plays the turns of a file"),
	}
	if typed != "" && strings.HasPrefix(whole, typed) {
		return list[:1], cobra.ShellCompDirectiveNoFileComp
	}
	for _, s := range model.Services(known) {
		note := "ready"
		if s.KeyMissing {
			note = s.KeyEnv + " is not set"
		}
		list = append(list, cobra.CompletionWithDesc(s.Name+"/", note))
	}
	return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// completionWait is how long a server may keep a person from typing on.
const completionWait = 300 * time.Millisecond

// completeProviders offers the names of providers.
func (w *wiring) completeProviders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	known, err := w.modelsHere()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer.Providers(known), cobra.ShellCompDirectiveNoFileComp
}
