package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCmd(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  agent version\n  agent version --output json",
		Args: argsOf(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return versionRun(w) },
	}
}

// versionInfo is what a fault report needs of a build.
type versionInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionRun(w *wiring) error {
	v := readVersion()
	if w.g.machine() {
		return printJSON(w.io.Out, v)
	}
	_, err := fmt.Fprintf(w.io.Out, "agent %s %s %s\n", v.Version, v.Go, v.Platform)
	return err
}

func readVersion() versionInfo {
	v := versionInfo{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value
		}
	}
	return v
}
