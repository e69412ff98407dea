package terminal

import "errors"

// What ends a prompt that is to be shown anew, because a shell has, or had, the
// terminal meanwhile.
var (
	errStop      = errors.New("Ctrl-Z was pressed")
	errContinued = errors.New("the process was stopped and goes on")
)

// again reports whether a prompt that ended with err is to be shown anew, and
// stops the process before at Ctrl-Z. The terminal has to be as it was before
// the prompt.
func again(err error) bool {
	if errors.Is(err, errStop) {
		stop()
		return true
	}
	return errors.Is(err, errContinued)
}

// hushAgain takes the echo from the terminal that a shell has put back.
func (c *Console) hushAgain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loud != nil {
		withoutEcho(c.in)
	}
}
