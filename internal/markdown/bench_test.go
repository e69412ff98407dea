package markdown

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// sections is a plan of n sections, as long as models write them.
func sections(n int) []byte {
	var b bytes.Buffer
	b.WriteString("# A plan\n\n")
	for i := range n {
		fmt.Fprintf(&b, "## Section %d\n\nChange `file%d.go` so that the **setting** is read first, see [the guide](https://example.com/%d). "+
			"Then write it back, and tell the person what was done.\n\n1. Read it\n2. Check it\n   - in the store\n   - on the disk\n3. Write it\n\n"+
			"```go\nfunc f%d() error { return nil }\n```\n\n| File | Lines |\n|---|--:|\n| a.go | 12 |\n| b.go | 7 |\n\n", i, i, i, i)
	}
	return b.Bytes()
}

func BenchmarkRender(b *testing.B) {
	plan, err := os.ReadFile("testdata/nihongo.md")
	if err != nil {
		b.Fatal(err)
	}
	for name, source := range map[string][]byte{
		"20 sections":   sections(20),
		"1 MB":          sections(2300),
		"1 MB Japanese": bytes.Repeat(plan, 1<<20/len(plan)),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			b.ReportAllocs()
			for b.Loop() {
				Render(source, Options{Width: 100, Color: true})
			}
		})
	}
}

// BenchmarkParse is the part of Render that is goldmark's.
func BenchmarkParse(b *testing.B) {
	source := sections(2300)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		if _, err := parse(source); err != nil {
			b.Fatal(err)
		}
	}
}
