package config

import "fmt"

// Source is a kind of place values come from. A higher one wins.
type Source int

// Sources, in the order of precedence.
const (
	SourceBuiltIn Source = iota
	SourceProject
	SourceUser
	SourceEnvironment
	SourceFlag
)

// Origin says where a value was given.
type Origin struct {
	Source Source
	Name   string // the file, the variable, or the flag without dashes
	Line   int    // of a file; 0: not known
}

// String is the origin as a person looks for it: "built-in", "FILE:LINE", the
// name of the variable, or "--flag".
func (o Origin) String() string {
	switch {
	case o.Source == SourceBuiltIn:
		return "built-in"
	case o.Source == SourceFlag:
		return "--" + o.Name
	case o.Line > 0:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	}
	return o.Name
}

// Value is a value with its origin.
type Value[T any] struct {
	Value  T
	Origin Origin
}

// Problem is a fault in what was configured. As an error it reads
// "FILE:LINE: KEY: what is wrong". Key and Message may quote what the file
// holds, made printable.
type Problem struct {
	Origin  Origin
	Key     string // "" where the whole file is meant
	Message string
}

func (p Problem) Error() string {
	if p.Key == "" {
		return fmt.Sprintf("%s: %s", p.Origin, p.Message)
	}
	return fmt.Sprintf("%s: %s: %s", p.Origin, p.Key, p.Message)
}
