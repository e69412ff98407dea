//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package terminal

import (
	"errors"
	"os"
	"time"
)

// promptsHere: here reads of the keyboard cannot be called off and what was
// typed ahead not dropped. Until both can, nobody is asked: a run that needs a
// person suspends and prints the commands that answer it.
const promptsHere = false

type terminalMode struct{}

func (*terminalMode) set(*os.File) {}

func (*terminalMode) put(*os.File) {}

func withoutEcho(*os.File) *terminalMode { return nil }

func modeOf(*os.File) (*terminalMode, error) { return nil, errors.ErrUnsupported }

func singleKeys(*os.File) (*terminalMode, error) { return nil, errors.ErrUnsupported }

func (s *sitting) read(time.Duration) ([]byte, error) { return nil, errors.ErrUnsupported }

func onContinue(func()) (end func()) { return func() {} }

func stop() {}
