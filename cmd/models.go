package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/cmd/offer"
)

type modelsOptions struct {
	Provider string
	Text     string
}

const modelsLong = `List models: how many tokens they hold in mind, what they cost, and whether the key
of their provider is set. Keys themselves are never shown.

What is listed comes with this program and from your configuration; nothing is
asked. Only with --provider, a provider of which no model is known that way, such
as ollama, is asked what it serves. A price that is not known is "unknown".

The words after the flags choose models whose ID or name holds all of them.`

func newModelsCmd(w *wiring) *cobra.Command {
	opts := &modelsOptions{}
	c := &cobra.Command{
		Use: "models [TEXT…]", Short: "List models, with prices", Long: modelsLong,
		Example: "  agent models claude\n  agent models --provider openai\n  agent models --provider ollama\n  agent models haiku --output json",
		Args:    cobra.ArbitraryArgs, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Text = strings.Join(args, " ")
			return modelsRun(cmd.Context(), w, opts)
		},
	}
	c.Flags().StringVar(&opts.Provider, "provider", "", "only models of this provider")
	_ = c.RegisterFlagCompletionFunc("provider", w.completeProviders)
	return c
}

func modelsRun(ctx context.Context, w *wiring, opts *modelsOptions) error {
	known, err := w.modelsHere()
	if err != nil {
		return err
	}
	list, err := offer.List(ctx, known, opts.Provider, opts.Text)
	if err != nil {
		return err
	}
	return w.showModels(list)
}

func (w *wiring) showModels(list []offer.Model) error {
	if w.g.machine() {
		return printList(w, "models", list)
	}
	if len(list) == 0 {
		w.tell("no models match")
		return nil
	}
	if err := w.printTable(offer.Table(list)); err != nil {
		return err
	}
	if !w.g.Quiet {
		w.tell("prices are US dollars per million tokens")
	}
	return nil
}

// modelsHere is what model IDs mean in this workspace.
func (w *wiring) modelsHere() (model.Options, error) {
	workspace, err := w.workspace()
	if err != nil {
		return model.Options{}, err
	}
	cfg, err := w.configuration(workspace, false)
	if err != nil {
		return model.Options{}, err
	}
	return w.modelOptions(cfg), nil
}
