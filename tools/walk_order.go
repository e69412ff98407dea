package tools

import (
	"context"
	"slices"
)

// The goroutines of a walk take parts from a stack, and so work near the front
// of the order. The caller's goroutine goes through the parts in order: it does
// one that nobody has taken yet itself, so that it waits only for work that is
// being done, and the others may wait for it without a deadlock when they are
// too far ahead.

// push puts parts on the stack, the first of them on top.
func (wk *walk[T]) push(parts []*part[T]) {
	wk.mu.Lock()
	defer wk.mu.Unlock()
	for _, p := range slices.Backward(parts) {
		switch {
		case p.done == nil: // it was done at once
		case wk.over:
			p.dir.release()
		default:
			wk.stack = append(wk.stack, p)
		}
	}
	wk.wake.Broadcast()
}

// work does parts until the walk is over.
func (wk *walk[T]) work() {
	for p := wk.next(); p != nil; p = wk.next() {
		if p.taken.CompareAndSwap(false, true) {
			wk.do(p)
		} else {
			wk.told()
		}
	}
}

// next waits for a part to do; nil: the walk is over.
func (wk *walk[T]) next() *part[T] {
	wk.mu.Lock()
	defer wk.mu.Unlock()
	for !wk.over && (len(wk.stack) == 0 || wk.ahead >= maxAhead) {
		wk.wake.Wait()
	}
	if wk.over {
		return nil
	}
	top := len(wk.stack) - 1
	p := wk.stack[top]
	wk.stack[top] = nil
	wk.stack = wk.stack[:top]
	wk.ahead++
	return p
}

// told makes room for one more part ahead.
func (wk *walk[T]) told() {
	wk.mu.Lock()
	wk.ahead--
	wk.mu.Unlock()
	wk.wake.Signal()
}

// end ends the walk; what nobody took any more is let go.
func (wk *walk[T]) end() {
	wk.mu.Lock()
	defer wk.mu.Unlock()
	wk.over = true
	for _, p := range wk.stack {
		if p.taken.CompareAndSwap(false, true) {
			p.dir.release()
		}
	}
	wk.wake.Broadcast()
}

// report tells what a part found, and what the parts below it did.
func (wk *walk[T]) report(p *part[T]) error {
	for _, t := range p.found {
		wk.tell(t)
	}
	for i, next := range p.parts {
		p.parts[i] = nil // what is told is not kept
		if next.done != nil {
			if next.taken.CompareAndSwap(false, true) {
				wk.do(next)
			} else {
				<-next.done
				wk.told()
			}
		}
		if wk.ctx.Err() != nil {
			return context.Cause(wk.ctx)
		}
		if err := wk.report(next); err != nil {
			return err
		}
	}
	return nil
}
