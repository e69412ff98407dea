package catalogue

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"github.com/seed-3e5a1d81/agent/agent"
)

var update = flag.Bool("update", false, "write the tables from charm.land/catwalk")

// row is a model of catwalk as the tables have it.
func row(p catwalk.Provider, m catwalk.Model) string {
	chosen := ""
	if m.ID == p.DefaultLargeModelID {
		chosen = "default"
	}
	cells := []string{m.ID, chosen, count(m.ContextWindow), count(m.DefaultMaxTokens)}
	cells = append(cells, prices(m)...)
	return strings.Join(append(cells, m.Name), "\t") + "\n"
}

func count(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// prices are those of input, output, cache read and cache write. Nothing costs
// nothing unless its name says so. Catwalk has the two prices of the cache now in
// one field and now in the other; what tells them apart is that reading is
// cheaper than input and writing is not. A cache without a price of its own is
// charged as input.
func prices(m catwalk.Model) []string {
	if (m.CostPer1MIn == 0 || m.CostPer1MOut == 0) && !strings.HasSuffix(m.ID, ":free") {
		return []string{"", "", "", ""}
	}
	read, write := m.CostPer1MIn, m.CostPer1MIn
	for _, c := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
		if c > 0 && c < read {
			read = c
		}
	}
	if m.CostPer1MInCached > write {
		write = m.CostPer1MInCached
	}
	var out []string
	for _, v := range []float64{m.CostPer1MIn, m.CostPer1MOut, read, write} {
		out = append(out, strconv.FormatFloat(rounded(v), 'f', -1, 64))
	}
	return out
}

// rounded undoes what binary fractions did to 0.4.
func rounded(v float64) float64 {
	r, err := strconv.ParseFloat(fmt.Sprintf("%.9f", v), 64)
	if err != nil {
		panic(err)
	}
	return r
}

func TestTables_EqualCatwalk(t *testing.T) {
	t.Parallel()
	found := 0
	for _, p := range embedded.GetAll() {
		name := string(p.ID)
		if tableOf(name) == "" && !*update {
			continue
		}
		var b strings.Builder
		for _, m := range p.Models {
			if strings.ContainsAny(m.ID+m.Name, "\t\n") {
				t.Fatalf("%s: %q would break the table", name, m.ID)
			}
			b.WriteString(row(p, m))
		}
		for _, known := range Providers() {
			if known != name {
				continue
			}
			found++
			if *update {
				if err := os.WriteFile(name+".tsv", []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if b.String() != tableOf(name) {
				t.Errorf("%s.tsv is not what catwalk says: go test ./agent/model/catalogue -update", name)
			}
		}
	}
	if found != len(Providers()) {
		t.Errorf("catwalk has %d of %d providers", found, len(Providers()))
	}
}

// Everything that a row says is read back.
func TestModels(t *testing.T) {
	t.Parallel()
	for _, provider := range Providers() {
		list := Models(provider)
		if len(list) < 5 {
			t.Errorf("%s has %d models", provider, len(list))
		}
		priced := 0
		for _, m := range list {
			found, ok := Find(provider, m.Name)
			if !ok || found.Name != m.Name || found.ContextWindow != m.ContextWindow {
				t.Errorf("Find(%s, %s) = %+v, %v", provider, m.Name, found, ok)
			}
			if m.ContextWindow < 1000 || m.MaxOutput > m.ContextWindow || m.Title == "" {
				t.Errorf("%s/%s: %+v", provider, m.Name, m)
			}
			p := m.Prices
			if p == nil {
				continue
			}
			priced++
			free := *p == agent.Prices{}
			if !free && (p.Input <= 0 || p.Output <= 0 || p.CacheRead <= 0 || p.CacheRead > p.Input || p.CacheWrite < p.Input) {
				t.Errorf("%s/%s: prices %+v", provider, m.Name, *p)
			}
			if free != strings.HasSuffix(m.Name, ":free") {
				t.Errorf("%s/%s costs %+v", provider, m.Name, *p)
			}
		}
		if priced < len(list)/2 {
			t.Errorf("%s: %d of %d models have prices", provider, priced, len(list))
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ provider, name, want string }{
		{"anthropic", "claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001"},
		{"anthropic", "claude-haiku-4-5", "claude-haiku-4-5-20251001"},
		{"anthropic", "claude-haiku-4-5-20990101", ""}, // another model may cost something else
		{"anthropic", "claude-haiku", ""},
		{"openai", "gpt-5", "gpt-5"},
		{"openai", "gpt-5-2025-08-07", ""},
		{"openai", "", ""},
		{"openrouter", "anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4.5"},
		{"openrouter", "anthropic/claude-sonnet-4.5:nitro", ""},
		{"acme", "gpt-5", ""},
	} {
		m, ok := Find(tt.provider, tt.name)
		if m.Name != tt.want || ok != (tt.want != "") {
			t.Errorf("Find(%s, %s) = %q, %v; want %q", tt.provider, tt.name, m.Name, ok, tt.want)
		}
	}
}

// One of each way in which catwalk writes the prices of the cache.
func TestFind_Prices(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		provider, name string
		window         int64
		want           agent.Prices
	}{
		{"anthropic", "claude-haiku-4-5", 200000, agent.Prices{Input: 1, Output: 5, CacheRead: 0.1, CacheWrite: 1.25}},
		{"openai", "gpt-5", 400000, agent.Prices{Input: 1.25, Output: 10, CacheRead: 0.125, CacheWrite: 1.25}},
		{"openai", "gpt-4.1-mini", 1047576, agent.Prices{Input: 0.4, Output: 1.6, CacheRead: 0.1, CacheWrite: 0.4}},
		{"gemini", "gemini-2.5-flash", 1048576, agent.Prices{Input: 0.3, Output: 2.5, CacheRead: 0.03, CacheWrite: 0.3}},
	} {
		m, ok := Find(tt.provider, tt.name)
		if !ok || m.Prices == nil || *m.Prices != tt.want || m.ContextWindow != tt.window {
			t.Errorf("%s/%s: %+v %+v", tt.provider, tt.name, m, m.Prices)
		}
	}
}

func TestDefault(t *testing.T) {
	t.Parallel()
	for _, provider := range Providers() {
		if _, ok := Find(provider, Default(provider)); !ok {
			t.Errorf("the default of %s is %q", provider, Default(provider))
		}
	}
	if Default("acme") != "" {
		t.Errorf("acme has the default %q", Default("acme"))
	}
}

func BenchmarkFind_Last(b *testing.B) {
	list := Models("openrouter")
	for b.Loop() {
		if _, ok := Find("openrouter", list[len(list)-1].Name); !ok {
			b.Fatal("not found")
		}
	}
}
