package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
)

// answerFlags hold one answer, and which suspension it is for.
type answerFlags struct {
	Answer   []string
	Other    string
	Skip     bool
	Approve  bool
	Reject   bool
	Feedback string
	Fresh    bool
	Scope    string
	Digest   string
	Data     string
	ToolCall string

	given map[string]bool // flags on the command line
}

const fromStdin = "-"

func (a *answerFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&a.Answer, "answer", nil, "answer a question: a label or words; repeat for a multi select; - reads stdin")
	f.StringVar(&a.Other, "other", "", "answer a choice in your own words; - reads stdin")
	f.BoolVar(&a.Skip, "skip", false, "skip a question")
	f.BoolVar(&a.Approve, "approve", false, "approve a plan or a call")
	f.BoolVar(&a.Reject, "reject", false, "reject a plan or a call")
	f.StringVar(&a.Feedback, "feedback", "", "with --approve or --reject: words for the agent; - reads stdin")
	f.BoolVar(&a.Fresh, "fresh-context", false, "with --approve: the model goes on with the task, your answers and the plan alone")
	f.StringVar(&a.Scope, "scope", "", "with --approve of a call: once (default), or run: such calls for the rest of the run")
	f.StringVar(&a.Digest, "digest", "", "decide only if this is still what is open")
	f.StringVar(&a.Data, "data", "", "the answer as JSON; - reads stdin")
	f.StringVar(&a.ToolCall, "tool-call", "", "which open item, as ID or ID#n")
	_ = c.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{agent.ScopeOnce, agent.ScopeRun}, cobra.ShellCompDirectiveNoFileComp))
}

func (a *answerFlags) seen(c *cobra.Command) {
	a.given = map[string]bool{}
	for _, name := range []string{"answer", "other", "skip", "approve", "reject", "feedback", "scope", "digest", "data", "tool-call", "message", "mode", "detach"} {
		a.given[name] = c.Flags().Changed(name)
	}
	a.given["skip"], a.given["approve"], a.given["reject"] = a.Skip, a.Approve, a.Reject
}

// ways are the flags that are an answer, each of another kind.
func (a *answerFlags) ways() []string {
	var ways []string
	for _, name := range []string{"answer", "other", "skip", "approve", "reject", "data"} {
		if a.given[name] {
			ways = append(ways, "--"+name)
		}
	}
	return ways
}

func (a *answerFlags) answers() bool { return len(a.ways()) > 0 }

// checkStdin refuses to read two things from stdin, before either is.
func (o *resumeOptions) checkStdin() error {
	var readers []string
	for _, f := range []struct {
		name   string
		values []string
	}{
		{"--answer", o.Answer}, {"--other", []string{o.Other}}, {"--feedback", []string{o.Feedback}}, {"--data", []string{o.Data}},
		{"--message", []string{o.Message}}, {"--answers", []string{o.Answers}},
	} {
		if slices.Contains(f.values, fromStdin) {
			readers = append(readers, f.name+" -")
		}
	}
	if len(readers) > 1 {
		return exit.Usagef("%s both read stdin: use one of them", strings.Join(readers[:2], " and "))
	}
	return nil
}

// said is the value of a flag, or stdin where it is -. One newline at the end is
// that of the program that wrote it.
func said(ctx context.Context, io *iostreams.Streams, flag, value string) (string, error) {
	if value != fromStdin {
		return value, nil
	}
	text, err := io.ReadNeeded(ctx, flag+" -")
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), err
}

// contradiction refuses flags that cannot be meant together.
func (o *resumeOptions) contradiction() error {
	ways := o.ways()
	if o.given["message"] {
		ways = append(ways, "--message")
	}
	switch {
	case len(ways) > 1:
		return exit.Usagef("%s contradict each other: use one of them", strings.Join(ways, " and "))
	case o.given["message"] && checkMessage(o.Message) != nil:
		return checkMessage(o.Message)
	case o.given["feedback"] && !o.Approve && !o.Reject:
		return exit.Usagef("--feedback needs a decision: add --approve or --reject")
	case o.Fresh && !o.Approve:
		return exit.Usagef("--fresh-context goes with the approval of a plan: add --approve")
	case o.given["scope"] && !o.Approve:
		return exit.Usagef("--scope says how far an approval goes: add --approve")
	case o.given["scope"] && o.Scope != agent.ScopeOnce && o.Scope != agent.ScopeRun:
		return exit.Usagef("--scope %q: use once or run", o.Scope)
	case o.given["mode"] && !o.given["message"]:
		return exit.Usagef("--mode needs --message: an approved plan changes the mode by itself")
	case o.given["detach"] && o.Detach && !o.answers():
		return exit.Usagef("--detach records an answer and none is given: add --answer, --approve or another one")
	case o.Record != "" && o.Detach:
		return exit.Usagef("--record records what the model says, and with --detach it says nothing: leave one of them out")
	case o.Answers != "" && o.Detach:
		return exit.Usagef("--answers goes on with the run and contradicts --detach: use one of them")
	case (o.given["tool-call"] || o.given["digest"]) && !o.answers():
		return exit.Usagef("--tool-call and --digest say what is answered, but no answer is given: add --answer, --approve or another one")
	}
	return nil
}

func checkMessage(words string) error {
	if strings.TrimSpace(words) == "" {
		return exit.Usagef("--message is empty: say what to do next")
	}
	return nil
}

