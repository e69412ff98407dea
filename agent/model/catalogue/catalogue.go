// Package catalogue knows context windows, lengths of replies and prices of the
// models of four providers, without a network. What it does not know it leaves
// out: there are no guesses.
//
// The tables are those of charm.land/catwalk in a form that takes nothing to
// load: importing that module itself would decode 1,500 models of 40 providers
// and link what it needs to serve them. A test holds the tables against it; after
// an update of the module: go test ./agent/model/catalogue -update
//
// Prices are the list prices of the provider. Surcharges for very long requests,
// discounts for batches and taxes are not in them.
package catalogue

import (
	_ "embed" // the tables are text
	"strconv"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed anthropic.tsv
var anthropicTable string

//go:embed openai.tsv
var openaiTable string

//go:embed gemini.tsv
var geminiTable string

//go:embed openrouter.tsv
var openrouterTable string

// Providers lists the providers whose models are known.
func Providers() []string { return []string{"anthropic", "openai", "gemini", "openrouter"} }

func tableOf(provider string) string {
	switch provider {
	case "anthropic":
		return anthropicTable
	case "openai":
		return openaiTable
	case "gemini":
		return geminiTable
	case "openrouter":
		return openrouterTable
	}
	return ""
}

// Model is one entry. Its facts hold what the catalogue knows; see agent.ModelFacts.
type Model struct {
	Name  string // as the provider spells it in requests
	Title string // for people
	agent.ModelFacts
}

// Models lists the models of a provider, newest generation first as a rule.
func Models(provider string) []Model {
	var out []Model
	for row := range strings.Lines(tableOf(provider)) {
		out = append(out, readRow(row))
	}
	return out
}

// Default is the name of the model that users of a provider are told of first,
// "" if the provider is not known.
func Default(provider string) string {
	for row := range strings.Lines(tableOf(provider)) {
		if m := fields(row); m[columnDefault] != "" {
			return m[columnName]
		}
	}
	return ""
}

// Find returns a model of a provider. A name without the date that the
// provider's own has at its end is found as well, where it can mean only one
// model: that is what providers take it for.
func Find(provider, name string) (m Model, ok bool) {
	dated := ""
	for row := range strings.Lines(tableOf(provider)) {
		known, _, _ := strings.Cut(row, "\t")
		switch {
		case known == name:
			return readRow(row), true
		case undated(known) == name && dated != "":
			return Model{}, false
		case undated(known) == name:
			dated = row
		}
	}
	if dated == "" {
		return Model{}, false
	}
	return readRow(dated), true
}

// undated takes the date off names like claude-haiku-4-5-20251001.
func undated(name string) string {
	at := strings.LastIndexByte(name, '-')
	if at < 0 || len(name)-at != len("-20251001") || strings.Trim(name[at+1:], "0123456789") != "" {
		return name
	}
	return name[:at]
}

// Columns of the tables. A number that is not known is empty.
const (
	columnName = iota
	columnDefault
	columnContext
	columnOutput
	columnPriceIn
	columnPriceOut
	columnPriceRead
	columnPriceWrite
	columnTitle
	columns
)

func fields(row string) []string {
	return strings.SplitN(strings.TrimSuffix(row, "\n"), "\t", columns)
}

func readRow(row string) Model {
	f := fields(row)
	m := Model{Name: f[columnName], Title: f[columnTitle]}
	m.ContextWindow, m.MaxOutput = whole(f[columnContext]), whole(f[columnOutput])
	if f[columnPriceIn] != "" {
		m.Prices = &agent.Prices{
			Input: number(f[columnPriceIn]), Output: number(f[columnPriceOut]),
			CacheRead: number(f[columnPriceRead]), CacheWrite: number(f[columnPriceWrite]),
		}
	}
	return m
}

func whole(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // the test reads every row
	return n
}

func number(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64)
	return n
}
