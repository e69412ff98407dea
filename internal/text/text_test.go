package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMark(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\n\ttext ✓ 👩‍💻":         "plain\n\ttext ✓ 👩‍💻",
		"a\u202eb":                    "a<U+202E>b",
		"zero\u200bwidth":             "zero<U+200B>width",
		"esc\x1b[31m":                 "esc<U+001B>[31m",
		"soft\u00adhyphen":            "soft<U+00AD>hyphen",
		"no-break\u00a0space":         "no-break\u00a0space",
		"filler\u3164, tag\U000e0041": "filler<U+3164>, tag<U+E0041>",
		"\ufeffmark":                  "<U+FEFF>mark",
		"a\r\nb\rc":                   "a\nb<U+000D>c",
		"bits\u200c\u200d\u200d":      "bits<U+200C><U+200D><U+200D>",
		"می\u200cخواهم":               "می\u200cخواهم",
		"می\u200c\u200dخ":             "می<U+200C><U+200D>خ",
		"bytes\ufe07\ufe0f":           "bytes<U+FE07><U+FE0F>",
		"❤\ufe0f ❤\ufe0f\ufe0e":       "❤\ufe0f ❤\ufe0f<U+FE0E>",
		"1\ufe0f\u20e3 1\ufe0f":       "1\ufe0f\u20e3 1<U+FE0F>",
		"🏳\ufe0f\u200d🌈 ℹ\ufe0f":      "🏳\ufe0f\u200d🌈 ℹ\ufe0f",
		"x\u034f\u180b\u17b4y":        "x<U+034F><U+180B><U+17B4>y",
	} {
		if got := Mark(in); got != want {
			t.Errorf("Mark(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWidth(t *testing.T) {
	t.Setenv("LANG", "ja_JP.UTF-8") // ambiguous characters must stay narrow
	for s, want := range map[string]int{"abc": 3, "界": 2, "│ •": 3, "é": 1, "e\u0301": 1, "": 0} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestTruncate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in    string
		width int
		want  string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"界界界", 5, "界界…"}, {"界界界", 4, "界…"},
		{"x", 0, ""}, {"x", -1, ""}, {"", 3, ""},
	}
	for _, tt := range tests {
		got := Truncate(tt.in, tt.width)
		if got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.width, got, tt.want)
		}
		if tt.width >= 0 && Width(got) > tt.width {
			t.Errorf("Truncate(%q, %d) takes %d cells", tt.in, tt.width, Width(got))
		}
	}
}

func TestPad(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"界": "界  ", "abcd": "abcd", "abcde": "abcde", "": "    "} {
		if got := Pad(in, 4); got != want {
			t.Errorf("Pad(%q, 4) = %q, want %q", in, got, want)
		}
	}
}

func TestShellQuote(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":         "plain",
		"a-b_c.d/e:f@g": "a-b_c.d/e:f@g",
		"":              "''",
		"two words":     "'two words'",
		"it's":          `'it'\''s'`,
		"<answer>":      "'<answer>'",
		"a;rm -rf ~":    "'a;rm -rf ~'",
		"~":             "'~'",
		"call#2":        "'call#2'",
		"=ls":           "'=ls'",
		"$(x)`y`":       "'$(x)`y`'",
	} {
		if got := shellQuote(in); got != want {
			t.Errorf("shellQuote(%q) = %s, want %s", in, got, want)
		}
	}
}

// TestShellJoin_roundTrip asks a real shell what it reads.
func TestShellJoin_roundTrip(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here")
	}
	words := []string{"a b", "it's", `back\slash`, "$HOME", "new\nline", "*", "", "-n", "!x", "é✓", `"`}
	out, err := exec.Command(sh, "-c", "printf '%s\\0' "+ShellJoin(words)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSuffix(string(out), "\x00"); got != strings.Join(words, "\x00") {
		t.Errorf("the shell read %q", got)
	}
}

func TestWriter(t *testing.T) {
	t.Parallel()
	t.Run("as it comes", func(t *testing.T) {
		t.Parallel()
		var b bytes.Buffer
		w := &Writer{W: &b}
		for _, s := range []string{"a\x1b[31mb", "::error::x\n"} {
			if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
		}
		if b.String() != "ab::error::x\n" {
			t.Errorf("wrote %q", b.String())
		}
	})
	t.Run("whole lines under GitHub Actions", func(t *testing.T) {
		t.Parallel()
		var b bytes.Buffer
		w := &Writer{W: &b, Actions: true}
		for _, s := range []string{"ok :", ": fine\n:", ":error::forged\n \t::warning::x\nin ##", "[debug]y\rz::\r::stop", "-commands::t"} {
			if _, err := w.Write([]byte(s)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		want := "ok :: fine\n: :error::forged\n \t: :warning::x\nin ## [debug]y\nz::\n: :stop-commands::t"
		if b.String() != want {
			t.Errorf("wrote %q\nwant  %q", b.String(), want)
		}
	})
	t.Run("a writer that fails", func(t *testing.T) {
		t.Parallel()
		if _, err := (&Writer{W: broken{}}).Write([]byte("x")); !errors.Is(err, errBroken) {
			t.Errorf("error %v", err)
		}
	})
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// FuzzNeutral proves that no line is a workflow command, however it is cut.
func FuzzNeutral(f *testing.F) {
	for _, s := range []string{"::error::x", " \n::x", "a##[b", "####[[", "\r::x", "\u00a0::x", "::::x"} {
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		var b bytes.Buffer
		w := &Writer{W: &b, Actions: true}
		at := 0
		if len(s) > 0 {
			at = ((cut % len(s)) + len(s)) % len(s)
		}
		_, _ = w.Write([]byte(s[:at]))
		_, _ = w.Write([]byte(s[at:]))
		_ = w.Flush()
		for _, line := range strings.Split(b.String(), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
				t.Fatalf("%q became the command %q", s, line)
			}
		}
	})
}

func TestJSON(t *testing.T) {
	t.Parallel()
	type value struct {
		Text string          `json:"text"`
		Raw  json.RawMessage `json:"raw"`
	}
	in := value{Text: "<a&b> \x1b[31m\x7f\u009b\u202e\U000e0041 ##[x] é", Raw: json.RawMessage("{\"k\":\"\u202e\u0085##[\"}")}
	got, err := JSON(in)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(strings.TrimSuffix(string(got), "\n"), obeyed) || strings.Contains(string(got), "##[") {
		t.Errorf("JSON = %s", got)
	}
	if !strings.Contains(string(got), "<a&b>") || strings.Count(string(got), "\n") != 1 {
		t.Errorf("JSON = %s", got)
	}
	var back value
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if back.Text != in.Text {
		t.Errorf("read back %q, want %q", back.Text, in.Text)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add("plain")
	f.Add("\u202e\U000e0041\x7f\u0085##[\\")
	f.Fuzz(func(t *testing.T, s string) {
		line, err := JSON(map[string]string{"s": s})
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if want := strings.ToValidUTF8(s, "\uFFFD"); utf8.ValidString(s) && back["s"] != want {
			t.Fatalf("read back %q, want %q", back["s"], want)
		}
	})
}
