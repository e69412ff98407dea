package agent

// deltas shows the pieces of one reply as they come. Pieces cut a text anywhere,
// so the text of a block is masked as one.
type deltas struct {
	show func(EventType, any)
	mask func() (next func(piece string) string, rest func() string)

	id   string
	kind EventType // "" before the first piece
	next func(piece string) string
	rest func() string
}

// piece shows a piece, but for an end that may be the beginning of a secret.
func (s *deltas) piece(c Chunk) {
	kind := TextDelta
	if c.Reasoning {
		kind = ReasoningDelta
	}
	if kind != s.kind || c.ID != s.id {
		s.end()
		s.kind, s.id = kind, c.ID
		s.next, s.rest = s.mask()
	}
	s.say(s.next(c.Text))
}

// end shows what was held back of the block.
func (s *deltas) end() {
	if s.rest != nil {
		s.say(s.rest())
	}
	s.kind, s.rest = "", nil
}

func (s *deltas) say(text string) {
	if text != "" {
		s.show(s.kind, DeltaPayload{ID: s.id, Text: text})
	}
}
