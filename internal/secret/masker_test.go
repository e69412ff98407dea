package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFromEnviron_Names(t *testing.T) {
	t.Parallel()
	const value = "value-0123456789"
	for name, want := range map[string]bool{
		"OPENAI_API_KEY": true, "my_token": true, "TheSecret": true, "DB_PASSWORD": true, "SSH_KEY_PATH": true, "MONKEY": true, "AGENT_API_KEY": true,
		"HOME": false, "PASSWD": false, "CREDENTIAL": false, "PASS": false, "MY_LLM": false, "EXTRA": true, "extra": true, "": false,
	} {
		m := FromEnviron([]string{name + "=" + value}, []string{"Extra"})
		if got := m.MaskString("a " + value + " b"); (got != "a "+value+" b") != want || want && got != "a [secret "+name+"] b" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestMasker_Mask(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what    string
		environ []string
		text    string
		want    string
	}{
		{"several", []string{"A_KEY=abcdefgh", "B_KEY=ijklmnop"}, "abcdefghijklmnop, abcdefgh", "[secret A_KEY][secret B_KEY], [secret A_KEY]"},
		{"seven bytes", []string{"A_KEY=abcdefg"}, "abcdefg", "abcdefg"},
		{"bytes, not letters", []string{"A_KEY=äöüß"}, "äöüß", "[secret A_KEY]"},
		{"at both ends", []string{"A_KEY=abcdefgh"}, "abcdefgh\nabcdefgh", "[secret A_KEY]\n[secret A_KEY]"},
		{"part of a word", []string{"A_KEY=abcdefgh"}, "xabcdefghy", "x[secret A_KEY]y"},
		{"nearly", []string{"A_KEY=abcdefgh"}, "abcdefg habcdefgabcdefg", "abcdefg habcdefgabcdefg"},
		{"short text", []string{"A_KEY=abcdefgh"}, "abc", "abc"},
		{"no text", []string{"A_KEY=abcdefgh"}, "", ""},
		{"one begins another", []string{"A_KEY=abcdefgh", "B_KEY=abcdefgh12"}, "abcdefgh1 abcdefgh12", "[secret A_KEY]1 [secret B_KEY]"},
		{"one inside another", []string{"A_KEY=cdefghij", "B_KEY=abcdefghijkl"}, "abcdefghijkl cdefghij", "[secret B_KEY] [secret A_KEY]"},
		{"overlapping", []string{"A_KEY=abcdefghij", "B_KEY=ghijklmnop"}, "-abcdefghijklmnop-", "-[secret A_KEY][secret B_KEY]-"},
		{"the longer begins later", []string{"A_KEY=abcdefgh", "B_KEY=hijklmnopqrstuvwxyz"}, "abcdefghijklmnopqrstuvwxyz", "[secret A_KEY][secret B_KEY]"},
		{"overlapping itself", []string{"A_KEY=abababab"}, "abababababab.", "[secret A_KEY]."},
		{"one value, two names", []string{"Z_KEY=abcdefgh", "B_KEY=abcdefgh", "C_KEY=abcdefgh"}, "abcdefgh", "[secret B_KEY]"},
		{"one name, two values", []string{"A_KEY=abcdefgh", "A_KEY=ijklmnop"}, "abcdefgh ijklmnop", "[secret A_KEY] [secret A_KEY]"},
		{"equal sign in the value", []string{"A_KEY=abc=defgh=="}, "abc=defgh==", "[secret A_KEY]"},
		{"white space around", []string{"A_KEY= abcdefgh\n"}, "x abcdefgh\ny", "x [secret A_KEY]\ny"},
		{"blank value", []string{"A_KEY=            "}, "                    x", "                    x"},
		{"no value", []string{"A_KEY", "B_KEY="}, "A_KEY B_KEY", "A_KEY B_KEY"},
		{"strange name", []string{"A\"KEY]\n=abcdefgh"}, "abcdefgh", "[secret A_KEY__]"},
		{"mark holds a value", []string{"A_KEY=abcdefgh", "ABCDEFGH_KEY=ABCDEFGH_KEY"}, "ABCDEFGH_KEY", "[secret ABCDEFGH_KEY]"},
		{"broken UTF-8", []string{"A_KEY=abcdefgh\xff\xfe"}, "abcdefgh\xff\xfe abcdefgh\ufffd", "[secret A_KEY] [secret A_KEY]"},
		{"path", []string{"SSH_KEY_PATH=/root/.ssh/id"}, "cat /root/.ssh/id.pub", "cat [secret SSH_KEY_PATH].pub"},
		{"in JSON", []string{`A_KEY=a"b\c<d>&e`}, `{"x":"a\"b\\c<d>&e","y":"a\"b\\c\u003cd\u003e\u0026e"}`, `{"x":"[secret A_KEY]","y":"[secret A_KEY]"}`},
		{"not coded", []string{"A_KEY=abcdefgh"}, "YWJjZGVmZ2g= %61bcdefgh", "YWJjZGVmZ2g= %61bcdefgh"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			m := FromEnviron(c.environ, nil)
			if got := string(m.Mask([]byte(c.text))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := m.MaskString(c.text); got != c.want {
				t.Errorf("as a string %q, want %q", got, c.want)
			}
		})
	}
}

func TestMasker_LinesOfAKey(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("Ab0+", 16)
	m := FromEnviron([]string{"SSH_PRIVATE_KEY=-----BEGIN OPENSSH PRIVATE KEY-----\n" + line + "\r\nc2hvcnQ=\n-----END OPENSSH PRIVATE KEY-----\n"}, nil)
	got := m.MaskString("1\t-----BEGIN OPENSSH PRIVATE KEY-----\n2\t" + line + "\n")
	if want := "1\t-----BEGIN OPENSSH PRIVATE KEY-----\n2\t[secret SSH_PRIVATE_KEY]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMasker_NothingToDo(t *testing.T) {
	t.Parallel()
	var none *Masker
	for what, m := range map[string]*Masker{"nil": none, "zero": {}, "no secrets": FromEnviron([]string{"HOME=/home/ann"}, nil), "no match": FromEnviron([]string{"A_KEY=abcdefgh"}, nil)} {
		for _, text := range []string{"", "x", `{"a":"b\n"}`, strings.Repeat("x", 100)} {
			data := []byte(text)
			for _, got := range [][]byte{m.Mask(data), m.MaskJSON(data)} {
				if string(got) != text || len(data) > 0 && &got[0] != &data[0] {
					t.Errorf("%s: %q became %q, or a copy", what, text, got)
				}
			}
			s := m.Stream()
			if got := m.MaskString(text) + s.Next(text) + s.Flush(); got != text+text {
				t.Errorf("%s: %q became %q", what, text, got)
			}
		}
	}
}

func TestMasker_MaskLeavesItsInput(t *testing.T) {
	t.Parallel()
	m := FromEnviron([]string{"A_KEY=abcdefgh"}, nil)
	text := []byte(`"x abcdefgh y"`)
	for _, got := range [][]byte{m.Mask(text), m.MaskJSON(text)} {
		if string(got) != `"x [secret A_KEY] y"` || string(text) != `"x abcdefgh y"` {
			t.Errorf("got %q, the input is %q", got, text)
		}
	}
}

func TestMasker_MaskJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, value, doc, want string }{
		{"plain", "abcdefgh", `{"abcdefgh":["x abcdefgh"]}`, `{"[secret A_KEY]":["x [secret A_KEY]"]}`},
		{"other escapes", "abc/defgh", `{"a":"\u0061bc\/def\u0067h","b":"\n"}`, `{"a":"[secret A_KEY]","b":"\n"}`},
		{"begins like an escape", "nabcdefgh", `{"a":"\nabcdefgh"}`, `{"a":"\nabcdefgh"}`},
		{"ends in a backslash", `abcdefgh\`, `{"a":"abcdefgh\"","b":"abcdefgh\\"}`, `{"a":"abcdefgh\"","b":"[secret A_KEY]"}`},
		{"number", "1234567890", `{"a":1234567890,"b":"1234567890"}`, `{"a":1234567890,"b":"[secret A_KEY]"}`},
		{"over the edge of a string", `":"abcdefgh`, `{"a":"abcdefgh"}`, `{"a":"abcdefgh"}`},
		{"JSON in JSON", `a"b\c<d>`, `{"a":"{\"x\":\"a\\\"b\\\\c<d>\"}"}`, `{"a":"{\"x\":\"[secret A_KEY]\"}"}`},
		{"no JSON", "abcdefgh", `abcdefgh "abcdefgh`, `[secret A_KEY] "[secret A_KEY]`},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			got := string(FromEnviron([]string{"A_KEY=" + c.value}, nil).MaskJSON([]byte(c.doc)))
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// secrets draws an environment over a small alphabet, so that values overlap.
func secrets(rt *rapid.T) (environ, values []string) {
	values = rapid.SliceOfN(rapid.StringMatching(`[ab<"\\]{8,12}`), 1, 4).Draw(rt, "values")
	for i, v := range values {
		environ = append(environ, fmt.Sprintf("N%d_KEY=%s", i, v))
	}
	return environ, values
}

func text(rt *rapid.T, values []string) string {
	part := rapid.OneOf(rapid.SampledFrom(values), rapid.StringMatching(`[ab<"\\]{0,9}`))
	return strings.Join(rapid.SliceOfN(part, 0, 8).Draw(rt, "parts"), "")
}

// What a text is cut into does not matter, and no value is left.
func TestStream_LikeMask(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		environ, values := secrets(rt)
		m, whole := FromEnviron(environ, nil), text(rt, values)
		want := m.MaskString(whole)
		for _, v := range values {
			if strings.Contains(want, v) {
				rt.Fatalf("%q of %q holds %q", want, whole, v)
			}
		}
		s := m.Stream()
		for range 2 { // a stream can be used again
			var got strings.Builder
			for rest := whole; rest != ""; {
				n := rapid.IntRange(1, len(rest)).Draw(rt, "piece")
				got.WriteString(s.Next(rest[:n]))
				rest = rest[n:]
				if len(s.pending) >= m.longest {
					rt.Fatalf("%d bytes held back", len(s.pending))
				}
			}
			got.WriteString(s.Flush())
			if got.String() != want {
				rt.Fatalf("in pieces %q, at once %q", got.String(), want)
			}
		}
	})
}

