package cmd

import (
	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
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

// shownPermissions is the JSON of permissions list.
type shownPermissions struct {
	Rules      []shownRule     `json:"rules"`
	Categories []shownCategory `json:"categories"`
	Yolo       shownYolo       `json:"yolo"`
	Ignored    []shownIgnored  `json:"ignored"`
	Warnings   []string        `json:"warnings"`
}

// shownRule is a rule in JSON.
type shownRule struct {
	Action agent.Action `json:"action"`
	Rule   string       `json:"rule"`
	Origin string       `json:"origin"`
}

// shownCategory is what becomes of a category where no rule decides.
type shownCategory struct {
	Category agent.Category `json:"category"`
	Action   agent.Action   `json:"action"`
	Origin   string         `json:"origin"`
}

// shownYolo says whether everything is allowed that no rule denies.
type shownYolo struct {
	Value  bool   `json:"value"`
	Origin string `json:"origin"`
}

func permissionsListRun(w *wiring, given permissionFlags) error {
	cfg, policy, err := w.permissionsHere(given)
	if err != nil {
		return err
	}
	shown := newShownPermissions(cfg, policy)
	switch w.g.Output {
	case outputJSON:
		return printJSON(w.io.Out, shown)
	case outputJSONL:
		return printList(w, "rules", shown.Rules)
	}
	t := screen.Table{Head: []string{"ACTION", "RULE", "FROM"}, Widest: []int{7, 80, 200}}
	for _, r := range shown.Rules {
		t.Add(string(r.Action), r.Rule, r.Origin)
	}
	if shown.Yolo.Value {
		t.Add(string(agent.ActionAllow), "whatever no rule denies (yolo)", shown.Yolo.Origin)
	}
	for _, c := range shown.Categories {
		t.Add(string(c.Action), string(c.Category)+", where no rule decides", c.Origin)
	}
	if err := w.printTable(&t); err != nil {
		return err
	}
	if err := w.printIgnored(permissionsOnly(cfg.Ignored)); err != nil {
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

func newShownPermissions(cfg *config.Config, policy permission.Policy) shownPermissions {
	p := cfg.Permissions
	s := shownPermissions{
		Rules: []shownRule{}, Yolo: shownYolo{cfg.Yolo.Value, cfg.Yolo.Origin.String()},
		Ignored: []shownIgnored{}, Warnings: []string{},
		Categories: []shownCategory{
			{agent.CategoryRead, policy.Default(agent.CategoryRead), p.Read.Origin.String()},
			{agent.CategoryEdit, policy.Default(agent.CategoryEdit), p.Edit.Origin.String()},
			{agent.CategoryExecute, policy.Default(agent.CategoryExecute), p.Execute.Origin.String()},
		},
	}
	for _, r := range policy.Rules {
		s.Rules = append(s.Rules, *shownRuleOf(r))
	}
	for _, i := range permissionsOnly(cfg.Ignored) {
		s.Ignored = append(s.Ignored, shownIgnored(i))
	}
	for _, p := range cfg.Warnings {
		s.Warnings = append(s.Warnings, p.Error())
	}
	return s
}

// shownRuleOf is a rule as it is shown; nil for none.
func shownRuleOf(r *permission.Rule) *shownRule {
	if r == nil {
		return nil
	}
	return &shownRule{r.Action, r.Text, r.Origin}
}

// permissionsOnly are the ignored settings that are about permissions.
func permissionsOnly(all []config.Ignored) []config.Ignored {
	var out []config.Ignored
	for _, i := range all {
		if config.Permits(i.Key) {
			out = append(out, i)
		}
	}
	return out
}
