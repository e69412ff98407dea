package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSeatbeltProfile(t *testing.T) {
	t.Parallel()
	private := private{temp: "/Users/ann/Library/Caches/agent/1/tmp/run", caches: "/Users/ann/Library/Caches/agent/1/cache"}
	for name, p := range map[string]policy{
		"read-only": {readOnly: true, private: private, hide: []string{"/Users/ann/.ssh"}, mask: []string{`/Users/ann/a "b"/.env`}},
		"build": {
			private: private, write: []string{"/Users/ann/app"}, pinned: []string{"/Users/ann/app/.git", "/Users/ann/app/.mastracode"},
			protect: []string{"/Users/ann/app/.git/config", "/Users/ann/app/.git/hooks", "/Users/ann/app/.mastracode/config.toml"},
			hide:    []string{"/Users/ann/.ssh"},
		},
		"build-network": {private: private, write: []string{"/Users/ann/app"}, network: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := seatbeltProfile(p)
			file := filepath.Join("testdata", "seatbelt", name+".sb")
			want, err := os.ReadFile(file)
			if err != nil || string(want) != got {
				t.Errorf("%v; the profile is\n%s", err, got)
			}
		})
	}
}
