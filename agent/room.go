package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// room is what one drive knows of how much a request may hold. Nothing of it is
// recorded: what a request leaves out is still in the journal.
type room struct {
	short  map[string]bool    // calls whose results are sent shortened
	ratio  map[string]float64 // tokens per byte, by model, as measured
	window map[string]int64   // requests that fit as learned from refusals, by model

	overflows int // refusals in a row
}

func newRoom() room {
	return room{short: map[string]bool{}, ratio: map[string]float64{}, window: map[string]int64{}}
}

// Bounds of what a request leaves out.
const (
	firstRatio  = 1.0 / 3 // tokens per byte before a reply told
	shortened   = 300     // bytes of a result that stay
	leftWhole   = 2       // newest messages with results that are never shortened
	spare       = 0.75    // of the room is used after shortening, so that it lasts
	leastOutput = 4096    // tokens kept free for a reply, but no more than
	outputShare = 3       // one part in so many of the window
	maxOverflow = 3       // refusals in a row that make requests shorter
	summaryTail = 0.2     // of the room may stay as it is beside a summary
	tailMost    = 6       // messages that may stay so
)

// limit is how many tokens a request to m may have, 0 if nobody knows.
func (d *drive) limit(m Model) int64 {
	f := d.a.cfg.Facts(m.ID())
	window, learned := f.ContextWindow, d.room.window[m.ID()]
	if window == 0 && learned == 0 {
		return 0
	}
	limit := window - min(max(f.MaxOutput, leastOutput), window/outputShare)
	if learned > 0 && (window == 0 || learned < limit) {
		return learned
	}
	return limit
}

// perByte is how many tokens a byte is to m.
func (r room) perByte(m Model) float64 {
	if ratio, ok := r.ratio[m.ID()]; ok {
		return ratio
	}
	return firstRatio
}

// tokens estimates what so many bytes are to m.
func (r room) tokens(m Model, bytes int) int64 { return int64(float64(bytes) * r.perByte(m)) }

// measure learns from a reply how many tokens a request had.
func (d *drive) measure(m Model, req Request, u Usage) {
	d.room.overflows = 0
	in := u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens
	if size := sizeOf(req); in > 0 && size > 0 {
		d.room.ratio[m.ID()] = float64(in) / float64(size)
	}
}

// overflowed reports whether a request was refused for its length and there is
// something left to leave out of the next one.
func (d *drive) overflowed(m Model, req Request, err error) bool {
	var pe *ProviderError
	if !errors.As(err, &pe) || !pe.TooLong || d.room.overflows >= maxOverflow {
		return false
	}
	d.room.overflows++
	d.room.window[m.ID()] = int64(float64(d.room.tokens(m, sizeOf(req))) * spare)
	return true
}

// sizeOf is how many bytes a request has, what the adapter adds left out.
func sizeOf(req Request) int {
	n := len(req.System) + sizeOfAll(req.Messages)
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.InputSchema)
	}
	return n
}

func sizeOfAll(messages []Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Text) + len(m.Blocks)
		for _, c := range m.ToolCalls {
			n += len(c.ID) + len(c.Name) + len(c.Args)
		}
		for _, o := range m.Outputs {
			n += len(o.CallID) + len(o.Content)
		}
	}
	return n
}

// fitted is the conversation as it is sent to m, and whether that is expected
// to fit. Results of old calls are shortened where it would not; what was
// shortened once stays so, since a provider caches what does not change.
func (d *drive) fitted(m Model) (messages []Message, fits bool) {
	messages = d.shorten(slices.Clone(d.st.messages))
	limit := d.limit(m)
	if limit == 0 {
		return messages, true
	}
	used := func() int64 { return d.room.tokens(m, sizeOfAll(messages)+d.overhead()) }
	if used() <= limit {
		return messages, true
	}
	for _, o := range d.candidates() {
		if used() <= int64(float64(limit)*spare) {
			break
		}
		d.room.short[o] = true
		messages = d.shorten(messages)
	}
	return messages, used() <= limit
}

// overhead is the size of what goes with every request.
func (d *drive) overhead() int {
	n := len(d.a.cfg.Instructions)
	for _, t := range d.a.tools {
		def := t.Definition()
		n += len(def.Description) + len(def.InputSchema)
	}
	return n
}

// candidates are the calls whose results may be shortened, in the order in
// which that is done: the largest first, of these the oldest. What a person
// answered or approved stays whole.
func (d *drive) candidates() []string {
	var ids []string
	old := d.oldOutputs()
	for _, least := range [...]int{16 << 10, 4 << 10, 1 << 10} {
		for _, o := range old {
			if len(o.Content) >= least && !d.room.short[o.CallID] && !slices.Contains(ids, o.CallID) && !d.st.asked(o.CallID) {
				ids = append(ids, o.CallID)
			}
		}
	}
	return ids
}

// oldOutputs are the results of all but the newest steps.
func (d *drive) oldOutputs() []ToolOutput {
	var steps [][]ToolOutput
	for _, m := range d.st.messages {
		if m.Role == RoleTool {
			steps = append(steps, m.Outputs)
		}
	}
	return slices.Concat(steps[:max(len(steps)-leftWhole, 0)]...)
}

// asked reports whether a call had the answer of a person.
func (st *State) asked(callID string) bool {
	c := st.calls[callID]
	return c != nil && slices.ContainsFunc(c.suspensions, func(s *Suspension) bool { return s.Answer != nil || s.Kind == KindPlan })
}

// shorten puts the short form in the place of results that are to be sent so.
func (d *drive) shorten(messages []Message) []Message {
	for i, m := range messages {
		if m.Role != RoleTool || !slices.ContainsFunc(m.Outputs, func(o ToolOutput) bool { return d.room.short[o.CallID] }) {
			continue
		}
		messages[i].Outputs = slices.Clone(m.Outputs)
		for j, o := range m.Outputs {
			if d.room.short[o.CallID] {
				messages[i].Outputs[j].Content = shortForm(d.st.calls[o.CallID].output.Content)
			}
		}
	}
	return messages
}

// shortForm is the beginning of a result, and that there was more.
func shortForm(content string) string {
	head := cutAt(content, shortened)
	return fmt.Sprintf("%s\n[%d bytes of this result were left out to make room. Call the tool again if you need them.]",
		strings.TrimRight(head, "\n"), len(content)-len(head))
}

// cutAt is the beginning of a text, at most n bytes of whole characters.
func cutAt(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
