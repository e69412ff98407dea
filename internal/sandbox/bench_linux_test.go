package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkTrue is what a sandbox adds to the smallest command.
func BenchmarkTrue(b *testing.B) {
	dir := b.TempDir()
	bare := func() *exec.Cmd {
		cmd := exec.Command("sh", "-c", "true")
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		return cmd
	}
	b.Run(None, func(b *testing.B) {
		for b.Loop() {
			if err := bare().Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, engine := range []string{Bubblewrap, Landlock} {
		s := New(Config{Engine: engine, Program: "/proc/self/exe", Private: filepath.Join(b.TempDir(), "private")})
		for name, p := range map[string]Policy{"read-only": {ReadOnly: true}, "build": {}, "network": {Network: true}} {
			b.Run(engine+"/"+name, func(b *testing.B) {
				if s.Engine() != engine {
					b.Skipf("%s cannot be used here", engine)
				}
				p.Workspace = dir
				for b.Loop() {
					runOnce(b, s, bare(), p)
				}
			})
		}
	}
}

func runOnce(b *testing.B, s *Sandbox, cmd *exec.Cmd, p Policy) {
	c, err := s.Confine(cmd, p, 0)
	if err != nil {
		b.Fatal(err)
	}
	err = cmd.Run()
	c.Started()
	c.Settle()
	if _, ended := c.End(cmd.ProcessState); err != nil || ended != nil {
		b.Fatal(err, ended)
	}
}