// Masking before and after encoding comes to the same, and the result is JSON.
func TestMasker_MaskJSON_LikeMask(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		environ, values := secrets(rt)
		m, whole := FromEnviron(environ, nil), text(rt, values)
		doc, err := json.Marshal(map[string]string{"x": whole})
		if err != nil {
			rt.Fatal(err)
		}
		var got map[string]string
		if err := json.Unmarshal(m.MaskJSON(doc), &got); err != nil {
			rt.Fatalf("%s: %v", m.MaskJSON(doc), err)
		}
		if want := m.MaskString(whole); got["x"] != want {
			rt.Fatalf("got %q, want %q", got["x"], want)
		}
	})
}

func TestStream_HoldsBackLittle(t *testing.T) {
	t.Parallel()
	s := FromEnviron([]string{"A_KEY=abcdefgh"}, nil).Stream()
	for i, c := range [][2]string{
		{"hello ", "hello "}, {"abc", ""}, {"xabcdefg", "abcx"}, {"h ", "[secret A_KEY] "}, {"abcdefgh", "[secret A_KEY]"}, {"ab", ""},
	} {
		if got := s.Next(c[0]); got != c[1] {
			t.Errorf("piece %d: %q, want %q", i, got, c[1])
		}
	}
	if got := s.Flush() + s.Flush(); got != "ab" {
		t.Errorf("flushed %q", got)
	}
}

