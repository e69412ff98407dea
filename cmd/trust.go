package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/config/repofile"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

type trustOptions struct {
	List   bool
	Revoke bool
}

const trustLong = `Trust the file .mastracode/config.toml of this project as it is now, and show what
it then does; on a terminal you are asked first. Without trust it can only make things stricter.

Trust is recorded in your data directory, by the path of the project and the
digest of the file: an edit of the file, also by a git pull, takes it back.
Trusted or not, a project never names your database or your providers, never
redefines a built-in mode and never allows everything.`

func newTrustCmd(w *wiring) *cobra.Command {
	opts := &trustOptions{}
	c := &cobra.Command{
		Use: "trust", Short: "Trust the project's configuration file", Long: trustLong,
		Example: "  agent config               # what the file says, and what is ignored\n  agent trust\n  agent trust --list\n  agent trust --revoke",
		Args:    argsOf(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return trustRun(cmd.Context(), w, opts) },
	}
	c.Flags().BoolVar(&opts.List, "list", false, "list the trusted projects")
	c.Flags().BoolVar(&opts.Revoke, "revoke", false, "take the trust in this project back")
	return c
}

func trustRun(ctx context.Context, w *wiring, opts *trustOptions) error {
	if opts.List && opts.Revoke {
		return exit.Usagef("--list and --revoke contradict each other: use one of them")
	}
	list, err := w.trustList()
	if err != nil {
		return err
	}
	if opts.List {
		return w.listTrusted(list)
	}
	if err := refuseInside(w.io, "changing what is trusted"); err != nil {
		return err
	}
	workspace, err := w.workspace()
	if err != nil {
		return err
	}
	if opts.Revoke {
		return w.revoke(list, workspace)
	}
	return w.trust(ctx, list, workspace)
}

// shownTrust is an entry in the JSON of trust --list.
type shownTrust struct {
	config.Entry
	State string `json:"state"`
}

// States of trusted files: as they were trusted, edited since, not to be read.
const (
	trustValid   = "valid"
	trustChanged = "changed"
	trustGone    = "gone"
)

func shownTrustOf(entries []config.Entry) []shownTrust {
	out := []shownTrust{}
	for _, e := range entries {
		state := trustValid
		switch digest, err := config.ProjectDigest(e.Path); {
		case err != nil:
			state = trustGone
		case digest != e.Digest:
			state = trustChanged
		}
		out = append(out, shownTrust{e, state})
	}
	return out
}

// listTrusted prints the list.
func (w *wiring) listTrusted(list config.Trust) error {
	entries, err := list.List()
	if err != nil {
		return exit.Configf("%v", err)
	}
	if w.g.machine() {
		return printList(w, "trusted", shownTrustOf(entries))
	}
	if len(entries) == 0 {
		w.tell("no project is trusted")
		return nil
	}
	t := screen.Table{Head: []string{"SINCE", "DIGEST", "STATE", "PROJECT"}, Widest: []int{16, 19, 13, 300}}
	for _, e := range shownTrustOf(entries) {
		state := e.State
		if state == trustChanged {
			state = "changed since"
		}
		t.Add(e.At.Local().Format("2006-01-02 15:04"), text.Truncate(e.Digest, 19), state, e.Path)
	}
	return w.printTable(&t)
}

// revokedTrust is the JSON of trust --revoke.
type revokedTrust struct {
	Path    string `json:"path"`
	Revoked bool   `json:"revoked"` // false: it was not trusted
}

// revoke needs no readable file: trust in what is broken or gone is taken back
// as well.
func (w *wiring) revoke(list config.Trust, workspace string) error {
	root := repofile.Root(workspace)
	revoked, err := list.Revoke(root)
	if err != nil {
		return exit.Configf("%v", err)
	}
	if w.g.machine() {
		return printJSON(w.io.Out, revokedTrust{Path: root, Revoked: revoked})
	}
	line := "no longer trusted: " + text.Line(root)
	if !revoked {
		line = "was not trusted: " + text.Line(root)
	}
	return w.say(line)
}

