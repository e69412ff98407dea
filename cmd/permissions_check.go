package cmd

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/rules"
	"github.com/seed-3e5a1d81/agent/internal/permission"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/tools"
)

const permissionsCheckLong = `Say what would become of a call, which rule decides, and where it stands.

CALL is TOOL(WHAT): a command for shell, a path for tools that read or edit, the
arguments as JSON for others. Anything else is a command for shell, or with --tool
what that tool is to be called with. Nothing is run.

Exit 0 if the call is allowed, 3 if a person would be asked, 6 if it is denied.`

const permissionsCheckExample = `  agent permissions check 'shell(git push)'
  agent permissions check 'go test ./... | head'
  agent permissions check -- git -C lib push
  agent permissions check --tool edit_file docs/cli.md
  agent permissions check 'read(.env)' --deny 'read(.env)'
  agent permissions check --run latest 'shell(make)'   # with what was granted`

// checkOptions are what a call is checked against.
type checkOptions struct {
	permissionFlags
	Tool  string
	Mode  string
	Run   string
	Words []string
}

func newPermissionsCheckCmd(w *wiring) *cobra.Command {
	opts := &checkOptions{}
	c := &cobra.Command{
		Use: "check CALL…", Short: "Say what would become of a call, and why",
		Long: permissionsCheckLong, Example: permissionsCheckExample,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Words = args
			return permissionsCheckRun(cmd.Context(), w, opts)
		},
	}
	f := c.Flags()
	f.StringVar(&opts.Tool, "tool", "", "the tool that is called (default shell)")
	f.StringVar(&opts.Mode, "mode", "", "the mode the call is made in (default: one that may write the workspace)")
	f.StringVar(&opts.Run, "run", "", "check as for this run: its workspace, its mode, what was granted")
	opts.add(c)
	_ = c.RegisterFlagCompletionFunc("tool", completeTools)
	_ = c.RegisterFlagCompletionFunc("mode", w.completeModes)
	_ = c.RegisterFlagCompletionFunc("run", w.completeRuns)
	return c
}

func completeTools(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, d := range definitions(tools.All(tools.Config{})) {
		names = append(names, d.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func permissionsCheckRun(ctx context.Context, w *wiring, opts *checkOptions) error {
	if err := refuseInside(w.io, "looking for what is permitted"); err != nil {
		return err
	}
	req, err := rules.Call(opts.Words, opts.Tool, definitions(tools.All(tools.Config{})))
	if err != nil {
		return err
	}
	if err := w.surroundings(ctx, opts, &req); err != nil {
		return err
	}
	_, policy, err := w.permissionsIn(req.Workspace, opts.permissionFlags)
	if err != nil {
		return err
	}
	d, err := w.decide(policy, req, opts.Mode)
	if err != nil {
		return err
	}
	code := map[agent.Action]int{agent.ActionAllow: exit.OK, agent.ActionAsk: exit.Suspended, agent.ActionDeny: exit.Denied}[d.Action]
	shown := rules.Of(req, d)
	if w.g.machine() {
		err = printJSON(w.io.Out, shown)
	} else {
		err = w.printCheck(shown)
	}
	if err != nil {
		return err
	}
	return exit.With(code)
}

// decide is what the loop would do about a call. A mode that is not named may
// do anything.
func (w *wiring) decide(policy permission.Policy, req agent.PermissionRequest, mode string) (permission.Decision, error) {
	ask := req.Tool.Asks
	if ask == agent.KindQuestion || ask == agent.KindPlan {
		return permission.Decision{Verdict: agent.Verdict{Action: agent.ActionAllow, Reason: "what asks a person is never gated"}}, nil
	}
	if mode == "" {
		return policy.Explain(req), nil
	}
	_, controller, err := w.modesHere()
	if err != nil {
		return permission.Decision{}, err
	}
	m, ok := controller.Mode(mode)
	if !ok {
		return permission.Decision{}, exit.Hintf(exit.Refusef("mode_missing", "unknown mode %q", mode), "modes: %s", strings.Join(modeIDs(controller), ", "))
	}
	if !slices.Contains(controller.Tools(mode), req.Tool.Name) {
		return permission.Decision{Verdict: agent.Verdict{
			Action: agent.ActionDeny, Reason: "mode " + mode + " does not offer " + req.Tool.Name,
		}}, nil
	}
	req.Mode = m
	return policy.Explain(req), nil
}

// surroundings are where the call is made: here, or in a run.
func (w *wiring) surroundings(ctx context.Context, opts *checkOptions, req *agent.PermissionRequest) (err error) {
	if opts.Run == "" {
		req.Workspace, err = w.workspace()
		return err
	}
	f, err := w.find(ctx, opts.Run)
	if err != nil {
		return err
	}
	defer f.store.Close() //nolint:errcheck // only read
	req.Workspace, req.Grants = f.state.Run.Workspace, f.state.Grants()
	opts.Mode = cmp.Or(opts.Mode, f.state.Run.Mode)
	return nil
}

func (w *wiring) printCheck(c rules.Check) error {
	line := string(c.Action)
	if c.Reason != "" {
		line += ": " + text.Line(c.Reason)
	}
	if err := w.say(line); err != nil {
		return err
	}
	if t := c.Table(); t.Len() > 1 {
		if err := w.printTable(t); err != nil {
			return err
		}
	}
	if c.Offer != "" && c.Action == agent.ActionAsk {
		w.tell("allowing it for a run would grant: " + text.Line(c.Offer))
	}
	return nil
}
