package agent

import "encoding/json"

// Permissions decides whether a call the mode allows may run. It is safe for
// concurrent use and has no side effects. Without one, every call may.
// Questions and plans (tools that ask) are never put to it.
type Permissions interface {
	Decide(PermissionRequest) Verdict
}

// PermissionRequest is one call to decide on.
type PermissionRequest struct {
	CallID    string // toolCallId
	Tool      Definition
	Args      json.RawMessage
	Mode      Mode
	Workspace string
	Grants    []string // rules granted for this run, as offered in earlier Verdicts
}

// Verdict is what becomes of a call.
type Verdict struct {
	Action Action
	Reason string // why, for the person and, when denied, for the model
	Rule   string // what "for this run" would grant; "" if that cannot be offered
}

// Action is allow, ask or deny.
type Action string

// Actions of a Verdict; "" counts as ActionAsk.
const (
	ActionAllow Action = "allow"
	ActionAsk   Action = "ask"
	ActionDeny  Action = "deny"
)
