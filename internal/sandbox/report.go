package sandbox

// Report is what confines commands on this machine, for people to judge.
type Report struct {
	Engine string `json:"engine"` // bubblewrap, landlock, sandbox-exec or none
	Detail string `json:"detail,omitempty"`
	// ReadOnly says whether commands can be run that write nothing and have no
	// network, so that modes that may not write have the tool shell.
	ReadOnly bool `json:"readOnly"`
	// Enforced is what holds whatever a command does; NotEnforced is what does
	// not, and one might expect. Whole sentences without a full stop.
	Enforced    []string `json:"enforced"`
	NotEnforced []string `json:"notEnforced"`
	// Tried are the engines that come first and cannot be used here.
	Tried []Attempt `json:"tried"`
}

// Report tells what confines commands here.
func (s *Sandbox) Report() Report {
	f := s.probe()
	r := Report{Engine: f.name, Enforced: []string{}, NotEnforced: []string{}, Tried: append([]Attempt{}, f.tried...)}
	if f.engine == nil {
		r.NotEnforced = append(r.NotEnforced,
			"commands can write and read whatever the user can, and reach the network",
			"what starts them is asked about, as permissions say; modes that may not write have no commands")
		return r
	}
	l := f.engine.limits()
	r.Detail, r.ReadOnly = f.engine.detail(), l.readOnly
	r.Enforced = append(r.Enforced, l.enforced...)
	r.NotEnforced = append(r.NotEnforced, l.open...)
	return r
}
