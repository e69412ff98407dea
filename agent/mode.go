package agent

// Mode is one way of working: what the model is told, which tools it has, what
// they may write, and where an approved plan leads. The JSON names are those
// of configuration files.
type Mode struct {
	ID           string `json:"id" toml:"id"`
	Name         string `json:"name,omitempty" toml:"name"`
	Description  string `json:"description,omitempty" toml:"description"`
	Instructions string `json:"instructions,omitempty" toml:"instructions"`
	// AvailableTools filters the mode's tools: nil lets all through, empty none.
	AvailableTools []string `json:"availableTools,omitzero" toml:"availableTools"`
	// Tools replaces the agent's tools, AdditionalTools adds to them; by name.
	Tools           []string       `json:"tools,omitzero" toml:"tools"`
	AdditionalTools []string       `json:"additionalTools,omitzero" toml:"additionalTools"`
	Writes          Writes         `json:"writes,omitempty" toml:"writes"`
	DefaultModelID  string         `json:"defaultModelId,omitempty" toml:"defaultModelId"`
	TransitionsTo   string         `json:"transitionsTo,omitempty" toml:"transitionsTo"`
	Default         bool           `json:"default,omitempty" toml:"default"`
	Metadata        map[string]any `json:"metadata,omitempty" toml:"metadata"`
}

// Writes says what the tools of a mode may write.
type Writes string

// What a mode may write; "" counts as WritesWorkspace.
const (
	WritesNone      Writes = "none"
	WritesPlans     Writes = "plans"
	WritesWorkspace Writes = "workspace"
)

// MayWriteWorkspace reports whether the mode may write outside the plans
// directory.
func (m Mode) MayWriteWorkspace() bool { return m.Writes == "" || m.Writes == WritesWorkspace }

// ModePolicy is what the loop asks about modes. It is safe for concurrent use
// and its answers do not change. Without one an Agent has a single mode
// "default" with all its tools.
type ModePolicy interface {
	// Default is the mode a run begins in when none is named.
	Default() Mode
	// Mode returns the mode of that ID.
	Mode(id string) (Mode, bool)
	// Tools names the tools of a mode, in the order they are offered.
	Tools(id string) []string
	// AfterApproval is the ID of the mode an approved plan leads to.
	AfterApproval(id string) string
}

// singleMode is the policy of an Agent without modes.
type singleMode struct{ tools []string }

var defaultMode = Mode{ID: "default", Name: "Default"}

func (singleMode) Default() Mode { return defaultMode }

func (singleMode) Mode(id string) (Mode, bool) { return defaultMode, id == defaultMode.ID }

func (p singleMode) Tools(string) []string { return p.tools }

func (singleMode) AfterApproval(id string) string { return id }
