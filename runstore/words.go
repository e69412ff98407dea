package runstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A search looks for any part of a text. The index knows texts by their words,
// and the words by groups of three letters: the words that a term is part of
// lead to the texts that may have it.

// fold is a text as searches compare it.
func fold(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.ToValidUTF8(s, "\uFFFD")), "\x00", " ")
}

// terms splits a search into the terms that must all occur.
func terms(search string) []string { return strings.Fields(fold(search)) }

// words splits a folded text into what stands together: letters and digits, or
// other signs. Scripts that put no space between words give their characters.
func words(s string) []string {
	var all []string
	from, last := 0, none
	for i, r := range s {
		kind := kindOf(r)
		if kind == last && kind != single {
			continue
		}
		if last != none {
			all = append(all, s[from:i])
		}
		from, last = i, kind
	}
	if last != none {
		all = append(all, s[from:])
	}
	return all
}

// kind is what a character makes a word with.
type kind int

const (
	none   kind = iota // white space
	letter             // a letter, a digit, what is written above them, "_"
	sign
	single // a word by itself
)

func kindOf(r rune) kind {
	switch {
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '_':
		return letter
	case unicode.IsSpace(r):
		return none
	case r > unicode.MaxASCII && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return single
	case r > unicode.MaxASCII && unicode.In(r, unicode.L, unicode.M, unicode.N):
		return letter
	}
	return sign
}

// wordsIn are the words of a text, each once.
func wordsIn(text string) []string {
	list := []string{}
	known := make(map[string]bool)
	for _, w := range words(fold(text)) {
		if !known[w] {
			known[w] = true
			list = append(list, w)
		}
	}
	return list
}

// indexText makes a text findable under its key, which has none in the index.
func (w *writeConn) indexText(ctx context.Context, key int64, body string) error {
	list := wordsIn(body)
	encoded, _ := json.Marshal(list) // strings
	var n int
	var ids string
	const known = `SELECT count(*), coalesce(group_concat(w.id, ' '), '') FROM json_each(?) j CROSS JOIN words w ON w.word = j.value`
	_, err := w.get(ctx, known, []any{string(encoded)}, &n, &ids)
	if err == nil && n < len(list) {
		if _, err = w.exec(ctx, `INSERT OR IGNORE INTO words (word) SELECT value FROM json_each(?)`, string(encoded)); err == nil {
			_, err = w.get(ctx, known, []any{string(encoded)}, &n, &ids)
		}
	}
	if err == nil {
		_, err = w.exec(ctx, `INSERT INTO texts_index (rowid, words) VALUES (?, ?)`, key, ids)
	}
	return err
}

// forget takes words that no text in the index has any more out of those known.
// Of the others it returns the key of the newest text that has them. That one
// is looked for, as old runs are deleted first: what they leave in the index
// has to be passed over.
func (w *writeConn) forget(ctx context.Context, list []string) (left map[string]int64, err error) {
	encoded, _ := json.Marshal(list) // strings
	rows, err := w.query(ctx, `SELECT w.id, w.word, (SELECT rowid FROM texts_index WHERE texts_index MATCH CAST(w.id AS TEXT) ORDER BY rowid DESC LIMIT 1)
		FROM json_each(?) j CROSS JOIN words w ON w.word = j.value`, string(encoded))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	left = make(map[string]int64)
	gone := []int64{}
	for rows.Next() {
		var id int64
		var word string
		var newest sql.NullInt64
		if err := rows.Scan(&id, &word, &newest); err != nil {
			return nil, err
		}
		if newest.Valid {
			left[word] = newest.Int64
		} else {
			gone = append(gone, id)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(gone) == 0 {
		return left, err
	}
	encoded, _ = json.Marshal(gone) // numbers
	_, err = w.exec(ctx, `DELETE FROM words WHERE id IN (SELECT value FROM json_each(?))`, string(encoded))
	return left, err
}

// indexTexts fills the index of a database that has texts but none of them in it.
func indexTexts(ctx context.Context, w *writeConn) error {
	for after := int64(math.MinInt64); ; {
		page, err := keyedTexts(w.query(ctx, `SELECT key, body FROM texts WHERE key > ? ORDER BY key LIMIT 1000`, after))
		if err != nil || len(page) == 0 {
			return err
		}
		for _, t := range page {
			if err := w.indexText(ctx, t.key, t.body); err != nil {
				return err
			}
			after = t.key
		}
	}
}

// keyedText is a text as the index knows it.
type keyedText struct {
	key  int64
	body string
}

// keyedTexts reads the rows of a query for the keys and bodies of texts.
func keyedTexts(rows *sql.Rows, err error) ([]keyedText, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var texts []keyedText
	for rows.Next() {
		var t keyedText
		if err := rows.Scan(&t.key, &t.body); err != nil {
			return nil, err
		}
		texts = append(texts, t)
	}
	return texts, rows.Err()
}

// trigram is the shortest part of a word that is found without a look at each.
const trigram = 3

// wordsOf is the query of the words that a word of a term may stand for: that
// word itself, or all it is part of.
func wordsOf(word string, inner bool) (string, any) {
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case inner || kindOf(first) == single:
		return `SELECT id FROM words WHERE word = ?`, word
	case utf8.RuneCountInString(word) >= trigram:
		return `SELECT rowid AS id FROM words_index WHERE words_index MATCH ?`, phrase(word)
	}
	return `SELECT id FROM words WHERE instr(word, ?) > 0`, word
}

// phrase quotes a term for FTS5, to be found as it stands.
func phrase(term string) string { return `"` + strings.ReplaceAll(term, `"`, `""`) + `"` }
