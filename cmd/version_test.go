package cmd

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionOf(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.time", Value: "2026-11-30T23:59:00-05:00"}, {Key: "vcs.modified", Value: "true"},
	}}
	if got := versionOf(info).String(); !strings.HasPrefix(got, "agent v1.2.3 (commit 0123456789ab of 2026-12-01, modified) go1.") {
		t.Error(got)
	}
	if got := versionOf(&debug.BuildInfo{}).String(); !strings.HasPrefix(got, "agent (devel) go1.") {
		t.Error(got)
	}
}
