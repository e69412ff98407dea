// Package cmd is the command line: it turns flags into options, wires store,
// model, modes and tools, shows what happens and maps statuses and errors to
// exit codes. It holds no loop and decides nothing about runs.
package cmd

import (
	"context"
	"fmt"
	stdio "io"
	"log"
	"os"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/internal/hook"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
)

// Main runs the command line on the process's arguments, streams and
// environment, and returns the exit code.
func Main() int {
	if code, ok := hook.Child(os.Args, os.Stdin, os.Environ()); ok {
		return code
	}
	if code, ok := sandbox.Child(os.Args); ok { // a command's keeper, not a command line
		return code
	}
	log.SetOutput(stdio.Discard) // net/http writes what a server said there, as it is
	io, err := iostreams.System()
	if err != nil {
		fmt.Fprintf(os.Stderr, "agent: find current directory: %v\n", err)
		return exit.Failure
	}
	return execute(context.Background(), io, os.Args[1:])
}

// execute runs one command line in process.
func execute(ctx context.Context, io *iostreams.Streams, args []string) int {
	g := &globals{}
	root := newRootCmd(io, g)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !g.understood {
		g.Output = outputIn(args)
	}
	if err != nil {
		g.result.prepareRefused(root, io.Dir, args)
	}
	if err != nil && !g.understood && exit.ErrorCode(err) == exit.CodeInternal {
		err = exit.Usagef("%v", err) // cobra's own complaints about commands and arguments
	}
	return conclude(io, g, err)
}
