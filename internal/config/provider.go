package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// providers reads [providers.NAME] of the user's file.
func (r *reading) providers(raw any) {
	all, ok := raw.(map[string]any)
	if !ok {
		r.fault("providers", fmt.Sprintf("is %s, write a table [providers.NAME]", kindOf(raw)))
		return
	}
	for _, name := range r.doc.names("providers", all) {
		path := join("providers", name)
		table, ok := all[name].(map[string]any)
		if !ok {
			r.fault(path, fmt.Sprintf("is %s, write a table [providers.NAME]", kindOf(all[name])))
			continue
		}
		if err := identifier(name); err != nil {
			r.fault(path, err.Error())
			continue
		}
		r.provider(path, name, table)
	}
}

func (r *reading) provider(path, name string, table map[string]any) {
	p := Provider{Name: name}
	for _, field := range r.doc.names(path, table) {
		known, err := p.put(field, table[field])
		switch {
		case !known:
			r.unknown(join(path, field), "providers.NAME."+field)
		case err != nil:
			r.fault(join(path, field), err.Error())
		}
	}
	r.cfg.Providers = append(r.cfg.Providers, Value[Provider]{Value: p, Origin: r.doc.origin(path)})
}

func (p *Provider) put(field string, raw any) (known bool, err error) {
	switch field {
	case "baseUrl":
		p.BaseURL, err = plain(webAddress)(raw)
	case "api":
		p.API, err = words("chat", "responses", "anthropic")(raw)
	case "apiKeyEnv":
		p.APIKeyEnv, err = plain(variableName)(raw)
	case "headers":
		p.Headers, err = headers(raw)
	case "models":
		p.Models, err = providerModels(raw)
	default:
		return false, nil
	}
	return true, err
}

// headers never quotes a value: it may be a key.
func headers(raw any) (map[string]string, error) {
	table, err := anyTable(raw)
	if err != nil {
		return nil, err
	}
	out := make(map[string]string, len(table))
	for name, value := range table {
		text, err := asText(value)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s %w", join("", name), err)
		case !regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$").MatchString(name):
			return nil, fmt.Errorf("%q is not the name of a header", shorten(name))
		case strings.ContainsAny(text, "\r\n\x00"):
			return nil, fmt.Errorf("%s has a line break", name)
		}
		out[name] = text
	}
	return out, nil
}

func (p Provider) settings(o Origin) []Setting {
	prefix := "providers." + p.Name + "."
	var out []Setting
	add := func(name, value string) {
		if value != "" {
			out = append(out, setting(prefix+name, value, o))
		}
	}
	add("baseUrl", p.BaseURL)
	add("api", p.API)
	add("apiKeyEnv", p.APIKeyEnv)
	add("headers", strings.Join(slices.Sorted(maps.Keys(p.Headers)), ", "))
	var names []string
	for _, m := range p.Models {
		names = append(names, m.ID)
	}
	add("models", strings.Join(names, ", "))
	return out
}
