package config

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// given is a value from the environment or a flag: text, whatever its type.
type given string

func asText(raw any) (string, error) {
	switch v := raw.(type) {
	case string:
		return v, nil
	case given:
		return string(v), nil
	}
	return "", fmt.Errorf("is %s, write a text in quotes", kindOf(raw))
}

// kindOf names the TOML type of a value.
func kindOf(raw any) string {
	switch raw.(type) {
	case string, given:
		return "a text"
	case int64:
		return "a number"
	case float64:
		return "a number with a fraction"
	case bool:
		return "true or false"
	case time.Time:
		return "a date"
	case map[string]any:
		return "a table"
	case []any, []map[string]any:
		return "a list"
	}
	return fmt.Sprintf("a %T", raw)
}

type reader[T any] func(raw any) (T, error)

// words reads one of a few words.
func words[T ~string](allowed ...T) reader[T] {
	return func(raw any) (T, error) {
		v, err := asText(raw)
		if err != nil {
			return "", err
		}
		if !slices.Contains(allowed, T(v)) {
			return "", fmt.Errorf("is %q, use %s", shorten(v), orList(allowed))
		}
		return T(v), nil
	}
}

func orList[T ~string](list []T) string {
	var b strings.Builder
	for i, w := range list {
		switch {
		case i > 0 && i == len(list)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(w))
	}
	return b.String()
}

// shorten keeps messages that quote a file readable.
func shorten(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// plain reads a text that check accepts.
func plain(check func(string) error) reader[string] {
	return func(raw any) (string, error) {
		v, err := asText(raw)
		if err != nil {
			return "", err
		}
		return v, check(v)
	}
}

// line accepts a text of one line that is not blank.
func line(v string) error {
	switch {
	case strings.TrimSpace(v) == "":
		return errors.New("is blank")
	case !utf8.ValidString(v):
		return fmt.Errorf("%q is not UTF-8", shorten(v))
	case strings.ContainsFunc(v, unicode.IsControl):
		return fmt.Errorf("%q holds control characters", shorten(v))
	}
	return nil
}

// filled accepts any text that is not blank.
func filled(v string) error {
	if strings.TrimSpace(v) == "" {
		return errors.New("is blank")
	}
	return nil
}

// duration reads "90s"; the least is 0 or, with positive, more.
func duration(positive bool) reader[time.Duration] {
	return func(raw any) (time.Duration, error) {
		v, err := asText(raw)
		if err != nil {
			return 0, fmt.Errorf("is %s, write a duration in quotes such as \"30s\" or \"5m\"", kindOf(raw))
		}
		d, err := time.ParseDuration(v)
		switch {
		case err != nil:
			return 0, fmt.Errorf("is %q, write a duration such as 30s or 5m", shorten(v))
		case d < 0:
			return 0, fmt.Errorf("is negative: %s", v)
		case d == 0 && positive:
			return 0, errors.New("is 0, write a duration above 0 or leave it out")
		}
		return d, nil
	}
}

// count reads a whole number above 0.
func count(raw any) (int, error) {
	n, ok := raw.(int64)
	if v, text := raw.(given); text {
		parsed, err := strconv.ParseInt(string(v), 10, 64)
		n, ok = parsed, err == nil
	}
	switch {
	case !ok:
		return 0, fmt.Errorf("is %s, write a whole number", kindOf(raw))
	case n < 1 || n > math.MaxInt32:
		return 0, fmt.Errorf("is %d, write a number from 1 to %d", n, math.MaxInt32)
	}
	return int(n), nil
}

// dollars reads an amount above 0.
func dollars(raw any) (float64, error) {
	var amount float64
	switch v := raw.(type) {
	case int64:
		amount = float64(v)
	case float64:
		amount = v
	case given:
		parsed, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return 0, fmt.Errorf("is %q, write an amount such as 2.50", shorten(string(v)))
		}
		amount = parsed
	default:
		return 0, fmt.Errorf("is %s, write an amount such as 2.50", kindOf(raw))
	}
	if !(amount > 0 && amount < 1e9) { // NaN too
		return 0, fmt.Errorf("is %v, write an amount above 0", amount)
	}
	return amount, nil
}

func truth(raw any) (bool, error) {
	switch v := raw.(type) {
	case bool:
		return v, nil
	case given:
		return strconv.ParseBool(string(v))
	}
	return false, fmt.Errorf("is %s, write true or false", kindOf(raw))
}

// maxItems bounds the work a stranger's file can cause.
const maxItems = 1000

// texts reads a list of texts. It is not nil: an empty list is a value.
func texts(raw any) ([]string, error) {
	items, ok := raw.([]any)
	if !ok {
		return nil, fmt.Errorf("is %s, write a list such as [\"…\"]", kindOf(raw))
	}
	if len(items) > maxItems {
		return nil, fmt.Errorf("has %d items, at most %d are read", len(items), maxItems)
	}
	out := make([]string, len(items))
	for i, item := range items {
		v, err := asText(item)
		if err != nil {
			return nil, fmt.Errorf("item %d %w", i+1, err)
		}
		out[i] = v
	}
	return out, nil
}

// inWorkspace accepts the path of a directory below the workspace.
func inWorkspace(v string) error {
	if err := line(v); err != nil {
		return err
	}
	clean := path.Clean(v)
	first, _, _ := strings.Cut(clean, "/")
	switch {
	case strings.ContainsRune(v, '\\'):
		return fmt.Errorf("is %q, write it with slashes", shorten(v))
	case path.IsAbs(v) || filepath.IsAbs(v) || !filepath.IsLocal(clean):
		return fmt.Errorf("is %q, which is not inside the workspace: write a relative path", shorten(v))
	case clean == ".":
		return fmt.Errorf("is %q, the workspace itself: name a directory in it", shorten(v))
	case strings.EqualFold(first, ".git"):
		return fmt.Errorf("is %q, which belongs to git", shorten(v))
	}
	return nil
}

// writable accepts what the sandbox may let commands write: a path that means
// one place wherever the command runs.
func writable(v string) error {
	if err := line(v); err != nil {
		return err
	}
	if !filepath.IsAbs(v) && !strings.HasPrefix(v, "~/") {
		return fmt.Errorf("%q is neither absolute nor begins with ~/", shorten(v))
	}
	return nil
}

// variable accepts the name of an environment variable that children may get.
func variable(v string) error {
	if err := variableName(v); err != nil {
		return err
	}
	if strings.HasPrefix(strings.ToUpper(v), "AGENT_") {
		return fmt.Errorf("%s is the agent's own and never passed", v)
	}
	return nil
}

func variableName(v string) error {
	if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`).MatchString(v) {
		return fmt.Errorf("%q is not the name of an environment variable", shorten(v))
	}
	return nil
}

// identifier accepts what names a mode or a provider.
func identifier(v string) error {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`).MatchString(v) {
		return fmt.Errorf("%q is not a name: use letters, digits, \".\", \"_\" and \"-\"", shorten(v))
	}
	return nil
}

// webAddress accepts the base address of an API.
func webAddress(v string) error {
	u, err := url.Parse(v)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("is no address such as https://models.example.com/v1")
	case u.User != nil:
		return errors.New("holds a user name or a password; name the variable of the key in apiKeyEnv")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("has a query or a fragment, which a base address cannot have")
	}
	return nil
}
