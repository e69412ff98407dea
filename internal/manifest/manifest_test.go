package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// tree is a directory that tests change.
type tree struct {
	t   testing.TB
	dir string
}

func newTree(t testing.TB) tree { return tree{t, t.TempDir()} }

func (tr tree) path(rel string) string { return filepath.Join(tr.dir, filepath.FromSlash(rel)) }

func (tr tree) write(rel, content string) {
	tr.t.Helper()
	tr.must(os.MkdirAll(filepath.Dir(tr.path(rel)), 0o755))
	tr.must(os.WriteFile(tr.path(rel), []byte(content), 0o644))
}

func (tr tree) must(err error) {
	tr.t.Helper()
	if err != nil {
		tr.t.Fatal(err)
	}
}

func (tr tree) take(o Options) *Manifest {
	tr.t.Helper()
	m, err := Take(tr.t.Context(), tr.dir, o)
	tr.must(err)
	return m
}

func names(diffs []Difference) string {
	var list []string
	for _, d := range diffs {
		list = append(list, string(d.Kind)+" "+d.Path)
	}
	return strings.Join(list, ", ")
}

// Each way to change a tree is told, and nothing else.
func TestCompare_TellsEachChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(tr tree)
		want   string
	}{
		"nothing":       {func(tree) {}, ""},
		"read":          {func(tr tree) { _, err := os.ReadFile(tr.path("a")); tr.must(err) }, ""},
		"new file":      {func(tr tree) { tr.write("d/new", "x") }, "added d/new"},
		"new directory": {func(tr tree) { tr.must(os.Mkdir(tr.path("e"), 0o755)) }, "added e"},
		"removed":       {func(tr tree) { tr.must(os.Remove(tr.path("a"))) }, "removed a"},
		"longer":        {func(tr tree) { tr.write("a", "longer") }, "changed a"},
		"same size":     {func(tr tree) { tr.write("a", "b") }, "touched a"},
		"mode":          {func(tr tree) { tr.must(os.Chmod(tr.path("a"), 0o600)) }, "mode a"},
		"directory mode": {func(tr tree) {
			tr.must(os.Chmod(tr.path("d"), 0o700))
		}, "mode d"},
		"renamed": {func(tr tree) { tr.must(os.Rename(tr.path("a"), tr.path("z"))) }, "removed a, added z"},
		"replaced by a link": {func(tr tree) {
			tr.must(os.Remove(tr.path("a")))
			tr.must(os.Symlink("d/b", tr.path("a")))
		}, "changed a"},
		"link elsewhere": {func(tr tree) {
			tr.must(os.Remove(tr.path("link")))
			tr.must(os.Symlink("d/b", tr.path("link")))
		}, "changed link"},
		"commit":        {func(tr tree) { tr.write(".git/refs/heads/main", "2") }, "touched .git/refs/heads/main"},
		"hook":          {func(tr tree) { tr.write(".git/hooks/pre-commit", "x") }, "added .git/hooks/pre-commit"},
		"git's own":     {func(tr tree) { tr.write(".git/index", "x"); tr.write(".git/objects/ab/cd", "x") }, ""},
		"ignored file":  {func(tr tree) { tr.write("node_modules/x/y", "x") }, "added node_modules/x/y"},
		"skipped":       {func(tr tree) { tr.write("skipped/a", "longer") }, ""},
		"made and gone": {func(tr tree) { tr.write("d/t", "x"); tr.must(os.Remove(tr.path("d/t"))) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t)
			for _, f := range []string{"a", "d/b", ".git/HEAD", ".git/refs/heads/main", ".git/hooks/x", "node_modules/x/z", "skipped/a"} {
				tr.write(f, "1")
			}
			tr.must(os.Symlink("a", tr.path("link")))
			skip := func(abs string) bool { return abs == tr.path("skipped") }
			before := tr.take(Options{Skip: skip})
			c.change(tr)
			after := tr.take(Options{Previous: before, Skip: skip})
			if got := names(Compare(before, after)); got != c.want {
				t.Errorf("differences %q, want %q", got, c.want)
			}
			if same := Digest(before.Text()) == Digest(after.Text()); same != (c.want == "") {
				t.Errorf("digests equal: %t", same)
			}
		})
	}
}

