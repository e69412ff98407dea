//go:build unix

package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestShell_NamesASecret(t *testing.T) {
	t.Parallel()
	for command, word := range map[string]string{
		"cat .env":                             ".env",
		"cat ./sub/../.env":                    "./sub/../.env",
		"cat '.env'|wc":                        ".env",
		`cat ".env"`:                           ".env",
		"set -a; . .env; run":                  ".env",
		"node --env-file=.env x.js":            ".env",
		"cat .env.example >.env":               ".env",
		"cat link":                             "link",
		"cat WORKSPACE/.env":                   "WORKSPACE/.env",
		"cat ~/.ssh/id":                        "~/.ssh/id",
		"cat $HOME/.ssh/id":                    "WORKSPACE/home/.ssh/id",
		`cat "${HOME}/.ssh/id"`:                "WORKSPACE/home/.ssh/id",
		"echo x >>~/.ssh/authorized_keys":      "~/.ssh/authorized_keys",
		"cat prod.pem":                         "prod.pem",
		"cat /proc/self/environ":               "/proc/self/environ",
		"cat a\\ b.pem":                        "a b.pem",
		"true .env.example":                    "",
		"true '.env is read at start'":         "",
		"true .env.none x.pem ~/.aws/none":     "",
		"true sub/x":                           "",
		"true ../home/.ssh":                    "",
		"true process.env.HOME; true / . .. -": "",
		"true $(echo .e)nv":                    "",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			for _, name := range []string{".env", ".env.example", "prod.pem", "a b.pem", "sub/x", "home/.ssh/id"} {
				h.write(name, "marker\n")
			}
			h.link(".env", "link")
			tool := Shell(ShellConfig{
				Environ: []string{"PATH=" + os.Getenv("PATH")}, Closed: Closed{Home: filepath.Join(h.dir, "home"), Secrets: []string{"*.pem"}},
			})
			args := shellArgs(strings.ReplaceAll(command, "WORKSPACE", h.dir))
			if word == "" {
				h.ok(tool, args)
				return
			}
			h.refused(tool, args, "the command names "+strings.ReplaceAll(word, "WORKSPACE", h.dir)+",", "closed to all tools")
		})
	}
}
