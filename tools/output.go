package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	modelHead = 10 << 10 // what the model sees of a long output
	modelTail = 20 << 10
	keptHead  = 4 << 20 // what is kept of a huge one
	keptTail  = 4 << 20
	maxShown  = keptHead // what is shown of it while the command runs
)

// output keeps what a command says: all of it up to 8 MiB, of more the
// beginning and the end. The zero value is empty.
type output struct {
	head, tail []byte
	total      int
	partial    []byte // an incomplete character at the end of what was shown
}

// drain takes chunks until the command has ended, and shows them.
func (o *output) drain(chunks <-chan []byte, ended <-chan struct{}, show func(string)) {
	take := func(chunk []byte) {
		shown := o.total
		o.add(chunk)
		switch {
		case shown > maxShown:
			return
		case o.total > maxShown:
			show(o.complete(chunk[:maxShown-shown]) + "\n[more output follows; it is not shown here]\n")
			o.partial = nil
			return
		}
		if text := o.complete(chunk); text != "" {
			show(text)
		}
	}
	for running := true; running; {
		select {
		case chunk := <-chunks:
			take(chunk)
		case <-ended:
			running = false
		}
	}
	for len(chunks) > 0 { // nobody writes any more
		take(<-chunks)
	}
	if len(o.partial) > 0 {
		show("\ufffd")
	}
}

func (o *output) add(chunk []byte) {
	o.total += len(chunk)
	n := min(len(chunk), keptHead-len(o.head))
	o.head = append(o.head, chunk[:n]...)
	o.tail = append(o.tail, chunk[n:]...)
	if len(o.tail) > 2*keptTail {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-keptTail:]...)
	}
}

// complete is the chunk as text, with what the one before left over and without
// a character that goes on in the next.
func (o *output) complete(chunk []byte) string {
	data := append(o.partial, chunk...)
	end := len(data)
	for i := end - 1; i >= 0 && i >= end-utf8.UTFMax; i-- {
		if utf8.RuneStart(data[i]) {
			if !utf8.FullRune(data[i:]) {
				end = i
			}
			break
		}
	}
	o.partial = append([]byte(nil), data[end:]...)
	return strings.ToValidUTF8(string(data[:end]), "\ufffd")
}

// kept is the output as far as it is kept.
func (o *output) kept() []byte {
	tail := o.tail[max(0, len(o.tail)-keptTail):]
	lost := o.total - len(o.head) - len(tail)
	if lost == 0 {
		return append(o.head, tail...)
	}
	all := append(o.head, fmt.Sprintf("\n[%d bytes not kept]\n", lost)...)
	return append(all, tail...)
}

// forModel is the output as the model reads it, and all that is kept if that
// is more.
func (o *output) forModel() (text string, whole []byte) {
	kept := o.kept()
	if len(kept) <= modelHead+modelTail {
		return strings.ToValidUTF8(string(kept), "\ufffd"), nil
	}
	head := clip(string(kept[:modelHead+1]), modelHead)
	tail := string(kept[len(kept)-modelTail:])
	for tail != "" && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	text = fmt.Sprintf("%s\n[%d bytes left out; send long output through head, tail or grep]\n%s", head, o.total-len(head)-len(tail), tail)
	return strings.ToValidUTF8(text, "\ufffd"), kept
}
