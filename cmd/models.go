package cmd

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
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

// listedModel is a model in the JSON of models.
type listedModel struct {
	ID            string        `json:"id"`
	Name          string        `json:"name"`
	Provider      string        `json:"provider"`
	ContextWindow *int64        `json:"contextWindow"`
	MaxOutput     *int64        `json:"maxOutput"`
	Prices        *listedPrices `json:"prices"`
	KeyEnv        string        `json:"keyEnv"`
	KeySet        bool          `json:"keySet"`
}

// listedPrices are US dollars per million tokens.
type listedPrices struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

func newListedModel(s model.Service, m model.Listed) listedModel {
	out := listedModel{ID: m.ID, Name: m.Title, Provider: s.Name, KeyEnv: s.KeyEnv, KeySet: s.KeySet}
	if m.ContextWindow > 0 {
		out.ContextWindow = &m.ContextWindow
	}
	if m.MaxOutput > 0 {
		out.MaxOutput = &m.MaxOutput
	}
	if p := m.Prices; p != nil {
		out.Prices = &listedPrices{p.Input, p.Output, p.CacheRead, p.CacheWrite}
	}
	return out
}

func modelsRun(ctx context.Context, w *wiring, opts *modelsOptions) error {
	known, err := w.modelsHere()
	if err != nil {
		return err
	}
	services := model.Services(known)
	if opts.Provider != "" {
		services = slices.DeleteFunc(services, func(s model.Service) bool { return s.Name != opts.Provider })
		if len(services) == 0 {
			return exit.Hintf(exit.Usagef("unknown provider %q", opts.Provider), "providers: %s", strings.Join(providerNames(known), ", "))
		}
	}
	list := []listedModel{}
	for _, s := range services {
		models, err := listOf(ctx, s, known, opts.Provider != "")
		if err != nil {
			return err
		}
		for _, m := range models {
			if m.Matches(opts.Text) {
				list = append(list, newListedModel(s, m))
			}
		}
	}
	return w.showModels(list)
}

// servedWait bounds how long a provider is waited for that is asked what it
// serves.
const servedWait = 3 * time.Second

// listOf lists the models of a service; ask says that one of which none is
// known may be asked.
func listOf(ctx context.Context, s model.Service, known model.Options, ask bool) ([]model.Listed, error) {
	list := model.List(s, known)
	if len(list) > 0 || !ask {
		return list, nil
	}
	ctx, cancel := context.WithTimeout(ctx, servedWait)
	defer cancel()
	list, err := model.Served(ctx, s, known)
	if err != nil && s.Name == "ollama" {
		return nil, exit.Hintf(err, "start it with: ollama serve, or set OLLAMA_HOST to where it is")
	}
	if err != nil {
		return nil, exit.Hintf(err, "name its models in your configuration: models = [\"…\"] in [providers.%s]", s.Name)
	}
	return list, nil
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

func providerNames(known model.Options) []string {
	var names []string
	for _, s := range model.Services(known) {
		names = append(names, s.Name)
	}
	return names
}

func (w *wiring) showModels(list []listedModel) error {
	if w.g.machine() {
		return printList(w, "models", list)
	}
	if len(list) == 0 {
		w.tell("no models match")
		return nil
	}
	t := screen.Table{Head: []string{"ID", "CONTEXT", "INPUT", "OUTPUT", "KEY"}, Widest: []int{70, 12, 12, 12, 60}}
	for _, m := range list {
		input, output := "unknown", "unknown"
		if m.Prices != nil {
			input, output = dollars(m.Prices.Input), dollars(m.Prices.Output)
		}
		t.Add(m.ID, windowWords(m.ContextWindow), input, output, m.keyWords())
	}
	if err := w.printTable(&t); err != nil {
		return err
	}
	if !w.g.Quiet {
		w.tell("prices are US dollars per million tokens")
	}
	return nil
}

func (m listedModel) keyWords() string {
	switch {
	case m.KeyEnv == "":
		return "none needed"
	case m.KeySet:
		return m.KeyEnv
	}
	return m.KeyEnv + " is not set"
}

// dollars is a price with as many digits as it needs, two at least.
func dollars(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	_, cents, _ := strings.Cut(s, ".")
	if len(cents) < 2 {
		s = strconv.FormatFloat(v, 'f', 2, 64)
	}
	return "$" + s
}

// windowWords is a number of tokens as people say it.
func windowWords(tokens *int64) string {
	switch {
	case tokens == nil:
		return "unknown"
	case *tokens >= 1e6:
		digits := strconv.FormatFloat(float64(*tokens)/1e6, 'f', 2, 64)
		return strings.TrimRight(strings.TrimRight(digits, "0"), ".") + "M"
	case *tokens >= 1e4:
		return fmt.Sprintf("%dk", *tokens/1000)
	}
	return strconv.FormatInt(*tokens, 10)
}

// factWords say on one line what a model holds and costs.
func factWords(f agent.ModelFacts) string {
	var words []string
	if f.ContextWindow > 0 {
		words = append(words, windowWords(&f.ContextWindow)+" tokens")
	}
	if f.Prices != nil {
		words = append(words, dollars(f.Prices.Input)+" in, "+dollars(f.Prices.Output)+" out")
	}
	return strings.Join(words, ", ")
}
