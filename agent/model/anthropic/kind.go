package anthropic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
)

// kind is what a model's name tells of what it takes. Names are all there is:
// asking the provider would cost a request before the first.
type kind struct {
	family  string // opus, sonnet, …; "" if unknown
	version int    // 405 for 4.5; 0 if unknown
}

// kindOf reads names like claude-opus-4-5-20251101, claude-3-5-haiku-latest and
// us.anthropic.claude-sonnet-5-5-v1:0.
func kindOf(name string) kind {
	_, rest, found := strings.Cut(strings.ToLower(name), "claude-")
	if !found {
		return kind{}
	}
	words := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune("-.@:_", r) })
	var k kind
	for i, w := range words {
		n, ok := shortNumber(w)
		switch {
		case ok && k.version == 0:
			k.version = n * 100
			if minor, ok := shortNumber(next(words, i)); ok {
				k.version += minor
			}
		case k.family == "" && slices.Contains([]string{"opus", "sonnet", "haiku", "fable", "mythos"}, w):
			k.family = w
		}
	}
	return k
}

func next(words []string, i int) string {
	if i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

// shortNumber tells versions from dates.
func shortNumber(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && len(s) <= 2 && n >= 0
}

// adaptive models decide themselves how much they think, and take an effort;
// older ones take a budget of tokens. Names nobody knows yet are of the first
// kind, as all new ones are.
func (k kind) adaptive() bool { return k.version == 0 || k.version >= 406 }

// binds says whether the model's thinking blocks are refused once anything
// before them has changed.
func (k kind) binds() bool { return k.version == 0 || k.version >= 501 }

// alwaysThinks says whether thinking cannot be turned off.
func (k kind) alwaysThinks() bool {
	return k.family == "fable" || k.family == "mythos" || k.family == "opus" && k.version >= 505
}

// maxTokens is a length of reply that every model of the kind allows.
func (k kind) maxTokens() int64 {
	switch {
	case k.version >= 405:
		return 64000
	case k.version == 0 || k.version >= 400 || k.version == 307:
		return 32000
	case k.version >= 305:
		return 8192
	}
	return 4096
}

// Levels of thinking.
const (
	ThinkingOff    = "off"
	ThinkingLow    = "low"
	ThinkingMedium = "medium"
	ThinkingHigh   = "high"
)

func (k kind) checkThinking(level string) error {
	switch level {
	case "", ThinkingOff:
		return nil
	case ThinkingLow, ThinkingMedium, ThinkingHigh:
		if k.version != 0 && k.version < 307 {
			return fmt.Errorf("this model cannot think: set thinking to %s", ThinkingOff)
		}
		return nil
	}
	return fmt.Errorf("thinking %q: want off, low, medium or high", level)
}

// budget is how many tokens a level may think, where there is a budget. It is
// less than maxTokens, as the API demands.
func budget(level string, maxTokens int64) int64 {
	want := map[string]int64{ThinkingLow: 4096, ThinkingMedium: 10240, ThinkingHigh: 24576}[level]
	if want >= maxTokens {
		want = max(1024, maxTokens/2)
	}
	return want
}

// think sets what a level means for this kind of model. Thinking is asked for
// with its summary: without, newer models show nothing while they think.
func (k kind) think(level string, p *sdk.MessageNewParams) {
	switch {
	case level == "":
	case level == ThinkingOff:
		k.doNotThink(p)
	case k.adaptive():
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
		p.OutputConfig.Effort = sdk.OutputConfigEffort(level)
	default:
		p.Thinking = sdk.ThinkingConfigParamOfEnabled(budget(level, p.MaxTokens))
	}
}

// doNotThink asks for as little thinking as there can be. Models before 5 do
// not think unasked.
func (k kind) doNotThink(p *sdk.MessageNewParams) {
	switch {
	case k.alwaysThinks():
		p.OutputConfig.Effort = sdk.OutputConfigEffortLow
	case k.family == "sonnet" && k.version >= 505:
		between := sdk.NewThinkingConfigBetweenToolsParam()
		p.Thinking.OfBetweenTools = &between
	case k.version >= 500:
		disabled := sdk.NewThinkingConfigDisabledParam()
		p.Thinking.OfDisabled = &disabled
	}
}
