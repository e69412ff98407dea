package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Options is what Load needs to know. The zero value reads nothing and gives
// the built-in values.
type Options struct {
	// Getenv looks up the environment; nil: none, and no user's file.
	Getenv func(string) string
	// GOOS decides where the user's file is; "": as on Linux.
	GOOS string
	// Workspace is the directory to work in, absolute and without links; "":
	// no project file is looked for.
	Workspace string
	// Trusted tells whether a project file is trusted, by the root of the
	// project and the file's digest, as Trust.Trusted does; nil: none is.
	Trusted func(root, digest string) (bool, error)
	// TrustWorkspace trusts the project file as it is, for this command.
	TrustWorkspace bool
	// Flags are the values of the flags that were given, by name without
	// dashes; only those of Keys count.
	Flags map[string][]string
	// Tools are the tools modes may name. Without them no tool is known to be
	// one that only reads, and their names are not checked.
	Tools []agent.Definition
	// BuiltinModes are IDs a project cannot redefine; nil: plan, build, explore.
	BuiltinModes []string
	// CheckRule says what is wrong with a permission rule; nil: nothing.
	CheckRule func(rule string) error
}

// Load reads all sources. Precedence is decided here and only here: they are
// put one on the other, the weakest first. The error joins every Problem found
// in the user's file, in the environment and flags, and in a trusted project
// file; the Config is then nil. What is wrong in a project file that is not
// trusted is a warning, as are unknown keys in any project file.
func Load(opts Options) (*Config, error) {
	if opts.BuiltinModes == nil {
		opts.BuiltinModes = []string{"plan", "build", "explore"}
	}
	if opts.Getenv == nil {
		opts.Getenv = func(string) string { return "" }
	}
	l := &loader{opts: opts, cfg: &Config{}, keys: Keys()}
	for _, apply := range []func() error{l.builtIn, l.project, l.user, l.environment, l.flags} {
		if err := apply(); err != nil {
			return nil, err
		}
	}
	l.joinModes()
	if len(l.problems) > 0 {
		return nil, joined(l.problems)
	}
	l.cfg.Warnings = most(l.cfg.Warnings)
	return l.cfg, nil
}

func joined(problems []Problem) error {
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// most keeps a stranger's file from flooding the screen.
func most(warnings []Problem) []Problem {
	const shown = 10
	if len(warnings) <= shown {
		return warnings
	}
	o := warnings[shown].Origin
	o.Line = 0
	return append(warnings[:shown:shown], Problem{Origin: o, Message: fmt.Sprintf("%d more faults", len(warnings)-shown)})
}

type loader struct {
	opts         Options
	cfg          *Config
	keys         []Key
	projectModes []Value[agent.Mode]
	userModes    []Value[agent.Mode]
	problems     []Problem
}

func (l *loader) problem(key Key, o Origin, err error) {
	l.problems = append(l.problems, Problem{Origin: o, Key: key.Name, Message: err.Error()})
}

// put stores a value after its check and, for rules, the check of the caller.
func (l *loader) put(k Key, raw any, o Origin) error {
	if l.opts.CheckRule != nil && isRules(k) {
		rules, err := texts(raw)
		if err != nil {
			return err
		}
		for i, rule := range rules {
			if err := l.opts.CheckRule(rule); err != nil {
				return &itemError{i, fmt.Errorf("holds the rule %q: %w", shorten(rule), err)}
			}
		}
	}
	return k.access.put(l.cfg, raw, o)
}

// itemError is what is wrong with one item of a list.
type itemError struct {
	index int
	err   error
}

func (e *itemError) Error() string { return e.err.Error() }
func (e *itemError) Unwrap() error { return e.err }

func isRules(k Key) bool {
	return k.Name == "permissions.allow" || k.Name == "permissions.ask" || k.Name == "permissions.deny"
}

func (l *loader) builtIn() error {
	for _, k := range l.keys {
		if k.access == nil || k.Default == "" {
			continue
		}
		if err := k.access.put(l.cfg, given(k.Default), Origin{}); err != nil {
			return fmt.Errorf("default of %s: %w", k.Name, err)
		}
	}
	return nil
}

func (l *loader) environment() error {
	for _, k := range l.keys {
		value := ""
		if k.Env != "" {
			value = l.opts.Getenv(k.Env)
		}
		if value == "" {
			continue
		}
		o := Origin{Source: SourceEnvironment, Name: k.Env}
		if err := l.put(k, given(value), o); err != nil {
			l.problem(k, o, err)
		}
	}
	return nil
}

func (l *loader) flags() error {
	for _, k := range l.keys {
		values := l.opts.Flags[k.Flag]
		if k.Flag == "" || len(values) == 0 {
			continue
		}
		o := Origin{Source: SourceFlag, Name: k.Flag}
		if err := l.flag(k, values, o); err != nil {
			l.problem(k, o, err)
		}
	}
	return nil
}

func (l *loader) flag(k Key, values []string, o Origin) error {
	if _, many := k.access.(list); !many {
		return l.put(k, given(values[len(values)-1]), o)
	}
	items := make([]any, len(values))
	for i, v := range values {
		items[i] = given(v)
	}
	return l.put(k, items, o)
}

// user reads the user's file. Whoever keeps it elsewhere may link to it.
func (l *loader) user() error {
	l.cfg.User = UserFile(l.opts.Getenv, l.opts.GOOS, "config.toml")
	if l.cfg.User == "" {
		return nil
	}
	data, err := readUser(l.cfg.User)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	r, fault := l.read(SourceUser, l.cfg.User, data)
	if fault != nil {
		l.problems = append(l.problems, *fault)
		return nil //nolint:nilerr // told with the other problems
	}
	r.all()
	l.problems = append(l.problems, slices.Concat(r.faults, r.strange)...)
	l.userModes = r.found
	return nil
}

func readUser(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = fmt.Errorf("%s is larger than %d KiB", file, MaxFile>>10)
	}
	return data, err
}
