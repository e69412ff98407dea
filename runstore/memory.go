package runstore

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// MemoryStore is a Store that lasts as long as it is referred to. It is safe
// for concurrent use.
type MemoryStore struct {
	id     string
	shared *memory
}

// memory is what all handles of a store share.
type memory struct {
	mu    sync.RWMutex
	runs  map[string]*memoryRun
	blobs map[string][]byte
	uses  map[string]int  // how many runs keep a content, by digest
	alive map[string]bool // handles that are not closed, by ID
}

type memoryRun struct {
	head
	run         agent.Run
	records     []record
	suspensions []agent.Suspension // by first suspension of the call, then n
	plans       []agent.Plan       // as they came
	texts       map[string]string  // folded, by ref
	uses        map[string]bool    // digests of content
}

// Memory returns an empty store in memory.
func Memory() *MemoryStore {
	m := &memory{runs: make(map[string]*memoryRun), blobs: make(map[string][]byte), uses: make(map[string]int), alive: make(map[string]bool)}
	return m.handle()
}

func (m *memory) handle() *MemoryStore {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := &MemoryStore{id: agent.NewID(), shared: m}
	m.alive[h.id] = true
	return h
}

// Handle returns another process's view of the store: another owner. Close
// ends that process, whatever it owns.
func (s *MemoryStore) Handle() *MemoryStore { return s.shared.handle() }

// Path implements Store.
func (s *MemoryStore) Path() string { return "" }

// Close implements Store. The content stays with the other handles.
func (s *MemoryStore) Close() error {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	delete(s.shared.alive, s.id)
	return nil
}

// usable fails once the context or the handle has ended; shared.mu is held.
func (s *MemoryStore) usable(ctx context.Context, op string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", op, context.Cause(ctx))
	}
	if !s.shared.alive[s.id] {
		return closedError(op, MemoryDSN)
	}
	return nil
}

// Commit implements agent.Store. For the order of its checks see the package.
func (s *MemoryStore) Commit(ctx context.Context, c agent.Change) (int64, error) {
	if err := checkChange(c); err != nil {
		return 0, err
	}
	m := s.shared
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := s.usable(ctx, "commit run "+c.Run.ID); err != nil {
		return 0, err
	}
	run := m.runs[c.Run.ID]
	if run == nil {
		run = &memoryRun{texts: make(map[string]string), uses: make(map[string]bool)}
	}
	w := writer{id: s.id, self: s.self, alive: func(o agent.Owner) bool { return m.alive[o.ID] }, now: time.Now}
	r, err := w.rule(c, run.head, run.held(c))
	if err != nil || r.done {
		return r.epoch, err
	}
	if err := m.keyFree(c.Run, run.exists); err != nil {
		return 0, err
	}
	run.apply(c, r)
	for _, data := range c.Blobs {
		digest := agent.Digest(data)
		if !run.uses[digest] {
			m.blobs[digest], run.uses[digest] = slices.Clone(data), true
			m.uses[digest]++
		}
	}
	m.runs[c.Run.ID] = run
	return r.epoch, nil
}

// keyFree refuses a new run with the key of another one of its project.
func (m *memory) keyFree(run agent.Run, exists bool) error {
	if exists || run.IdempotencyKey == "" {
		return nil
	}
	for id, r := range m.runs {
		if r.run.IdempotencyKey == run.IdempotencyKey && r.run.Project == run.Project {
			return &agent.KeyUsedError{RunID: id, Key: run.IdempotencyKey}
		}
	}
	return nil
}

// self is this handle as an owner. Every handle is a process of its own.
func (s *MemoryStore) self() (agent.Owner, error) {
	return agent.Owner{ID: s.id, Host: "memory"}, nil
}

// held gives the records at the places of a change's events.
func (r *memoryRun) held(c agent.Change) []record {
	last := c.Base + int64(len(c.Events))
	if c.Base < 0 || last > int64(len(r.records)) {
		return nil
	}
	return r.records[c.Base:last]
}

// apply writes a change that was ruled in. Nothing the caller holds is kept.
func (r *memoryRun) apply(c agent.Change, ruling ruling) {
	for _, text := range textsOf(c, !r.exists, true) {
		r.texts[text.ref] = fold(text.body)
	}
	for _, e := range c.Events {
		e.Payload, e.From = slices.Clone(e.Payload), agent.From
		if !e.At.IsZero() {
			e.At = e.At.UTC().Round(0) // without the monotonic clock
		}
		r.records = append(r.records, record{Event: e, change: c.ID, epoch: ruling.epoch})
	}
	for _, s := range c.Suspensions {
		r.suspend(cloneSuspension(s))
	}
	for _, p := range c.Plans {
		p.RunID = c.Run.ID
		r.plan(p)
	}
	prompt := c.Run.Prompt
	if r.exists {
		prompt = r.run.Prompt
	}
	r.run = cloneRun(c.Run)
	r.run.Prompt, r.run.Seq = prompt, int64(len(r.records))
	r.head = head{exists: true, seq: r.run.Seq, epoch: ruling.epoch, owner: ruling.owner}
}