// parseRef reads "ID" or "ID#n".
func parseRef(ref string) (id string, n int, err error) {
	at := strings.LastIndexByte(ref, '#')
	if at < 0 {
		return ref, 0, nil
	}
	n, err = strconv.Atoi(ref[at+1:])
	if err != nil || n < 1 || at == 0 {
		return "", 0, exit.Usagef("--tool-call %q: use ID or ID#n, with n from 1", ref)
	}
	return ref[:at], n, nil
}

// targetOf finds what an answer is for: the suspension named, else the only
// open one, else the undecided plan of a finished run. A zero Suspension means
// that nothing is; the library then says why nothing takes an answer.
func targetOf(st *agent.State, r agent.Resume) (agent.Suspension, error) {
	if r.ToolCallID != "" {
		s, ok := st.Suspension(r.ToolCallID, r.N)
		if !ok && st.Run.Status != agent.StatusRunning {
			ref := agent.Suspension{ToolCallID: r.ToolCallID, N: r.N}.Ref()
			return s, fmt.Errorf("%w: nothing of run %s is called %s", agent.ErrUnknownToolCall, r.RunID, ref)
		}
		return s, nil
	}
	open := st.Open()
	if len(open) > 1 {
		return agent.Suspension{}, &agent.AmbiguousError{RunID: r.RunID, Open: open}
	}
	if len(open) == 1 {
		return open[0], nil
	}
	s, _ := st.Undecided()
	return s, nil
}

// answer turns the flags into an answer to s, or says which flags it takes.
func (a *answerFlags) answer(ctx context.Context, io *iostreams.Streams, s agent.Suspension) (any, error) {
	if a.given["data"] {
		text, err := said(ctx, io, "--data", a.Data)
		if err != nil {
			return nil, err
		}
		var data json.RawMessage
		if err := json.Unmarshal([]byte(text), &data); err != nil {
			return nil, fmt.Errorf("%w: --data is not JSON: %w", agent.ErrInvalidAnswer, err)
		}
		return data, nil
	}
	switch {
	case a.Approve || a.Reject:
		return a.decision(ctx, io, s)
	case s.Kind != "" && s.Kind != agent.KindQuestion && s.Kind != agent.KindCustom:
		return nil, wrongFlag(s)
	case a.given["other"]:
		words, err := said(ctx, io, "--other", a.Other)
		if err != nil {
			return nil, err
		}
		return rawAnswer(map[string]any{"custom": words})
	case a.Skip:
		return rawAnswer(map[string]any{"skipped": true})
	}
	return a.words(ctx, io, s)
}

func rawAnswer(v any) (any, error) {
	raw, err := json.Marshal(v)
	return json.RawMessage(raw), err
}

// decision is --approve or --reject for what s asks.
func (a *answerFlags) decision(ctx context.Context, io *iostreams.Streams, s agent.Suspension) (any, error) {
	action := agent.Approved
	if a.Reject {
		action = agent.Rejected
	}
	plan := s.Kind == agent.KindPlan || s.Kind == ""
	switch {
	case plan && a.Scope != "":
		return nil, exit.Usagef("--scope is for calls that need an approval: %s is a plan", cmp.Or(s.Ref(), "what is open"))
	case !plan && s.Kind != agent.KindApproval:
		return nil, wrongFlag(s)
	}
	feedback, err := said(ctx, io, "--feedback", a.Feedback)
	switch {
	case err != nil:
		return nil, err
	case plan:
		return agent.PlanDecision{Action: action, Feedback: feedback}, nil
	}
	return agent.ApprovalDecision{Action: action, Feedback: feedback, Scope: a.Scope}, nil
}

// wrongFlag says which flags a suspension takes.
func wrongFlag(s agent.Suspension) error {
	takes := "--data JSON"
	switch s.Kind {
	case agent.KindQuestion:
		takes = "--answer, --other or --skip"
	case agent.KindPlan, agent.KindApproval:
		takes = "--approve or --reject, with --feedback for words"
	case agent.KindInDoubt:
		takes = `--data '{"action":"happened"}', "again" or "stop"`
	}
	return exit.Usagef("%s is a %s and takes %s", s.Ref(), kindName(s.Kind), takes)
}

func kindName(k agent.Kind) string {
	switch k {
	case agent.KindApproval:
		return "request for approval"
	case agent.KindInDoubt:
		return "call in doubt"
	case agent.KindCustom:
		return "request of a tool"
	}
	return string(k)
}

// words are the --answer flags: a list for a multi select, else one text.
func (a *answerFlags) words(ctx context.Context, io *iostreams.Streams, s agent.Suspension) (any, error) {
	answers := append([]string{}, a.Answer...)
	if len(answers) > 1 && slices.Contains(answers, fromStdin) {
		return nil, exit.Usagef("--answer - reads the whole answer from stdin: give it alone, or name every label")
	}
	var err error
	if answers[0], err = said(ctx, io, "--answer", answers[0]); err != nil {
		return nil, err
	}
	if tell.QuestionOf(s).SelectionMode == tell.Several {
		return answers, nil
	}
	if len(answers) > 1 {
		return nil, exit.Usagef("%s takes one answer, %d were given", cmp.Or(s.Ref(), "the run"), len(answers))
	}
	return answers[0], nil
}
