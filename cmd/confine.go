package cmd

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
	"github.com/seed-3e5a1d81/agent/modes"
)

// ownProgram is this program, as the kernel knows it: a newer one may have
// taken its place on disk.
const ownProgram = "/proc/self/exe"

// sandbox is what confines commands on this machine.
func (w *wiring) sandbox() *sandbox.Sandbox {
	w.sandboxOnce.Do(func() {
		cfg := w.sandboxConfig()
		if data, err := dataHome(w.io.Env, runtime.GOOS); err == nil {
			cfg.Memory = filepath.Join(data, "agent", "sandbox.json")
		}
		w.confining = sandbox.New(cfg)
	})
	return w.confining
}

// sandboxConfig is without a memory: what works is tried.
func (w *wiring) sandboxConfig() sandbox.Config {
	cfg := sandbox.Config{Path: w.io.Env("PATH"), Program: ownProgram}
	if cache := cacheHome(w.io.Env, runtime.GOOS); cache != "" {
		cfg.Private = filepath.Join(cache, "agent", "sandbox")
	}
	return cfg
}

// cacheHome is where the system keeps what can be made again; "" if there is
// no such place.
func cacheHome(env func(string) string, goos string) string {
	if dir := env("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	home := env("HOME")
	switch {
	case goos == "windows":
		return env("LocalAppData")
	case home == "":
		return ""
	case goos == "darwin":
		return filepath.Join(home, "Library", "Caches")
	}
	return filepath.Join(home, ".cache")
}

// writable are the places beside the workspace that commands may write.
func (w *wiring) writable(cfg *config.Config) []string {
	var out []string
	for _, place := range valuesOf(cfg.Sandbox.Write) {
		if rest, ok := strings.CutPrefix(place, "~/"); ok {
			place = filepath.Join(w.io.Env("HOME"), rest)
		}
		if filepath.IsAbs(place) {
			out = append(out, filepath.Clean(place))
		}
	}
	return out
}

// unconfined tells before a run that nothing confines its commands, if one of
// its modes has any.
func (w *wiring) unconfined(controller *modes.Controller) {
	for _, m := range controller.Modes() {
		for _, tool := range controller.Tools(m.ID) {
			if tool == shellTool && !w.sandbox().Confines() {
				w.tell("nothing confines commands here: what they may do is yours to judge (agent doctor says why)")
				return
			}
		}
	}
}

const shellTool = "shell"
