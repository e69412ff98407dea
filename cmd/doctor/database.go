package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/seed-3e5a1d81/agent/cmd/file"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// Database looks at the database of a path as it is, and tries whether one works
// in its directory.
func Database(ctx context.Context, path string) []Check {
	i, err := runstore.Inspect(ctx, path)
	if err != nil {
		reason, hint := storeWords(err)
		return []Check{Failed("path", hint, "%s: %s", path, reason)}
	}
	if !i.Exists {
		return []Check{
			Passed("path", "%s (the first run makes it)", i.Path), directoryCheck(ctx, filepath.Dir(path)),
		}
	}
	return append([]Check{Passed("path", "%s", i.Path)}, append(inspected(i), directoryCheck(ctx, filepath.Dir(path)))...)
}

// inspected are the checks of a database that could be read.
func inspected(i runstore.Inspection) []Check {
	checks := []Check{
		Passed("size", "%s, %d %s", sizeWords(i.Size), i.Runs, text.Plural(i.Runs, "run", "runs")),
		Passed("schema", "version %d", i.Schema),
		Passed("integrity", "no damage found"),
		Passed("journal", "write-ahead log"),
	}
	if i.Schema < i.Known {
		checks[1] = Passed("schema", "version %d; the next run takes it to %d", i.Schema, i.Known)
	}
	if i.Damage != "" {
		checks[2] = Failed("integrity", "restore a copy, or choose another file (agent --db PATH, or AGENT_DB)", "the file is damaged: %s", i.Damage)
	}
	if i.Journal != "wal" && i.Schema > 0 {
		checks[3] = Warned("journal", "close programs that have it open, and run: agent list", "mode %s, not the write-ahead log", i.Journal)
	}
	return checks
}

// directoryCheck makes a database for a moment where this one lies or will lie.
func directoryCheck(ctx context.Context, dir string) Check {
	for !file.Exists(dir) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	if err := runstore.TryDir(ctx, dir); err != nil {
		reason, hint := storeWords(err)
		return Failed("directory", hint, "a database does not work in %s: %s", dir, reason)
	}
	return Passed("directory", "files, locks and the write-ahead log work in %s", dir)
}

// storeWords are the reason and the remedy of a store's fault.
func storeWords(err error) (reason, hint string) {
	var e *runstore.Error
	if errors.As(err, &e) {
		return e.Reason, e.Hint
	}
	return err.Error(), ""
}

// sizeWords is a size in bytes as people say it.
func sizeWords(bytes int64) string {
	const kib = 1 << 10
	switch {
	case bytes >= kib*kib:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/kib/kib)
	case bytes >= kib:
		return fmt.Sprintf("%d KiB", bytes/kib)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