// Another content of the same size with its time set back is still seen: what
// the system itself notes cannot be set.
func TestCompare_SeesThroughForgedTimes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the system keeps no time of change")
	}
	tr := newTree(t)
	tr.write("a", "1")
	before := tr.take(Options{})
	info, err := os.Stat(tr.path("a"))
	tr.must(err)
	for { // the kernel's clock of files ticks slowly
		tr.write("a", "2")
		tr.must(os.Chtimes(tr.path("a"), time.Time{}, info.ModTime()))
		if after := tr.take(Options{Previous: before}); len(Compare(before, after)) > 0 {
			break
		}
	}
	if got := names(Compare(before, tr.take(Options{Previous: before}))); got != "touched a" {
		t.Errorf("differences %q", got)
	}
}

// Once a content was read, writing the same again is no difference, and another
// one is.
func TestCompare_KnowsContentsItRead(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("a", "old")
	first := tr.take(Options{})
	tr.write("a", "new1")
	second := tr.take(Options{Previous: first})
	if second.Entries[0].Sum != sumOf([]byte("new1")) {
		t.Fatalf("sum %q", second.Entries[0].Sum)
	}
	tr.must(os.Chtimes(tr.path("a"), time.Time{}, time.Unix(1, 0)))
	third := tr.take(Options{Previous: second})
	if got := names(Compare(second, third)); got != "" {
		t.Errorf("touched without a change: %q", got)
	}
	tr.write("a", "new2")
	if got := names(Compare(third, tr.take(Options{Previous: third}))); got != "changed a" {
		t.Errorf("differences %q", got)
	}
}

