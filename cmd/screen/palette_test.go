package screen

import "testing"

func TestPalette_paint(t *testing.T) {
	t.Parallel()
	if got := (Palette{On: true}).Bad("a\x1b[2Jb"); got != "\x1b[31mab\x1b[0m" {
		t.Errorf("painted %q", got)
	}
	if got := (Palette{}).Bad("a\x1b[2Jb"); got != "ab" {
		t.Errorf("without colour %q", got)
	}
}
