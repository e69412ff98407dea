package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// exactObject decodes a JSON object in which every key is one of known, spelt
// exactly so and given once. Encoding/json would take {"Action":…} for action
// and the last of two; a person's decision must not be read that loosely.
func exactObject(raw json.RawMessage, known ...string) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, fmt.Errorf("expected a JSON object, got %s", kindOf(raw))
	}
	fields := make(map[string]json.RawMessage)
	for dec.More() {
		key, value, err := field(dec)
		if err != nil {
			return nil, err
		}
		if err := checkKey(key, fields, known); err != nil {
			return nil, err
		}
		fields[key] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("read JSON object: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read JSON object: something follows it")
	}
	return fields, nil
}

func field(dec *json.Decoder) (string, json.RawMessage, error) {
	tok, err := dec.Token()
	if err != nil {
		return "", nil, fmt.Errorf("read JSON object: %w", err)
	}
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return "", nil, fmt.Errorf("read JSON object: %w", err)
	}
	key, _ := tok.(string) // the decoder lets nothing else stand for a key
	return key, value, nil
}

func checkKey(key string, seen map[string]json.RawMessage, known []string) error {
	if _, twice := seen[key]; twice {
		return fmt.Errorf("key %q occurs twice", key)
	}
	if slices.Contains(known, key) {
		return nil
	}
	for _, k := range known {
		if strings.EqualFold(k, key) {
			return fmt.Errorf("key %q must be spelt %q", key, k)
		}
	}
	return fmt.Errorf("unknown key %q (allowed: %s)", key, strings.Join(known, ", "))
}

// asString decodes a JSON string and nothing else.
func asString(raw json.RawMessage) (string, bool) {
	if kindOf(raw) != "a string" {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// kindOf names the kind of a JSON value in words for a message.
func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