func benchmarkMasker() (m *Masker, quiet []byte) {
	var environ []string
	for i := range 20 {
		environ = append(environ, fmt.Sprintf("N%d_KEY=sk-live-%02d-%s", i, i, strings.Repeat("aB3<", 8)))
	}
	quiet = bytes.Repeat([]byte("func (m *Masker) find(data []byte, from int) { return \"sk-live-\" } // the key is there\n"), 13000)
	return FromEnviron(environ, nil), quiet[:1<<20]
}

func BenchmarkMasker_Mask(b *testing.B) {
	m, data := benchmarkMasker()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if got := m.Mask(data); len(got) != len(data) {
			b.Fatal("masked")
		}
	}
}

func BenchmarkMasker_MaskJSON(b *testing.B) {
	m, data := benchmarkMasker()
	doc, err := json.Marshal(map[string]string{"x": string(data)})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if got := m.MaskJSON(doc); len(got) != len(doc) {
			b.Fatal("masked")
		}
	}
}

func BenchmarkStream_Next(b *testing.B) {
	m, data := benchmarkMasker()
	s := m.Stream()
	for b.Loop() {
		s.Next(string(data[:24]))
	}
}

func BenchmarkFromEnviron(b *testing.B) {
	environ := []string{"HOME=/root", "OPENAI_API_KEY=sk-0123456789abcdef", "B_TOKEN=0123456789abcdef"}
	for b.Loop() {
		if FromEnviron(environ, nil).empty() {
			b.Fatal("empty")
		}
	}
}
