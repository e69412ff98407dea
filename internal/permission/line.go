package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of what is read as a command line. The parser recurses.
const (
	maxLine  = 16 << 10 // bytes
	maxDepth = 6        // scripts in scripts, as in sh -c 'sh -c …'
)

// item is one thing a command line does: exactly one of its fields beside what
// is set.
type item struct {
	what    string   // as it is written
	command *command // a program or builtin that runs
	sets    string   // a variable that is set for all that follows
	target  *word    // a file that is opened
	write   bool     // target is written
	unknown string   // why it is not known what runs
	at      int      // of a command among the words of another: where it begins; else 0
	carried bool     // it stands whole in the word at of another command
}

// readLine finds everything a command line runs, opens and sets: in pipelines,
// lists, substitutions, functions, loops and here-documents, whether it is run
// or not. The shell may be bash or one that knows only what POSIX has; what
// either would do counts.
func readLine(line string, depth int) []item {
	unread := func(why string) []item { return []item{{what: line, unknown: why}} }
	switch {
	case len(line) > maxLine:
		return unread("it is too long to be read")
	case depth > maxDepth:
		return unread("its scripts are nested too deeply")
	case strings.ContainsFunc(line, func(r rune) bool { return isControl(r) && r != '\n' && r != '\t' }):
		return unread("it holds control characters")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return unread("it cannot be read as a command line")
	}
	r := &lineReader{src: line, depth: depth}
	syntax.Walk(file, r.visit)
	if r.bash {
		r.readPOSIX()
	}
	return r.items
}

// readPOSIX reads the line once more as a shell would that knows nothing of
// bash. Such a shell runs what it can read before it comes to an error.
func (r *lineReader) readPOSIX() {
	r.posix = true
	for s, err := range syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).StmtsSeq(strings.NewReader(r.src)) {
		if err != nil {
			return
		}
		syntax.Walk(s, r.visit)
	}
}

// lineReader collects the items of a syntax tree.
type lineReader struct {
	src   string
	depth int
	items []item
	bash  bool // something in it means another thing, or nothing, to other shells
	posix bool // read as those would
}

func (r *lineReader) note(i item) {
	same := func(o item) bool {
		return i.what == o.what && i.write == o.write && (i.target == nil) == (o.target == nil)
	}
	if r.posix && slices.ContainsFunc(r.items, same) {
		return
	}
	r.items = append(r.items, i)
}

func (r *lineReader) unknown(n syntax.Node, why string) {
	r.note(item{what: sourceOf(n, r.src), unknown: why})
}

func (r *lineReader) visit(n syntax.Node) bool {
	switch x := n.(type) {
	case *syntax.Stmt:
		r.statement(x)
	case *syntax.CallExpr:
		if len(x.Args) == 0 {
			for _, a := range x.Assigns {
				r.set(a.Name)
			}
			r.hold(x)
		}
	case *syntax.DeclClause:
		r.bash = true
	case *syntax.WordIter:
		r.set(x.Name)
	case *syntax.FuncDecl:
		r.bash = r.bash || x.RsrvWord
	case *syntax.TimeClause, *syntax.ProcSubst, *syntax.ArrayExpr:
		r.bash = true
	case *syntax.ExtGlob:
		r.bash = true
		if strings.ContainsAny(x.Pattern.Value, "$`<>") { // the parser leaves it as it is
			r.unknown(x, "what a pattern of file names substitutes is not read")
		}
	case *syntax.CoprocClause:
		r.bash = true
		r.unknown(x, "coproc is not read")
	case *syntax.TestClause:
		r.bash = true
		r.test(x)
	case *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		r.bash = true
		r.arithmetic(x)
	case *syntax.ArithmExp:
		r.arithmetic(x)
	case *syntax.Assign:
		if x.Index != nil {
			r.arithmetic(x.Index)
		}
	case *syntax.ParamExp:
		r.expansion(x)
	}
	return true
}

const computed = "what a variable holds is computed there, which may run commands"

// arithmetic notes an expression with names: bash computes what variables hold
// once more, with the substitutions in it.
func (r *lineReader) arithmetic(n syntax.Node) {
	named := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.Stmt:
			return false
		case *syntax.Lit:
			named = named || strings.Trim(x.Value, "0123456789") != ""
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.SglQuoted, *syntax.DblQuoted:
			named = true
		}
		return !named
	})
	if named {
		r.unknown(n, computed)
	}
}

// test notes tests of bash that compute what a variable holds.
func (r *lineReader) test(clause *syntax.TestClause) {
	syntax.Walk(clause, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.BinaryTest:
			if x.Op >= syntax.TsEql && x.Op <= syntax.TsGtr {
				r.unknown(clause, computed)
			}
		case *syntax.UnaryTest:
			if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
				r.unknown(clause, computed)
			}
		}
		return true
	})
}

// expansion notes what expanding a variable can do beside giving its value.
func (r *lineReader) expansion(p *syntax.ParamExp) {
	switch {
	case p.Excl || p.Exp != nil && p.Exp.Op == syntax.OtherParamOps:
		r.unknown(p, computed)
	case p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull):
		r.set(p.Param)
	}
	if quotedInside(p) {
		r.unknown(p, "shells differ on where a quote in an expansion ends")
	}
	if p.Index != nil {
		r.arithmetic(p.Index)
	}
	if p.Slice != nil {
		for _, x := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if x != nil {
				r.arithmetic(x)
			}
		}
	}
}