// suspend puts a suspension in its place, by call and n.
func (r *memoryRun) suspend(s agent.Suspension) {
	at, known := slices.BinarySearchFunc(r.suspensions, s, func(a, b agent.Suspension) int {
		return cmp.Or(cmp.Compare(a.Call, b.Call), cmp.Compare(a.ToolCallID, b.ToolCallID), cmp.Compare(a.N, b.N))
	})
	if known {
		r.suspensions[at] = s
		return
	}
	r.suspensions = slices.Insert(r.suspensions, at, s)
}

func (r *memoryRun) plan(p agent.Plan) {
	p.Body = "" // as with SQLite, see Store.Plans
	p = clonePlan(p)
	for i, old := range r.plans {
		if old.Path == p.Path && old.Revision == p.Revision {
			r.plans[i] = p
			return
		}
	}
	r.plans = append(r.plans, p)
}

// info is the run as it is given out; the caller may keep it.
func (m *memory) info(r *memoryRun) agent.RunInfo {
	info := agent.RunInfo{Run: cloneRun(r.run), Epoch: r.epoch, Open: []agent.Suspension{}}
	if r.owner != nil {
		owner := *r.owner
		info.Owner, info.Alive = &owner, m.alive[owner.ID]
	}
	for _, s := range r.suspensions {
		if s.State == agent.SuspensionOpen {
			info.Open = append(info.Open, cloneSuspension(s))
		}
	}
	return info
}

func cloneRun(r agent.Run) agent.Run {
	if r.Error != nil {
		e := *r.Error
		r.Error = &e
	}
	if r.Usage.Cost != nil {
		cost := *r.Usage.Cost
		r.Usage.Cost = &cost
	}
	return r
}

func clonePlan(p agent.Plan) agent.Plan {
	if p.DecidedAt != nil {
		at := p.DecidedAt.UTC()
		p.DecidedAt = &at
	}
	return p
}

func cloneSuspension(s agent.Suspension) agent.Suspension {
	s.Args, s.Payload = slices.Clone(s.Args), slices.Clone(s.Payload)
	if s.Answer != nil {
		a := *s.Answer
		a.Data = slices.Clone(a.Data)
		s.Answer = &a
	}
	return s
}

// Load implements agent.Store.
func (s *MemoryStore) Load(ctx context.Context, runID string) (agent.Snapshot, error) {
	s.shared.mu.RLock()
	defer s.shared.mu.RUnlock()
	r, err := s.run(ctx, "load run "+runID, runID)
	if err != nil {
		return agent.Snapshot{}, err
	}
	snap := agent.Snapshot{RunInfo: s.shared.info(r), Events: make([]agent.Event, len(r.records))}
	for i, rec := range r.records {
		snap.Events[i] = rec.Event
		snap.Events[i].Payload = slices.Clone(rec.Payload)
	}
	return snap, nil
}

// Events implements Store.
func (s *MemoryStore) Events(ctx context.Context, runID string, after int64) ([]agent.Event, error) {
	s.shared.mu.RLock()
	defer s.shared.mu.RUnlock()
	if err := s.usable(ctx, "read events of run "+runID); err != nil {
		return nil, err
	}
	r := s.shared.runs[runID]
	if r == nil {
		return nil, nil
	}
	var events []agent.Event
	for _, rec := range r.records[min(max(after, 0), int64(len(r.records))):] {
		rec.Payload = slices.Clone(rec.Payload)
		events = append(events, rec.Event)
	}
	return events, nil
}

// Epoch implements agent.Store.
func (s *MemoryStore) Epoch(ctx context.Context, runID string) (int64, error) {
	s.shared.mu.RLock()
	defer s.shared.mu.RUnlock()
	r, err := s.run(ctx, "ask epoch of run "+runID, runID)
	if err != nil {
		return 0, err
	}
	return r.epoch, nil
}

// run finds a run; shared.mu is held.
func (s *MemoryStore) run(ctx context.Context, op, runID string) (*memoryRun, error) {
	if err := s.usable(ctx, op); err != nil {
		return nil, err
	}
	r := s.shared.runs[runID]
	if r == nil {
		return nil, fmt.Errorf("%s: %w", op, agent.ErrRunNotFound)
	}
	return r, nil
}

// Blob implements agent.Store.
func (s *MemoryStore) Blob(ctx context.Context, digest string) ([]byte, error) {
	s.shared.mu.RLock()
	defer s.shared.mu.RUnlock()
	op := "read blob " + digest
	if err := s.usable(ctx, op); err != nil {
		return nil, err
	}
	data, ok := s.shared.blobs[digest]
	if !ok {
		return nil, fmt.Errorf("%s: %w", op, fs.ErrNotExist)
	}
	return append([]byte{}, data...), nil
}
