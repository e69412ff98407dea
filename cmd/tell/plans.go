package tell

// Plans are the stored texts of plans that wait for a decision, by digest.
type Plans map[string]PlanText

// PlanText is what an approval approves, more than a payload shows, and how it
// differs from the revision before.
type PlanText struct {
	Source string // the file as it was submitted
	Diff   string // unified; "" for the first revision
	Was    int    // the revision diff begins with
}

// withoutDiffs are the texts alone, where the differences were shown already.
func (p Plans) withoutDiffs() Plans {
	texts := Plans{}
	for digest, t := range p {
		texts[digest] = PlanText{Source: t.Source}
	}
	return texts
}