// trustedProject is the JSON of trust: the entry, and what the file then does.
type trustedProject struct {
	config.Entry
	Settings []config.Setting `json:"settings"`
	Ignored  []config.Ignored `json:"ignored"`
}

// trust shows what the project's file does once it is trusted, and records
// exactly the bytes that were shown.
func (w *wiring) trust(ctx context.Context, list config.Trust, workspace string) error {
	cfg, err := w.configuration(workspace, true)
	if err != nil {
		return err
	}
	p := cfg.Project
	if p.Digest == "" {
		return exit.Hintf(exit.Configf("there is no %s in %s", config.ProjectPath, p.Root), "agent init --project writes one")
	}
	settings := fromProject(cfg)
	agreed, err := w.agreed(ctx, cfg, settings)
	if err != nil {
		return err
	}
	if !agreed {
		w.tell("not trusted: nothing was changed")
		return exit.With(exit.Suspended)
	}
	if err := list.Trust(p.Root, p.Digest); err != nil {
		return exit.Configf("%v", err)
	}
	if w.g.machine() {
		entry := config.Entry{Path: p.Root, Digest: p.Digest, At: w.io.Now().UTC().Truncate(time.Second)}
		return printJSON(w.io.Out, trustedProject{Entry: entry, Settings: settings, Ignored: append([]config.Ignored{}, cfg.Ignored...)})
	}
	return w.say(fmt.Sprintf("trusted: %s with %s\nAn edit of the file takes it back; so does: agent trust --revoke", text.Line(p.Root), p.Digest))
}

// agreed shows what the project's file does and asks the person at a terminal,
// who may not like it. A script has said what it wants by the command itself.
func (w *wiring) agreed(ctx context.Context, cfg *config.Config, settings []config.Setting) (bool, error) {
	if w.g.machine() {
		return true, nil
	}
	if w.io.Console == nil {
		return true, w.showProject(cfg, settings)
	}
	ctx, stop := stoppable(ctx, w)
	defer stop()
	p := w.seated()
	p.Present(func(on *screen.Screen) { tellProject(on, cfg, settings) })
	at, err := p.Pick(ctx, "Trust this file?", []terminal.Choice{
		{Label: "Not now"},
		{Label: "Trust it", About: "as it is now, until it is edited"},
	})
	return err == nil && at == 1, nil
}

// fromProject are the settings that come from the project's file. A mode is
// told by what it may do, not by how it describes itself.
func fromProject(cfg *config.Config) []config.Setting {
	powers := map[string]string{}
	for _, m := range cfg.Modes {
		powers["modes."+m.Value.ID] = powersOf(m.Value)
	}
	out := []config.Setting{}
	for _, s := range cfg.Settings() {
		if s.Origin.Source != config.SourceProject {
			continue
		}
		if p, ok := powers[s.Key]; ok {
			s.Value = p
		}
		out = append(out, s)
	}
	return out
}

// powersOf says what a mode lets a model do.
func powersOf(m agent.Mode) string {
	words := []string{"writes " + cmp.Or(string(m.Writes), string(agent.WritesWorkspace))}
	for _, f := range []struct {
		name  string
		tools []string
	}{{"tools", m.Tools}, {"additional tools", m.AdditionalTools}, {"of them only", m.AvailableTools}} {
		if f.tools != nil {
			words = append(words, f.name+" "+cmp.Or(strings.Join(f.tools, " "), "none"))
		}
	}
	if m.DefaultModelID != "" {
		words = append(words, "model "+m.DefaultModelID)
	}
	if m.TransitionsTo != "" {
		words = append(words, "leads to "+m.TransitionsTo)
	}
	if m.Default {
		words = append(words, "the default")
	}
	return strings.Join(words, "; ")
}
