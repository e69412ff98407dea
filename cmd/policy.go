package cmd

import (
	"runtime"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/permission"
	"github.com/seed-3e5a1d81/agent/tools"
)

// permissionFlags say what calls may do, for one invocation.
type permissionFlags struct {
	Allow, Ask, Deny []string
	Yolo             bool
	Trust            bool

	set *pflag.FlagSet // nil: none can be given
}

func (p *permissionFlags) add(c *cobra.Command) {
	f := c.Flags()
	// Not a list with commas: rules hold them.
	f.StringArrayVar(&p.Allow, "allow", nil, `allow calls, such as "shell(go test *)"; repeat for more (see agent permissions --help)`)
	f.StringArrayVar(&p.Ask, "ask", nil, "ask about calls that would be allowed; repeat for more")
	f.StringArrayVar(&p.Deny, "deny", nil, "deny calls, whatever else allows them; repeat for more")
	f.BoolVar(&p.Yolo, "yolo", false, "allow every call that no rule denies, for this invocation")
	f.BoolVar(&p.Trust, "trust-workspace", false, "trust the project's .mastracode/config.toml as it is, for this invocation")
	for _, name := range []string{"allow", "ask", "deny"} {
		_ = c.RegisterFlagCompletionFunc(name, completeRules)
	}
	p.set = f
}

// completeRules offers what rules are about.
func completeRules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words := []string{"read(", "edit(", "execute"}
	for _, d := range definitions(tools.All(tools.Config{})) {
		switch {
		case d.Name == "shell":
			words = append(words, "shell(")
		case d.Asks == "":
			words = append(words, d.Name)
		}
	}
	return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// values are the flags as the configuration takes them.
func (p permissionFlags) values() map[string][]string {
	out := map[string][]string{}
	for name, rules := range map[string][]string{"allow": p.Allow, "ask": p.Ask, "deny": p.Deny} {
		if len(rules) > 0 {
			out[name] = rules
		}
	}
	if p.set != nil && p.set.Changed("yolo") { // also --yolo=false
		out["yolo"] = []string{strconv.FormatBool(p.Yolo)}
	}
	return out
}

// rules reads rules of permission.
func (w *wiring) rules() permission.Parser {
	return permission.Parser{Tools: definitions(tools.All(tools.Config{})), Home: w.io.Env("HOME")}
}

// checkRule says what is wrong with a rule.
func (w *wiring) checkRule(rule string) error {
	_, err := w.rules().Parse(agent.ActionAllow, rule, "")
	return err
}

// policy is what is configured about permissions, as the loop asks it.
func (w *wiring) policy(cfg *config.Config) (permission.Policy, error) {
	c := cfg.Permissions
	p := permission.Policy{
		Yolo: cfg.Yolo.Value, Read: c.Read.Value, Edit: c.Edit.Value, Execute: c.Execute.Value,
		Foreign: runtime.GOOS == "windows",
	}
	parser := w.rules()
	for _, list := range []struct {
		action agent.Action
		rules  []config.Value[string]
	}{{agent.ActionDeny, c.Deny}, {agent.ActionAsk, c.Ask}, {agent.ActionAllow, c.Allow}} {
		for _, v := range list.rules {
			r, err := parser.Parse(list.action, v.Value, v.Origin.String())
			if err != nil {
				return p, exit.Configf("%s: the rule %q: %v", v.Origin, v.Value, err)
			}
			p.Rules = append(p.Rules, r)
		}
	}
	return p, nil
}

// closedBy are the paths that rules deny to everything that reads, which tools
// keep closed as they do secrets.
func (w *wiring) closedBy(cfg *config.Config) []string {
	p, err := w.policy(cfg)
	if err != nil {
		return nil // whoever drives a run is told
	}
	return p.Closed()
}
