package tools

import (
	"errors"
	"io/fs"
	"testing"
)

func TestPlaced(t *testing.T) {
	t.Parallel()
	fault := &fs.PathError{Op: "mkdirat", Path: "plans", Err: fs.ErrPermission}
	if err := placed(".mastracode/plans", fault); err.Error() != ".mastracode/plans: permission denied" || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a fault of the system: %v", err)
	}
	if err := placed("docs", errNoDir); err.Error() != "docs "+errNoDir.Error() || !errors.Is(err, errNoDir) {
		t.Errorf("a fault of ours: %v", err)
	}
}
