package runfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/runfile"
)

const id = "01939f3c-2a00-7000-8000-000000000001"

func sample() runfile.Run {
	at := time.Date(2026, 11, 30, 10, 0, 0, 123, time.UTC)
	r := runfile.Run{ID: id, ExportedAt: at.Add(time.Hour), Blobs: [][]byte{[]byte("# Plan\n"), {}}}
	for i, p := range []string{`{"prompt":"Do <it> & more","mode":"plan","model":"demo"}`, `{"mode":"plan","model":"script:/home/ann/x.yaml"}`,
		`{"text":"I say.","toolCalls":[{"id":"c","name":"shell","args":{"command":"cat secret.txt","n":3}}]}`} {
		types := []agent.EventType{agent.Start, agent.StepStart, agent.ModelMessage}
		r.Events = append(r.Events, agent.Event{Seq: int64(i + 1), At: at, Type: types[i], RunID: id, From: agent.From, Payload: json.RawMessage(p)})
	}
	return r
}

func written(t testing.TB, r runfile.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := runfile.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRead_GivesBackWhatWasWritten(t *testing.T) {
	t.Parallel()
	want, text := sample(), written(t, sample())
	got, err := runfile.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got.Digest, "sha256:") || !runfile.Begins([]byte(text)) {
		t.Errorf("digest %q", got.Digest)
	}
	want.Digest = got.Digest
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRead_Refuses holds that nothing but a whole, unchanged file of this
// version is read.
func TestRead_Refuses(t *testing.T) {
	t.Parallel()
	whole := written(t, sample())
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	swap := func(a, b string) string {
		if !strings.Contains(whole, a) {
			t.Fatalf("no %q in %s", a, whole)
		}
		return strings.Replace(whole, a, b, 1)
	}
	other := func(change func(*runfile.Run)) string {
		r := sample()
		change(&r)
		return written(t, r)
	}
	for name, c := range map[string]struct{ text, want string }{
		"nothing":          {"", "not the export of a run"},
		"no JSON":          {"turns: []\n", "not the export of a run"},
		"another format":   {`{"format":"x","version":1}` + "\n", "not the export"},
		"another version":  {swap(`"version":1`, `"version":7`), "line 1: it has version 7, this program knows version 1"},
		"unknown key":      {swap(`"redacted":false`, `"redacted":false,"more":1`), `line 1: json: unknown field "more"`},
		"no records":       {other(func(r *runfile.Run) { r.Events = nil }), "0 records"},
		"many records":     {swap(`"records":3`, `"records":2000000`), "2000000 records"},
		"a text changed":   {swap("I say.", "I lie."), "the file was changed"},
		"a seq changed":    {swap(`"seq":2`, `"seq":4`), "line 3: record 4 where 2 is expected"},
		"a record twice":   {lines[0] + lines[1] + lines[1], "line 3: record 1 where 2 is expected"},
		"another run's":    {swap(`"type":"step-start","runId":"01939f3c`, `"type":"step-start","runId":"01939f3d`), "a record of another run"},
		"a record more":    {swap(`"records":3`, `"records":2`), "line 4: more records than the header says"},
		"a record less":    {strings.Join(append(append([]string{}, lines[:3]...), lines[4:]...), ""), "2 records and 2 blobs, the header says 3 and 2"},
		"a blob changed":   {swap(`"data":"IyBQbGFuCg=="`, `"data":"IyBQbGFuCQ=="`), "holds something else"},
		"a blob's size":    {swap(`"size":7`, `"size":70`), "has 7 bytes, not 70"},
		"a blob twice":     {other(func(r *runfile.Run) { r.Blobs = append(r.Blobs, r.Blobs[0]) }), "a second time"},
		"records behind":   {lines[0] + lines[4] + lines[1], "a record behind a blob"},
		"cut":              {strings.Join(lines[:4], ""), "line 5: the file ends early"},
		"cut in a line":    {whole[:len(whole)-40], "line 7:"},
		"more behind":      {whole + "{}\n", "something behind the end"},
		"unknown line":     {lines[0] + "{}\n", "line 2: neither a record"},
		"two in one":       {lines[0] + `{"end":{"digest":"x"},"blob":{"digest":"x","size":0,"data":""}}` + "\n", "neither a record"},
		"payload no JSON":  {other(func(r *runfile.Run) { r.Events[1].Payload = json.RawMessage(`[1]`) }), "the payload of record 2 is no object"},
		"deep":             {lines[0] + `{"record":` + strings.Repeat("[", 100_000) + "\n", "line 2:"},
		"two objects":      {lines[0] + strings.TrimSpace(lines[1]) + "{}\n", "more than one object"},
		"a negative count": {swap(`"blobs":2`, `"blobs":-2`), "-2 blobs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := runfile.Read(strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestWrite_RefusesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	many, long := sample(), sample()
	for i := range 100_001 {
		many.Blobs = append(many.Blobs, strconv.AppendInt(nil, int64(i), 10))
	}
	long.Blobs = append(long.Blobs, make([]byte, 48<<20))
	for name, r := range map[string]runfile.Run{"blobs": many, "line": long} {
		if err := runfile.Write(io.Discard, r); err == nil || !strings.Contains(err.Error(), "can be read again") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRedact_TakesTextsOut(t *testing.T) {
	t.Parallel()
	r, err := runfile.Redact(sample())
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, r)
	for _, gone := range []string{"Do ", "I say", "secret.txt", "cat", "/home/ann", "Plan"} {
		if strings.Contains(text, gone) {
			t.Errorf("%q is still there:\n%s", gone, text)
		}
	}
	for _, kept := range []string{`"redacted":true`, `"blobs":0`, `"mode":"plan"`, `"model":"demo"`, `"name":"shell"`, `"command":"[14 characters]"`, `"n":3`, `"text":"[6 characters]"`} {
		if !strings.Contains(text, kept) {
			t.Errorf("%q is not there:\n%s", kept, text)
		}
	}
}

func TestRedact_IsNotTricked(t *testing.T) {
	t.Parallel()
	r := sample()
	r.Events[2].Payload = json.RawMessage(`{"text":"[my secret characters]","mode":"my secret words","result":{"details":{"status":"secret","id":"secret"}},"answer":["secret"]}`)
	out, err := runfile.Redact(r)
	if err != nil {
		t.Fatal(err)
	}
	if text := written(t, out); strings.Contains(text, "secret") {
		t.Error(text)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, sample()))
	f.Add(fmt.Sprintf(`{"format":%q,"version":1,"runId":%q,"records":1}`+"\n", runfile.Format, id))
	f.Fuzz(func(t *testing.T, text string) {
		r, err := runfile.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		again, err := runfile.Read(strings.NewReader(written(t, r)))
		if err != nil {
			t.Fatalf("what was read cannot be written and read: %v", err)
		}
		again.Digest = r.Digest
		if len(again.Events) != len(r.Events) || len(again.Blobs) != len(r.Blobs) {
			t.Error("it is another run")
		}
	})
}
