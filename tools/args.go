package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// args are the arguments of a call by name. Names match exactly; null counts
// as absent; names a tool does not know are ignored.
type args map[string]json.RawMessage

func decodeArgs(raw json.RawMessage) (args, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var a args
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, errors.New("the arguments are not a JSON object: " + err.Error())
	}
	for name, value := range a {
		if kindOf(value) == "null" {
			delete(a, name)
		}
	}
	return a, nil
}

// text returns the string of that name, "" if absent.
func (a args) text(name string) (string, error) {
	raw, given := a[name]
	if !given {
		return "", nil
	}
	s, ok := asString(raw)
	if !ok {
		return "", wrongType(name, "a string", raw)
	}
	return s, nil
}

// required returns a string that must be there and not blank.
func (a args) required(name string) (string, error) {
	s, err := a.text(name)
	if err == nil && strings.TrimSpace(s) == "" {
		err = fmt.Errorf("%s is required: give a string that is not blank", name)
	}
	return s, err
}

// integer returns the whole number of that name, fallback if absent.
func (a args) integer(name string, fallback, low, high int) (int, error) {
	raw, given := a[name]
	if !given {
		return fallback, nil
	}
	var f float64
	if kindOf(raw) != "a number" || json.Unmarshal(raw, &f) != nil {
		return 0, wrongType(name, fmt.Sprintf("a whole number from %d to %d", low, high), raw)
	}
	if f != math.Trunc(f) || f < float64(low) || f > float64(high) {
		return 0, fmt.Errorf("%s must be a whole number from %d to %d, got %s", name, low, high, clip(string(raw), 40))
	}
	return int(f), nil
}

// flag returns the boolean of that name, false if absent.
func (a args) flag(name string) (bool, error) {
	raw, given := a[name]
	if !given {
		return false, nil
	}
	var b bool
	if json.Unmarshal(raw, &b) != nil {
		return false, wrongType(name, "a boolean", raw)
	}
	return b, nil
}

// objects returns the array of objects of that name, nil if absent.
func (a args) objects(name string) ([]args, error) {
	raw, given := a[name]
	if !given {
		return nil, nil
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil, wrongType(name, "an array", raw)
	}
	list := make([]args, len(items))
	for i, item := range items {
		if kindOf(item) != "an object" {
			return nil, wrongType(fmt.Sprintf("%s[%d]", name, i), "an object", item)
		}
		var err error
		if list[i], err = decodeArgs(item); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", name, i, err)
		}
	}
	return list, nil
}

func wrongType(name, want string, raw json.RawMessage) error {
	return fmt.Errorf("%s must be %s, got %s", name, want, kindOf(raw))
}
