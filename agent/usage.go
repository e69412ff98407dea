package agent

// ModeUsage is what the steps of one mode used.
type ModeUsage struct {
	Mode string `json:"mode"`
	Usage
}

// spend counts what a model used under a mode.
func (st *State) spend(mode string, u Usage) {
	st.Run.Usage = st.Run.Usage.add(u)
	for i := range st.spent {
		if st.spent[i].Mode == mode {
			st.spent[i].Usage = st.spent[i].add(u)
			return
		}
	}
	st.spent = append(st.spent, ModeUsage{Mode: mode, Usage: u})
}
