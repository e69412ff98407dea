package tell

import (
	"strings"

	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Commands shows commands that are offered next, each in one piece, to be
// copied. One that could not be read for what it is is not shown.
func Commands(on *screen.Screen, commands []string) {
	if len(commands) == 0 {
		return
	}
	on.Line(on.Look.Strong("next:"))
	for _, c := range commands {
		if text.Mark(c) != c || strings.ContainsAny(c, "\n\t") || text.Width(c) > longestCommand {
			on.Line("  a command that cannot be shown safely; its argv is in the output of --output json")
			continue
		}
		on.Put("  ", on.Look.Ours(c), "\n")
	}
}

// longestCommand bounds what is shown of a command with somebody's words in it.
const longestCommand = 1000
