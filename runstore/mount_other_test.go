//go:build !linux

package runstore_test

import (
	"context"
	"fmt"
)

func otherRole(_ context.Context, role, _ string) error { return fmt.Errorf("no role %q", role) }
