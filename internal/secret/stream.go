package secret

// Stream masks a text that comes in pieces, so that a value cut in two by them
// is found. What it gives out, put together, is what Mask makes of the whole.
// It is for one goroutine.
type Stream struct {
	m *Masker
	// pending begins where a needle may begin; cover.done counts from there.
	pending []byte
	cover   cover
}

// Stream returns a new Stream.
func (m *Masker) Stream() *Stream { return &Stream{m: m} }

// Next takes the next piece and returns what can be said of the text so far.
// Held back is only an end that a value may begin with, less than the longest
// value; most of the time nothing.
func (s *Stream) Next(piece string) string {
	if s.m.empty() {
		return piece
	}
	s.pending = append(s.pending, piece...)
	return s.give(s.m.mayBegin(s.pending))
}

// Flush ends the text and returns what was held back. The next piece begins a
// new text.
func (s *Stream) Flush() string {
	if s.m.empty() {
		return ""
	}
	out := s.give(len(s.pending))
	s.cover = cover{}
	return out
}

// give deals with what lies before cut and forgets it.
func (s *Stream) give(cut int) string {
	s.cover.run(s.m, s.pending, cut)
	out := string(s.cover.out)
	s.cover.out = s.cover.out[:0]
	s.cover.done = max(0, s.cover.done-cut)
	s.pending = append(s.pending[:0], s.pending[cut:]...)
	return out
}

// mayBegin returns the first place from which on data is the beginning of a
// needle that goes on, len(data) if there is none.
func (m *Masker) mayBegin(data []byte) int {
	for at := max(0, len(data)-m.longest+1); at < len(data); at++ {
		if m.first[data[at]] && m.continues(data[at:]) {
			return at
		}
	}
	return len(data)
}

func (m *Masker) continues(tail []byte) bool {
	for _, n := range m.needles {
		if len(n.text) <= len(tail) {
			return false // so are all that follow
		}
		if n.text[:len(tail)] == string(tail) {
			return true
		}
	}
	return false
}
