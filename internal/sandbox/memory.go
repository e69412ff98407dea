package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/atomicfile"
)

// memory is what is kept of a trial that went well. It only saves trying: an
// engine that does not work after all refuses its commands, and is tried anew
// by the next process. Nothing is kept of trials that failed.
type memory struct {
	Engine  string `json:"engine"`
	Mark    string `json:"mark"`
	Variant int    `json:"variant"`
}

func (s *Sandbox) recall(engine, mark string) (variant int, ok bool) {
	if s.cfg.Memory == "" {
		return 0, false
	}
	data, err := os.ReadFile(s.cfg.Memory)
	var m memory
	if err != nil || json.Unmarshal(data, &m) != nil {
		return 0, false
	}
	return m.Variant, m.Engine == engine && m.Mark == mark && m.Variant >= 0
}

// remember keeps what works. Where that cannot be, it is tried again next time.
func (s *Sandbox) remember(engine, mark string, variant int) {
	if s.cfg.Memory == "" {
		return
	}
	data, err := json.Marshal(memory{engine, mark, variant})
	if err != nil {
		return
	}
	dir, err := os.OpenRoot(filepath.Dir(s.cfg.Memory))
	if err != nil {
		return
	}
	defer dir.Close()
	_ = atomicfile.Write(dir, filepath.Base(s.cfg.Memory), append(data, '\n'), 0o600)
}

// forget makes the next process try again.
func (s *Sandbox) forget() {
	if s.cfg.Memory != "" {
		_ = os.Remove(s.cfg.Memory) // it may never have been there
	}
}

// markOf is one word for all parts.
func markOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// fileMark changes when a file does.
func fileMark(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	return path + info.ModTime().UTC().String() + info.Mode().String()
}

func firstLine(out []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n"))
	return string(line)
}
