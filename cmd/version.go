package cmd

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
)

const versionLong = `Print what this program was built from: its version, the commit and its date,
whether files differed from it, the Go release and the platform. All of it comes
from the build itself.`

func newVersionCmd(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Long: versionLong, Example: "  agent version\n  agent version --output json",
		Args: argsOf(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return versionRun(w) },
	}
}

// versionInfo is what a fault report needs of a build.
type versionInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`   // "" where the build does not know
	Date     string `json:"date"`     // of the commit, RFC 3339; likewise
	Modified bool   `json:"modified"` // files differed from the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionRun(w *wiring) error {
	v := readVersion()
	if w.g.machine() {
		return printJSON(w.io.Out, v)
	}
	_, err := fmt.Fprintln(w.io.Out, v)
	return err
}

// String is the version on one line.
func (v versionInfo) String() string {
	commit := ""
	if v.Commit != "" {
		commit = " (commit " + v.Commit[:min(len(v.Commit), 12)]
		if at, err := time.Parse(time.RFC3339, v.Date); err == nil {
			commit += " of " + at.UTC().Format(time.DateOnly)
		}
		if v.Modified {
			commit += ", modified"
		}
		commit += ")"
	}
	return fmt.Sprintf("agent %s%s %s %s", v.Version, commit, v.Go, v.Platform)
}

func readVersion() versionInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) versionInfo {
	v := versionInfo{Version: cmp.Or(info.Main.Version, "(devel)"), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
