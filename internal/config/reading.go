package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// reading is one file on its way into a Config.
type reading struct {
	*loader
	doc     document
	trusted bool // project files: whether the user trusts it
	known   map[string]Key
	groups  map[string]bool     // names of tables
	found   []Value[agent.Mode] // modes, as far as they are right
	faults  []Problem           // values that are wrong
	strange []Problem           // keys that are unknown
}

func (l *loader) read(source Source, file string, data []byte) (*reading, *Problem) {
	doc, fault := parse(source, file, data)
	if fault != nil {
		return nil, fault
	}
	r := &reading{loader: l, doc: doc, known: map[string]Key{}, groups: map[string]bool{}}
	for _, k := range l.keys {
		if k.access == nil {
			continue
		}
		r.known[k.Name] = k
		for i, c := range k.Name {
			if c == '.' {
				r.groups[k.Name[:i]] = true
			}
		}
	}
	return r, nil
}

func (r *reading) all() { r.tableAt("", r.doc.table) }

func (r *reading) tableAt(path string, table map[string]any) {
	for _, name := range r.doc.names(path, table) {
		at := join(path, name)
		if k, ok := r.known[at]; ok {
			r.value(k, table[name])
			continue
		}
		switch {
		case at == "modes":
			r.modes(table[name])
		case at == "providers":
			r.projectOr(r.providers, table[name])
		case r.groups[at]:
			r.group(at, table[name])
		default:
			r.unknown(at, at)
		}
	}
}

func (r *reading) group(path string, raw any) {
	table, ok := raw.(map[string]any)
	if !ok {
		r.fault(path, fmt.Sprintf("is %s, write a table [%s]", kindOf(raw), path))
		return
	}
	r.tableAt(path, table)
}

// projectOr hands the providers of a user's file to read; those of a project
// are never taken.
func (r *reading) projectOr(read func(any), raw any) {
	if r.doc.source == SourceUser {
		read(raw)
		return
	}
	table, _ := raw.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		r.ignore(join("providers", name), join("providers", name), true, "")
	}
	if len(table) == 0 {
		r.ignore("providers", "providers", true, "")
	}
}

// value puts one value where it belongs, if the file may set it.
func (r *reading) value(k Key, raw any) {
	if k.Project == NoFile && r.doc.source == SourceUser {
		r.fault(k.Name, "is not set in files: "+elsewhere(k))
		return
	}
	if r.doc.source == SourceProject && !r.permits(k, raw) {
		return
	}
	err := r.put(k, raw, r.doc.origin(k.Name))
	l, many := k.access.(list)
	var item *itemError
	switch {
	case errors.As(err, &item):
		r.faults = append(r.faults, Problem{Origin: r.itemOrigin(k, item.index), Key: k.Name, Message: err.Error()})
	case err != nil:
		r.fault(k.Name, err.Error())
	case many:
		r.locateItems(k, *l.field(r.cfg), raw)
	}
}

// locateItems gives the items of a list, which were put last, their own lines.
func (r *reading) locateItems(k Key, all []Value[string], raw any) {
	items, _ := raw.([]any)
	for i := range items {
		all[len(all)-len(items)+i].Origin = r.itemOrigin(k, i)
	}
}

func (r *reading) itemOrigin(k Key, index int) Origin {
	return r.doc.origin(fmt.Sprintf("%s[%d]", k.Name, index))
}

func elsewhere(k Key) string {
	if k.Env == "" {
		return "use --" + k.Flag
	}
	return fmt.Sprintf("use --%s or %s", k.Flag, k.Env)
}

func (r *reading) fault(path, message string) {
	r.faults = append(r.faults, Problem{Origin: r.doc.origin(path), Key: shorten(path), Message: message})
}

// maxSuggestions bounds the work a stranger's file can cause.
const maxSuggestions = 10

// unknown notes a key nobody knows; documented is its name as Keys would have
// it.
func (r *reading) unknown(path, documented string) {
	message := "is no setting"
	if len(r.strange) < maxSuggestions {
		if near := suggestion(documented); near != "" {
			message += ", did you mean " + strings.TrimPrefix(near, "[[modes]] ") + "?"
		}
	}
	r.strange = append(r.strange, Problem{Origin: r.doc.origin(path), Key: shorten(path), Message: message})
}
