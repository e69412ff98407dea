package cmd

import (
	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/rules"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/permission"
)

const permissionsLong = `Show which calls of tools run unasked, and try rules out.

A rule is TOOL, TOOL(PATTERN), CATEGORY or CATEGORY(PATTERN); categories are read,
edit and execute. It stands in permissions.allow, ask or deny of your configuration
file, in that of a project you trust (any project's may ask and deny), or after
--allow, --ask and --deny of run and resume. Among the rules that are about a call
deny wins over ask, ask over allow; where none is, the category decides: reading and
editing are allowed, commands are asked about.

  shell(go test *)   the command go test, with any words after it
  shell(git push)    these words alone; to ask and deny, with others after them too
  edit(docs/**)      write_file and edit_file below docs
  read(.env)         the tools that read

Of a command line every command has to be allowed, in pipes, lists, substitutions
and scripts; what is only known when it runs is asked about. docs/permissions.md
has all of it.`

func newPermissionsCmd(w *wiring) *cobra.Command {
	c := w.groupCmd("permissions", "Show what runs unasked, and try rules out", newPermissionsListCmd(w), newPermissionsCheckCmd(w))
	c.Long = permissionsLong
	c.Example = "  agent permissions list\n  agent permissions check 'shell(git push)'"
	return c
}

const permissionsListLong = `List the rules in force in this workspace, in the order in which they win, with
what becomes of the calls that no rule is about, and what of the project's file
is ignored.`

func newPermissionsListCmd(w *wiring) *cobra.Command {
	given := &permissionFlags{}
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the rules in force", Long: permissionsListLong,
		Example: "  agent permissions list\n  agent permissions list --trust-workspace --output json",
		Args:    argsOf(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return permissionsListRun(w, *given) },
	}
	given.add(c)
	return c
}

func permissionsListRun(w *wiring, given permissionFlags) error {
	cfg, policy, err := w.permissionsHere(given)
	if err != nil {
		return err
	}
	shown := rules.In(cfg, policy)
	switch w.g.Output {
	case outputJSON:
		return printJSON(w.io.Out, shown)
	case outputJSONL:
		return printList(w, "rules", shown.Rules)
	}
	if err := w.printTable(shown.Table()); err != nil {
		return err
	}
	if err := w.printIgnored(shown.Ignored); err != nil {
		return err
	}
	for _, line := range shown.Warnings {
		w.tell("warning: " + line)
	}
	return nil
}

// permissionsHere is the policy of this workspace. What permits is not for the
// commands of an agent to explore.
func (w *wiring) permissionsHere(given permissionFlags) (*config.Config, permission.Policy, error) {
	if err := refuseInside(w.io, "looking for what is permitted"); err != nil {
		return nil, permission.Policy{}, err
	}
	workspace, err := w.workspace()
	if err != nil {
		return nil, permission.Policy{}, err
	}
	return w.permissionsIn(workspace, given)
}

func (w *wiring) permissionsIn(workspace string, given permissionFlags) (*config.Config, permission.Policy, error) {
	cfg, err := w.configured(workspace, given)
	if err != nil {
		return nil, permission.Policy{}, err
	}
	policy, err := w.policy(cfg)
	return cfg, policy, err
}
