package terminal

import "strings"

// chooser is the keyboard as a list of choices reads it: arrows, Enter and,
// where several can be chosen, the space bar. Letters do nothing, so that no
// text can filter the list down to one choice and its newline take that. Keys
// that come at once are a paste unless an arrow is among them, which no paste
// holds; then nothing but Enter may end them. Leaving is the end of input:
// survey would take Ctrl-D for Enter.
type chooser struct {
	*sitting
	place *place
	queue []byte
	reads bool // ? shows what the list is about
	err   error
}

func (c *chooser) Fd() uintptr { return c.in.Fd() }

// Read implements io.Reader for survey's own reader of keys. A key comes whole.
func (c *chooser) Read(p []byte) (int, error) {
	for len(c.queue) == 0 {
		if c.err != nil {
			return 0, c.err
		}
		var keys []key
		if keys, c.err = c.burst(); c.err == nil && leaves(keys) {
			c.err = ErrLeft
		}
		if c.err == nil && c.reads && len(keys) == 1 && keys[0] == (key{code: keyChar, char: '?'}) {
			c.err = errRead
		}
		if c.err == nil {
			c.queue = []byte(c.admit(keys))
		}
		if c.err == nil && c.place.outgrown(c.Console) {
			c.place.follow(c.queue)
			c.queue, c.err = nil, errResized
			return 0, c.err
		}
		c.place.follow(c.queue)
	}
	n := copy(p, c.queue)
	c.queue = c.queue[n:]
	return n, nil
}

// admit returns what survey is to read of keys that came at once.
func (c *chooser) admit(keys []key) string {
	var b strings.Builder
	arrows := false
	for i, k := range keys {
		switch {
		case k.pasted:
			return ""
		case k.code == keyUp:
			b.WriteString(goUp)
			arrows = true
		case k.code == keyDown:
			b.WriteString(goDown)
			arrows = true
		case k.code == keyEnter && i == len(keys)-1:
			b.WriteString("\r")
		case c.place.several && k.code == keyChar && k.char == ' ':
			b.WriteString(" ")
		default:
			return ""
		}
	}
	if len(keys) > 1 && !arrows {
		return ""
	}
	return b.String()
}
