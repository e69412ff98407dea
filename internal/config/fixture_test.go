package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// place is a user's home and a repository in a new directory.
type place struct {
	t                 *testing.T
	home, repo, inner string // inner is a workspace inside repo
	env               map[string]string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo")}
	p.inner = filepath.Join(p.repo, "cmd", "inner")
	p.env = map[string]string{"HOME": p.home}
	p.write(filepath.Join(p.repo, ".git", "HEAD"), "ref: refs/heads/main\n")
	p.write(filepath.Join(p.inner, "main.go"), "package main\n")
	return p
}

func (p *place) write(file, content string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) userFile() string { return filepath.Join(p.home, ".config", "agent", "config.toml") }

func (p *place) user(content string) *place {
	p.t.Helper()
	p.write(p.userFile(), content)
	return p
}

func (p *place) project(content string) *place {
	p.t.Helper()
	p.write(filepath.Join(p.repo, ProjectPath), content)
	return p
}

func (p *place) options() Options {
	return Options{Getenv: func(name string) string { return p.env[name] }, Workspace: p.inner, Tools: productTools()}
}

func (p *place) load() *Config {
	p.t.Helper()
	return mustLoad(p.t, p.options())
}

func mustLoad(t *testing.T, o Options) *Config {
	t.Helper()
	c, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func productTools() []agent.Definition {
	read := func(name string, c agent.Category) agent.Definition {
		return agent.Definition{Name: name, Category: c, Effect: agent.EffectReadOnly}
	}
	return []agent.Definition{
		read("read_file", agent.CategoryRead), read("search_text", agent.CategoryRead),
		read("ask_user", agent.CategoryInteract), read("submit_plan", agent.CategoryInteract),
		{Name: "write_file", Category: agent.CategoryEdit, Effect: agent.EffectIdempotent},
		{Name: "shell", Category: agent.CategoryExecute, Effect: agent.EffectOnce},
		{Name: "post", Category: agent.CategoryInteract, Effect: agent.EffectOnce},
	}
}
