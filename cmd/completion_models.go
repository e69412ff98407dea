package cmd

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent/model"
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
		for _, m := range completedModels(cmd.Context(), s, known) {
			list = append(list, cobra.CompletionWithDesc(text.Field(m.ID, 200), factWords(m.ModelFacts)))
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

const completionWait = 300 * time.Millisecond

func completedModels(ctx context.Context, s model.Service, known model.Options) []model.Listed {
	list := model.List(s, known)
	if len(list) > 0 || s.KeyEnv != "" {
		return list
	}
	ctx, cancel := context.WithTimeout(ctx, completionWait)
	defer cancel()
	list, err := model.Served(ctx, s, known)
	if err != nil {
		return nil // nothing to offer
	}
	return list
}

// completeProviders offers the names of providers.
func (w *wiring) completeProviders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	known, err := w.modelsHere()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return providerNames(known), cobra.ShellCompDirectiveNoFileComp
}