// quotedInside reports whether an expansion holds single quotes. Between double
// quotes and in here-documents these are characters like others: what the
// parser takes for their content may be commands.
func quotedInside(p *syntax.ParamExp) bool {
	var quoted bool
	find := func(w *syntax.Word) {
		if w == nil {
			return
		}
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.Stmt:
				return false
			case *syntax.SglQuoted:
				quoted = true
			}
			return !quoted
		})
	}
	if p.Exp != nil {
		find(p.Exp.Word)
	}
	if p.Repl != nil {
		find(p.Repl.Orig)
		find(p.Repl.With)
	}
	return quoted
}

func (r *lineReader) set(name *syntax.Lit) {
	if name != nil {
		r.note(item{what: name.Value + "=", sets: name.Value})
	}
}

// statement notes the simple command of a statement and what it redirects.
func (r *lineReader) statement(s *syntax.Stmt) {
	var script *string
	piped := true
	for _, redirect := range s.Redirs {
		if redirect.Op == syntax.Hdoc || redirect.Op == syntax.DashHdoc || redirect.Op == syntax.WordHdoc {
			r.bash = r.bash || redirect.Op == syntax.WordHdoc
			script, piped = r.given(redirect), false
			r.lines(redirect.Hdoc)
			continue
		}
		r.redirect(redirect)
	}
	switch x := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(x.Args) > 0 {
			r.call(r.words(x.Assigns), r.argsOf(x.Args), sourceOf(x, r.src), input{script, piped})
		}
	case *syntax.DeclClause:
		words := append([]word{fixedWord(x.Variant.Value)}, r.words(x.Args)...)
		r.call(nil, words, sourceOf(x, r.src), input{})
	}
}

// input is what a command reads: script if that is known, else, with piped,
// whatever comes.
type input struct {
	script *string
	piped  bool
}

// given is the text of a here-document or here-string, nil if it is not fixed.
func (r *lineReader) given(redirect *syntax.Redirect) *string {
	w := redirect.Hdoc
	if redirect.Op == syntax.WordHdoc {
		w = redirect.Word
	}
	if w == nil {
		return new(string)
	}
	if redirect.Op != syntax.WordHdoc && !quotedDelimiter(redirect.Word) {
		// As between double quotes; what is substituted in it is visited.
		w = &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: w.Parts}}}
		if got := valueOf(w); got.fixed {
			return &got.text
		}
		return nil
	}
	if redirect.Op != syntax.WordHdoc {
		text := ""
		for _, part := range w.Parts {
			lit, ok := part.(*syntax.Lit)
			if !ok {
				return nil
			}
			text += lit.Value
		}
		return &text
	}
	if got := valueOf(w); got.fixed {
		return &got.text
	}
	return nil
}

// lines notes substitutions of a here-document that go over several lines:
// one of these may be its end.
func (r *lineReader) lines(doc *syntax.Word) {
	if doc == nil {
		return
	}
	for _, part := range doc.Parts {
		if _, ok := part.(*syntax.Lit); !ok && strings.Contains(sourceOf(part, r.src), "\n") {
			r.unknown(part, "a substitution goes over several lines of a here-document")
		}
	}
}

// quotedDelimiter reports whether a here-document is taken as it stands.
func quotedDelimiter(w *syntax.Word) bool {
	lit := w.Lit()
	return lit == "" || strings.Contains(lit, `\`)
}

// valueOf is readWord where the source does not matter.
func valueOf(w *syntax.Word) word {
	out := word{fixed: true}
	var b strings.Builder
	for _, part := range w.Parts {
		out.add(&b, part)
	}
	out.text = b.String()
	return out
}

func (r *lineReader) argsOf(list []*syntax.Word) []word {
	out := make([]word, len(list))
	for i, w := range list {
		out[i] = readWord(w, r.src)
	}
	return out
}

// words are assignments as words: NAME=VALUE.
func (r *lineReader) words(list []*syntax.Assign) []word {
	var out []word
	for _, a := range list {
		switch {
		case a.Name == nil:
			out = append(out, readWord(a.Value, r.src))
		case a.Naked && a.Index == nil:
			out = append(out, fixedWord(a.Name.Value))
		case a.Index != nil || a.Array != nil:
			out = append(out, unknownWord(sourceOf(a, r.src), false))
		default:
			out = append(out, r.assignment(a))
		}
	}
	return out
}

func (r *lineReader) assignment(a *syntax.Assign) word {
	op := "="
	if a.Append {
		op = "+="
	}
	w := word{fixed: true}
	if a.Value != nil {
		w = readWord(a.Value, r.src)
	}
	// Values are not split, and are no patterns.
	return word{text: a.Name.Value + op + w.text, fixed: w.fixed, src: a.Name.Value + op + w.src}
}

// redirect notes the file a redirection opens.
func (r *lineReader) redirect(x *syntax.Redirect) {
	if x.Op == syntax.RdrAll || x.Op == syntax.AppAll {
		r.bash = true
	}
	w := readWord(x.Word, r.src)
	write := true
	switch x.Op {
	case syntax.RdrIn:
		write = false
	case syntax.DplIn, syntax.DplOut:
		if w.fixed && strings.Trim(w.text, "0123456789-") == "" {
			return // another descriptor, or none
		}
		write = x.Op == syntax.DplOut
	}
	if x.N != nil && strings.HasPrefix(x.N.Value, "{") {
		r.bash = true
		r.set(&syntax.Lit{Value: strings.Trim(x.N.Value, "{}")})
	}
	r.note(item{what: sourceOf(x, r.src), target: &w, write: write})
}

// call notes a simple command, and what it runs in turn.
func (r *lineReader) call(assigns, words []word, src string, in input) {
	c := &command{src: src, assigns: assigns, words: words}
	if why := c.read(in, r.depth); why != "" {
		r.note(item{what: src, unknown: why})
	}
	r.note(item{what: src, command: c})
}
