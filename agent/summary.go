package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// foldSummary puts a short text in the place of the conversation but for its
// end. What the person said stays, and what they decided is told in full.
func (st *State) foldSummary(e Event, p SummaryPayload) error {
	if p.Keep < 0 || p.Keep > len(st.messages) {
		return fmt.Errorf("fold run %s: record %d keeps %d messages of %d", e.RunID, e.Seq, p.Keep, len(st.messages))
	}
	at := len(st.messages) - p.Keep
	tail := slices.Clone(st.messages[at:])
	short := slices.DeleteFunc(slices.Clone(st.messages[:at]), func(m Message) bool { return m.Role != RoleUser || m.note })
	short = append(short, Message{Role: RoleUser, note: true, Text: joinParagraphs(
		"What came before this message was taken out of the conversation to make room.", p.Text, st.decisions(tail),
	)})
	st.messages = append(short, tail...)
	if p.Model != "" {
		st.turns[p.Model]++
		st.faults = 0
		st.spend(st.Run.Mode, p.Usage)
	}
	return nil
}

// decisions tells what the person decided, calls that are still in the
// conversation left out.
func (st *State) decisions(tail []Message) string {
	told := map[string]bool{}
	for _, m := range tail {
		for _, o := range m.Outputs {
			told[o.CallID] = true
		}
	}
	calls := slices.SortedFunc(maps.Values(st.calls), func(a, b *call) int { return cmp.Compare(a.place, b.place) })
	var said []string
	for _, c := range calls {
		if c.settled() && !told[c.ID] {
			said = append(said, st.decision(c))
		}
	}
	if text := joinParagraphs(said...); text != "" {
		return "What the user decided so far:\n\n" + text
	}
	return ""
}

// decision tells what the person said to one call, "" if nothing.
func (st *State) decision(c *call) string {
	s := c.newest(KindQuestion, KindPlan, KindCustom)
	switch {
	case s != nil && s.Kind == KindPlan:
		return st.decisionOnPlan(c, s)
	case s != nil && s.Answer != nil && s.Kind == KindQuestion:
		var q struct{ Question string }
		_ = json.Unmarshal(s.Payload, &q) // without a question its answer stands alone
		return "Question: " + q.Question + "\n" + c.output.Content
	case s != nil && s.Answer != nil:
		return fmt.Sprintf("%s %s\n%s", c.Name, s.Payload, c.output.Content)
	}
	if s := c.newest(KindApproval); s != nil && s.Answer.decision().Action == Rejected {
		return fmt.Sprintf("%s %s\n%s", c.Name, cutAt(string(c.Args), 500), c.output.Content)
	}
	return ""
}

// decisionOnPlan tells the last decided plan in full, of earlier ones what was
// said to them.
func (st *State) decisionOnPlan(c *call, s *Suspension) string {
	last := st.plans[len(st.plans)-1]
	if s.Answer == nil || s.Answer.decision().Action == Approved && last.ToolCallID != c.ID {
		return ""
	}
	text := c.output.Content
	if s.Answer.decision().Action == Rejected && last.ToolCallID == c.ID {
		text += "\n\nThe plan was:\n\n" + last.Body
	}
	return text
}

// wantsFresh reports whether the approval of a plan asked for a fresh context.
func (st *State) wantsFresh(p Plan) bool {
	s := st.calls[p.ToolCallID].suspension(p.N)
	return s != nil && s.Answer != nil && s.Answer.Fresh
}

// summarizable is how many messages a summary for m would keep as they are, and
// whether it would take the place of anything.
func (d *drive) summarizable(m Model) (keep int, worth bool) {
	messages, most := d.st.messages, int64(float64(d.limit(m))*summaryTail)
	at := len(messages)
	for at > 0 && len(messages)-at < tailMost {
		from := at - 1
		if messages[from].Role == RoleTool {
			from-- // with the reply that asked for them
		}
		if d.room.tokens(m, sizeOfAll(messages[from:])) > most {
			break
		}
		at = from
	}
	worth = slices.ContainsFunc(messages[:at], func(m Message) bool { return m.Role == RoleAssistant })
	return len(messages) - at, worth
}

// summarize lets the model shorten the conversation but for its last keep
// messages, and records that.
func (d *drive) summarize(ctx context.Context, mode Mode, m Model, messages []Message, keep int) (done bool, err error) {
	if err := d.flush(ctx, true); err != nil {
		return true, err
	}
	most := int(float64(d.limit(m)) * spare / d.room.perByte(m))
	req := Request{
		RunID: d.st.Run.ID, Workspace: d.st.Run.Workspace, Mode: mode.ID, Turn: d.st.turns[m.ID()],
		System:   summaryInstructions,
		Messages: []Message{{Role: RoleUser, Text: transcript(messages[:len(messages)-keep], most)}},
	}
	reply, err := d.reply(ctx, m, req, d.showRetries)
	switch {
	case reply == nil:
		return d.unanswered(ctx, m, req, err)
	case strings.TrimSpace(reply.Text) == "" || reply.End == EndRefused:
		return true, d.modelFault(ctx, &ProviderError{
			Retryable: true, Message: m.ID() + " wrote no summary of a conversation that has become too long",
			Hint: "continue the run to let it try again, or go on with a model that has a larger context window",
		})
	}
	d.faults = 0
	d.stage(Summary, SummaryPayload{Text: reply.Text, Keep: keep, Model: m.ID(), Usage: d.priced(m, reply.Usage)})
	return false, d.flush(ctx, true)
}

// showRetries shows of a request that nobody asked for only that it is made
// again.
func (d *drive) showRetries(t EventType, payload any) {
	if t == RetryNotice {
		d.show(t, payload)
	}
}

const summaryInstructions = `You shorten the record of a coding agent's work so that it can go on without the record.
Write down, in the language of the record: what the task is and what has been decided; what was learned
about the code, with paths and names; what was changed, file by file; what failed and why; what is left to
do next. Leave out what does not matter any more. Write nothing else.`

// transcript is a conversation as one text of at most so many bytes.
func transcript(messages []Message, most int) string {
	var b strings.Builder
	for _, m := range messages {
		if m.Text != "" {
			fmt.Fprintf(&b, "## %s\n\n%s\n\n", m.Role, m.Text)
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "## call %s\n\n%s\n\n", c.Name, excerpt(string(c.Args), 600))
		}
		for _, o := range m.Outputs {
			fmt.Fprintf(&b, "## result of %s\n\n%s\n\n", o.Name, excerpt(o.Content, 2000))
		}
	}
	return excerpt(b.String(), most)
}

// excerpt is the beginning and the end of a text of more than most bytes.
func excerpt(s string, most int) string {
	if len(s) <= most {
		return s
	}
	tail := s[len(s)-most/2:]
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", cutAt(s, most/2), len(s)-2*(most/2), strings.ToValidUTF8(tail, ""))
}
