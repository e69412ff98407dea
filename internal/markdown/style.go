package markdown

import "strconv"

// style is how text is shown: attributes, and a colour above them.
type style uint16

const (
	bold style = 1 << iota
	dim
	underline

	attributes = 3 // how many
)

// The colours that can be read on dark and on light backgrounds.
const (
	red     style = 1 << attributes
	green   style = 2 << attributes
	magenta style = 5 << attributes
	cyan    style = 6 << attributes
)

const colours style = 7 << attributes

// What styles mean.
const (
	plain    style = 0
	faint          = dim
	code           = cyan
	target         = cyan
	warning        = magenta | bold // what a renderer in a browser would not show
	raw            = magenta
	added          = green
	removed        = red
	position       = cyan
)

// in is s with the colour of t, if t has one, and the attributes of both.
func (s style) in(t style) style {
	if t&colours != 0 {
		s &^= colours
	}
	return s | t
}

// appendSGR appends the sequence that shows what follows in style s alone.
func (s style) appendSGR(b []byte) []byte {
	b = append(b, "\x1b[0"...)
	for i, code := range [attributes]string{";1", ";2", ";4"} {
		if s&(1<<i) != 0 {
			b = append(b, code...)
		}
	}
	if c := s & colours >> attributes; c != 0 {
		b = strconv.AppendInt(append(b, ';'), int64(30+c), 10)
	}
	return append(b, 'm')
}
