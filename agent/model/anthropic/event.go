package anthropic

import "encoding/json"

// event is one event of a stream, with the fields of all its types. It is
// decoded here and not by the SDK, whose events cost more and take strings
// apart.
type event struct {
	Type         string
	Index        int
	Message      struct{ Usage usage }
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        delta
	Usage        usage
}

type delta struct {
	Type        string
	Text        json.RawMessage
	Thinking    json.RawMessage
	Signature   json.RawMessage
	PartialJSON json.RawMessage `json:"partial_json"`
	StopReason  string          `json:"stop_reason"`
	StopDetails stopDetails     `json:"stop_details"`
}

type stopDetails struct{ Category, Explanation string }

// usage are the counts of one stream so far; those that are not told stay.
type usage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	Details    struct {
		Thinking *int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (u *usage) update(v usage) {
	for _, f := range []struct{ to, from **int64 }{
		{&u.Input, &v.Input}, {&u.Output, &v.Output},
		{&u.CacheRead, &v.CacheRead}, {&u.CacheWrite, &v.CacheWrite},
		{&u.Details.Thinking, &v.Details.Thinking},
	} {
		if *f.from != nil {
			*f.to = *f.from
		}
	}
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