// Nothing outside is looked at, nothing blocks, nothing unreadable ends a look.
func TestTake_OddTrees(t *testing.T) {
	t.Parallel()
	outside := newTree(t)
	outside.write("secret", "x")
	tr := newTree(t)
	tr.must(os.Symlink(outside.dir, tr.path("out")))
	tr.must(os.Symlink(".", tr.path("loop")))
	tr.write("closed/x", "x")
	tr.must(os.Chmod(tr.path("closed"), 0))
	t.Cleanup(func() { _ = os.Chmod(tr.path("closed"), 0o755) })
	for _, name := range []string{"new\nline", `"quoted"`, "ümlaut", "- gone", "\xff\xfe"} {
		if os.WriteFile(tr.path(name), nil, 0o644) != nil && name != "\xff\xfe" { // some systems want UTF-8
			t.Fatalf("cannot write %q", name)
		}
	}
	m := tr.take(Options{Previous: &Manifest{}})
	for _, e := range m.Entries {
		if strings.HasPrefix(e.Path, "out/") || strings.HasPrefix(e.Path, "loop/") {
			t.Errorf("followed a link to %s", e.Path)
		}
	}
	kept, err := m.Keep(nil)
	tr.must(err)
	back, err := Read(kept.Data, nil)
	if err != nil || !slices.Equal(back.Entries, m.Entries) {
		t.Errorf("decoded %v, %v", back, err)
	}
	if _, err := Take(t.Context(), tr.path("none"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	if _, err := Take(t.Context(), tr.dir, Options{Limit: 3}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too many: %v", err)
	}
}

// Whatever became of a tree, its manifest comes back as it was stored, also as
// a difference to an earlier one.
func TestKeep_ComesBack(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		base, m := &Manifest{}, &Manifest{}
		for i := range rnd.IntN(60) {
			e := Entry{Path: fmt.Sprintf("%03d é", i), Mode: fs.FileMode(rnd.Uint32N(0o777)), Size: rnd.Int64N(9), MTime: -rnd.Int64N(9), CTime: rnd.Int64(), Inode: rnd.Uint64()}
			if rnd.IntN(3) == 0 {
				e.Sum = sumOf([]byte(e.Path))
			}
			if rnd.IntN(8) > 0 {
				base.Entries = append(base.Entries, e)
			}
			if rnd.IntN(8) == 0 {
				e.Size++
			}
			if rnd.IntN(8) > 0 {
				m.Entries = append(m.Entries, e)
			}
		}
		whole, err := base.Keep(nil)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := m.Keep(whole)
		if err != nil {
			t.Fatal(err)
		}
		load := func(digest string) ([]byte, error) {
			if digest != Digest(whole.Data) {
				t.Errorf("asked for %s", digest)
			}
			return whole.Data, nil
		}
		got, err := Read(kept.Data, load)
		if err != nil || !slices.Equal(got.Entries, m.Entries) {
			t.Fatalf("got %v, %v, want %v", got, err, m)
		}
		if again, err := m.Keep(got); err != nil || again != got {
			t.Fatalf("kept twice: %v, %v", again, err)
		}
	}
}

func FuzzApply(f *testing.F) {
	m := &Manifest{Entries: []Entry{{Path: "a", Mode: 0o644, Size: 1}, {Path: "b\n", Sum: sumOf(nil)}}}
	f.Add(string(m.Text()))
	f.Add("- a\n- \"b\\n\"\n")
	f.Fuzz(func(t *testing.T, body string) {
		got, err := m.apply(body)
		if err != nil {
			return
		}
		if _, err := (&Manifest{}).apply(string(got.Text())); err != nil {
			t.Errorf("%q does not read its own text: %v", body, err)
		}
	})
}

func benchTree(b *testing.B, files int) tree {
	tr := newTree(b)
	for i := range files {
		tr.write(fmt.Sprintf("pkg%03d/sub%d/file%05d.go", i/100, i%5, i), "package x\n")
	}
	return tr
}

// BenchmarkTake looks at a tree of which nothing, or a few files, changed since
// the manifest before, and makes what is stored of it. The least is what a
// machine that does nothing else takes.
func BenchmarkTake(b *testing.B) {
	for _, files := range []int{500, 20_000} {
		tr := benchTree(b, files)
		kept, err := tr.take(Options{}).Keep(nil)
		tr.must(err)
		for i := range 5 {
			tr.write(fmt.Sprintf("pkg000/sub%d/file%05d.go", i, i), "package y\n")
		}
		look := func(previous *Kept) {
			o := Options{}
			if previous != nil {
				o.Previous = previous.Manifest
			}
			m := tr.take(o)
			_ = Digest(m.Text())
			_, err := m.Keep(previous)
			tr.must(err)
		}
		least(b, fmt.Sprintf("%d files/first", files), func() { look(nil) })
		least(b, fmt.Sprintf("%d files/next", files), func() { look(kept) })
		least(b, fmt.Sprintf("%d files/floor: filepath.WalkDir and Lstat", files), func() {
			tr.must(filepath.WalkDir(tr.dir, func(_ string, e fs.DirEntry, err error) error {
				if err == nil {
					_, err = e.Info()
				}
				return err
			}))
		})
	}
}

// least runs a benchmark and reports its fastest round beside the mean.
func least(b *testing.B, name string, do func()) {
	b.Run(name, func(b *testing.B) {
		best := time.Hour
		for b.Loop() {
			began := time.Now()
			do()
			best = min(best, time.Since(began))
		}
		b.ReportMetric(float64(best.Microseconds())/1000, "least-ms")
	})
}

// What is taken of a file is what package os tells of it, whatever its kind.
func TestTake_AgreesWithOS(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	for _, mode := range []fs.FileMode{0o644, 0o755, 0o600, fs.ModeSetuid | 0o755, fs.ModeSetgid | 0o755, fs.ModeSticky | 0o777} {
		name := strings.ReplaceAll(mode.String(), "-", "_")
		tr.write(name, "x")
		tr.must(os.Chmod(tr.path(name), mode))
	}
	tr.must(os.Symlink("nowhere", tr.path("link")))
	tr.must(os.Mkdir(tr.path("dir"), 0o711))
	m := tr.take(Options{})
	if len(m.Entries) != 8 {
		t.Fatalf("%d entries", len(m.Entries))
	}
	for _, e := range m.Entries {
		info, err := os.Lstat(tr.path(e.Path))
		tr.must(err)
		e.Sum = ""
		if want := entryOf(e.Path, info); e != want {
			t.Errorf("took %+v, want %+v", e, want)
		}
	}
}
