package config

import (
	"os"
	"path/filepath"
)

// UserDirs are the directories the user's files may be in, the first choice
// first: $XDG_CONFIG_HOME/agent alone where that is set; else ~/.config/agent,
// and where the system has another place for settings (macOS, Windows) that
// one too. Empty if the environment names no place at all.
func UserDirs(getenv func(string) string, goos string) []string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return []string{filepath.Join(dir, "agent")}
	}
	var dirs []string
	if goos == "windows" {
		if dir := getenv("AppData"); dir != "" {
			dirs = append(dirs, filepath.Join(dir, "agent"))
		}
	}
	home := getenv("HOME")
	if home == "" && goos == "windows" {
		home = getenv("USERPROFILE")
	}
	if home != "" {
		dirs = append(dirs, filepath.Join(home, ".config", "agent"))
		if goos == "darwin" {
			dirs = append(dirs, filepath.Join(home, "Library", "Application Support", "agent"))
		}
	}
	return dirs
}

// UserFile is the user's file called name ("config.toml", "AGENTS.md"): the
// first that exists, else where it would be made. "" if there is no place.
func UserFile(getenv func(string) string, goos, name string) string {
	dirs := UserDirs(getenv, goos)
	for _, dir := range dirs {
		file := filepath.Join(dir, name)
		if _, err := os.Lstat(file); err == nil {
			return file
		}
	}
	if len(dirs) == 0 {
		return ""
	}
	return filepath.Join(dirs[0], name)
}
