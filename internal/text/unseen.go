package text

import "unicode"

// Unseen reports whether r shows nothing, or nothing sure: controls, formats,
// selectors, fillers, private and unassigned characters.
func Unseen(r rune) bool {
	switch {
	case r < ' ':
		return true
	case r < 0x7f, r >= 0xc0 && r < 0x300, r >= 0x3041 && r < 0x3097, r >= 0x30a0 && r < 0x3100, r >= 0x4e00 && r < 0xa000:
		return false // most of what is written
	case !unicode.IsGraphic(r):
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return r == 0x2800 || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Needed reports whether the unseen r has a use between prev and next: a joiner
// within a word of a script that has them or within an emoji, a selector of an
// emoji's style. Prev is 0 where the one before had none: rows of joiners and
// selectors carry hidden text.
func Needed(prev, r, next rune) bool {
	switch r {
	case 0x200c, 0x200d:
		return Joins(prev) && unicode.In(next, unicode.L, unicode.M) && !Unseen(next) ||
			r == 0x200d && (Pictograph(prev) || prev == 0xfe0f) && Pictograph(next)
	case 0xfe0e, 0xfe0f:
		return Pictograph(prev) || next == 0x20e3 && (prev >= '0' && prev <= '9' || prev == '#' || prev == '*')
	}
	return false
}

// Pictograph reports whether r may be an emoji.
func Pictograph(r rune) bool {
	switch r {
	case 0xa9, 0xae, 0x203c, 0x2049, 0x2139, 0x3030, 0x303d:
		return true
	}
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x203c && r <= 0x3299 && unicode.In(r, unicode.So, unicode.Sm, unicode.Sk)
}

// Joins reports whether r belongs to a script that is written with joiners.
func Joins(r rune) bool {
	return r >= 0x600 && unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
		unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}
