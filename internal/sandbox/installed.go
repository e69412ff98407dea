package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// usualPath is where programs are looked for when nothing else is known.
const usualPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

// installed finds a program in the directories of path. The program decides
// what commands may do, so it counts only where the system keeps programs: PATH
// may begin with a directory of the workspace.
func installed(name, path string) (string, error) {
	if path == "" {
		path = usualPath
	}
	for _, dir := range filepath.SplitList(path) {
		at := filepath.Join(dir, name)
		info, err := os.Stat(at)
		if err == nil && filepath.IsAbs(dir) && executable(info) && ofSystem(realPath(at)) {
			return at, nil
		}
	}
	return "", fmt.Errorf("%s is not installed", name)
}

func executable(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 && info.Mode().Perm()&0o022 == 0
}

func ofSystem(path string) bool {
	return slices.ContainsFunc([]string{"/usr", "/bin", "/sbin", "/opt", "/nix/store", "/gnu/store"}, func(dir string) bool {
		return within(path, dir)
	})
}
