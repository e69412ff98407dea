package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
)

// providerModels reads the models of a provider: names, and tables that say
// more of one.
func providerModels(raw any) ([]ProviderModel, error) {
	if rows, ok := raw.([]map[string]any); ok { // written as [[providers.NAME.models]]
		items := make([]any, len(rows))
		for i, r := range rows {
			items[i] = r
		}
		raw = items
	}
	items, ok := raw.([]any)
	switch {
	case !ok:
		return nil, fmt.Errorf("is %s, write a list such as [\"…\", { id = \"…\", contextWindow = 131072 }]", kindOf(raw))
	case len(items) > maxItems:
		return nil, fmt.Errorf("has %d items, at most %d are read", len(items), maxItems)
	}
	out := make([]ProviderModel, len(items))
	for i, item := range items {
		m, err := providerModel(item)
		if err != nil {
			return nil, fmt.Errorf("item %d %w", i+1, err)
		}
		if slices.ContainsFunc(out[:i], func(o ProviderModel) bool { return o.ID == m.ID }) {
			return nil, fmt.Errorf("item %d names %q again", i+1, shorten(m.ID))
		}
		out[i] = m
	}
	return out, nil
}

func providerModel(raw any) (m ProviderModel, err error) {
	table, ok := raw.(map[string]any)
	if !ok {
		m.ID, err = plain(line)(raw)
		return m, err
	}
	for _, field := range slices.Sorted(maps.Keys(table)) {
		if err := m.put(field, table[field]); err != nil {
			return m, fmt.Errorf("%s %w", shorten(field), err)
		}
	}
	if m.ID == "" {
		return m, errors.New("has no id")
	}
	return m, nil
}

func (m *ProviderModel) put(field string, raw any) (err error) {
	switch field {
	case "id":
		m.ID, err = plain(line)(raw)
	case "contextWindow":
		m.ContextWindow, err = tokens(raw)
	case "maxOutput":
		m.MaxOutput, err = tokens(raw)
	case "prices":
		m.Prices, err = prices(raw)
	default:
		err = errors.New("is no setting: use id, contextWindow, maxOutput or prices")
	}
	return err
}

func tokens(raw any) (int64, error) {
	n, err := count(raw)
	return int64(n), err
}

// prices reads US dollars per million tokens. The cache costs what input does
// unless it has a price of its own.
func prices(raw any) (*agent.Prices, error) {
	table, ok := raw.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("is %s, write { input = 0.5, output = 1.5 }", kindOf(raw))
	}
	var p agent.Prices
	fields := map[string]*float64{"input": &p.Input, "output": &p.Output, "cacheRead": &p.CacheRead, "cacheWrite": &p.CacheWrite}
	given := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		field, ok := fields[name]
		if !ok {
			return nil, fmt.Errorf("has %q, which is no price: use input, output, cacheRead or cacheWrite", shorten(name))
		}
		v, err := price(table[name])
		if err != nil {
			return nil, fmt.Errorf("has %s, which %w", name, err)
		}
		*field, given[name] = v, true
	}
	if !given["input"] || !given["output"] {
		return nil, errors.New("lacks input or output")
	}
	for _, name := range []string{"cacheRead", "cacheWrite"} {
		if !given[name] {
			*fields[name] = p.Input
		}
	}
	return &p, nil
}

func price(raw any) (float64, error) {
	v, ok := raw.(float64)
	if n, whole := raw.(int64); whole {
		v, ok = float64(n), true
	}
	switch {
	case !ok:
		return 0, fmt.Errorf("is %s, write a number of US dollars per million tokens", kindOf(raw))
	case v < 0 || math.IsNaN(v) || v > 1e6:
		return 0, fmt.Errorf("is %v, write US dollars per million tokens", v)
	}
	return v, nil
}
