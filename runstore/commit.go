package runstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Commit implements agent.Store. For the order of its checks see the package.
func (s *SQLite) Commit(ctx context.Context, c agent.Change) (int64, error) {
	if err := checkChange(c); err != nil {
		return 0, err
	}
	op := "commit run " + c.Run.ID
	var epoch int64
	err := s.write(ctx, op, func(w *writeConn) error {
		t := commit{w: w, ctx: context.WithoutCancel(ctx), c: c, writer: s.writer()}
		r, err := t.run()
		if t.fault != nil {
			return s.fail(t.ctx, op, t.fault)
		}
		epoch = r.epoch
		return err
	})
	if err != nil {
		return 0, err
	}
	return epoch, nil
}

// commit is one change on its way into an open transaction. A fault of the
// database sticks in fault, and what follows it does nothing.
type commit struct {
	w      *writeConn
	ctx    context.Context //nolint:containedctx // of this one call; without an end
	c      agent.Change
	writer writer
	head   head
	row    placement // of the run as it was
	ruling ruling
	fault  error
}

// placement is what decides where indexes hold a run.
type placement struct {
	project, workspace, idempotencyKey, title string
	status                                    agent.Status
	undecided                                 bool
}

func placementOf(r agent.Run) placement {
	return placement{r.Project, r.Workspace, r.IdempotencyKey, r.Title, r.Status, r.Undecided}
}

func (t *commit) run() (ruling, error) {
	t.readHead()
	held := t.readHeld()
	if t.fault != nil {
		return ruling{}, t.fault
	}
	var err error
	if t.ruling, err = t.writer.rule(t.c, t.head, held); err != nil || t.ruling.done {
		return t.ruling, err
	}
	if err := t.keyFree(); err != nil {
		return ruling{}, err
	}
	t.writeRun()
	t.writeEvents()
	t.writeSuspensions()
	t.writePlans()
	t.writeBlobs()
	t.writeTexts()
	return t.ruling, t.fault
}

func (t *commit) exec(query string, args ...any) {
	if t.fault == nil {
		_, t.fault = t.w.exec(t.ctx, query, args...)
	}
}

func (t *commit) get(query string, args []any, dest ...any) (found bool) {
	if t.fault == nil {
		found, t.fault = t.w.get(t.ctx, query, args, dest...)
	}
	return found
}

// keyFree refuses a new run with the key of another one of its project.
func (t *commit) keyFree() error {
	run := t.c.Run
	if t.head.exists || run.IdempotencyKey == "" {
		return nil
	}
	var id string
	if t.get(`SELECT id FROM runs WHERE idempotency_key = ? AND project = ? ORDER BY created_at, id`,
		[]any{run.IdempotencyKey, run.Project}, &id) {
		return &agent.KeyUsedError{RunID: id, Key: run.IdempotencyKey}
	}
	return nil
}

const ownerColumns = `owner, owner_host, owner_boot, owner_pid, owner_since`

// ownerRow receives the columns of an owner.
type ownerRow struct {
	id, host, boot sql.NullString
	pid, since     sql.NullInt64
}

func (o *ownerRow) dest() []any { return []any{&o.id, &o.host, &o.boot, &o.pid, &o.since} }

func (o *ownerRow) owner() *agent.Owner {
	if !o.id.Valid {
		return nil
	}
	return &agent.Owner{ID: o.id.String, Host: o.host.String, Boot: o.boot.String, PID: int(o.pid.Int64), Since: timeOf(o.since)}
}

func ownerArgs(o *agent.Owner) []any {
	if o == nil {
		return []any{nil, nil, nil, nil, nil}
	}
	return []any{o.ID, o.Host, o.Boot, o.PID, nanos(o.Since)}
}

func (t *commit) readHead() {
	var o ownerRow
	r := &t.row
	dest := append([]any{&t.head.seq, &t.head.epoch, &r.project, &r.workspace, &r.idempotencyKey, &r.title, &r.status, &r.undecided}, o.dest()...)
	t.head.exists = t.get(`SELECT seq, epoch, project, workspace, idempotency_key, title, status, undecided, `+ownerColumns+`
		FROM runs WHERE id = ?`, []any{t.c.Run.ID}, dest...)
	t.head.owner = o.owner()
}

// readHeld reads the records at the places of the change's events; a change
// that goes on from the journal's end has none.
func (t *commit) readHeld() []record {
	last := t.c.Base + int64(len(t.c.Events))
	if t.fault != nil || len(t.c.Events) == 0 || t.head.seq < last {
		return nil
	}
	var held []record
	for seq := t.c.Base + 1; seq <= last; seq++ {
		var h record
		var at sql.NullInt64
		var body []byte
		if !t.get(`SELECT at, type, change, epoch, payload FROM events WHERE run_id = ? AND seq = ?`,
			[]any{t.c.Run.ID, seq}, &at, &h.Type, &h.change, &h.epoch, &body) {
			return nil
		}
		h.At, h.Payload = timeOf(at), body
		held = append(held, h)
	}
	return held
}

func (t *commit) writeRun() {
	run := t.c.Run
	run.Seq = t.c.Base + int64(len(t.c.Events))
	run.Prompt = "" // kept once, among the texts
	projection, err := json.Marshal(run)
	if err != nil {
		t.fault = fmt.Errorf("encode projection: %w", err)
		return
	}
	state := append([]any{nanosOrZero(run.Updated), run.Title, run.Seq, t.ruling.epoch, string(projection)}, ownerArgs(t.ruling.owner)...)
	p := placementOf(run)
	place := []any{p.project, p.workspace, p.idempotencyKey, p.status, p.undecided, waiting(run)}
	switch {
	case !t.head.exists:
		plain := plainID(run.ID)
		args := append([]any{run.ID, plain, reversed(plain), nanosOrZero(run.Created)}, place...)
		t.exec(`INSERT INTO runs (id, plain, reversed, created_at, project, workspace, idempotency_key, status, undecided, waiting,
			updated_at, title, seq, epoch, projection, `+ownerColumns+`) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, append(args, state...)...)
	case p == t.row: // the common step touches no index
		t.exec(updateRun+` WHERE id = ?`, append(state, run.ID)...)
	default:
		t.exec(updateRun+`, project = ?, workspace = ?, idempotency_key = ?, status = ?, undecided = ?, waiting = ? WHERE id = ?`,
			append(append(state, place...), run.ID)...)
	}
}

const updateRun = `UPDATE runs SET updated_at = ?, title = ?, seq = ?, epoch = ?, projection = ?,
	owner = ?, owner_host = ?, owner_boot = ?, owner_pid = ?, owner_since = ?`

func waiting(r agent.Run) bool { return agent.RunInfo{Run: r}.Waiting() }

func (t *commit) writeEvents() {
	for _, e := range t.c.Events {
		t.exec(`INSERT INTO events (run_id, seq, at, type, v, change, epoch, payload) VALUES (?,?,?,?,?,?,?,?)`,
			t.c.Run.ID, e.Seq, nanos(e.At), e.Type, agent.JournalVersion, t.c.ID, t.ruling.epoch, raw(e.Payload))
	}
}

func (t *commit) writeSuspensions() {
	for _, s := range t.c.Suspensions {
		var answer, by, via, at any
		if a := s.Answer; a != nil {
			answer, by, via, at = raw(a.Data), a.By, a.Via, nanos(a.At)
		}
		t.exec(`INSERT INTO suspensions (run_id, call_id, n, pos, kind, tool, args, payload, schema, since, state, answer, answer_by, answer_via, answer_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET kind = excluded.kind, tool = excluded.tool, args = excluded.args, payload = excluded.payload, schema = excluded.schema,
				since = excluded.since, state = excluded.state, answer = excluded.answer, answer_by = excluded.answer_by,
				answer_via = excluded.answer_via, answer_at = excluded.answer_at`,
			t.c.Run.ID, s.ToolCallID, s.N, s.Call, s.Kind, s.ToolName, raw(s.Args), raw(s.Payload), s.Schema, nanos(s.Since), s.State, answer, by, via, at)
	}
}

func (t *commit) writePlans() {
	for _, p := range t.c.Plans {
		var decided any
		if p.DecidedAt != nil {
			decided = nanos(*p.DecidedAt)
		}
		t.exec(`INSERT INTO plans (run_id, path, revision, call_id, n, submitted, title, digest, author, submitted_at, decision, feedback, decided_by, via, decided_at)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT DO UPDATE SET call_id = excluded.call_id, n = excluded.n, submitted = excluded.submitted, title = excluded.title,
				digest = excluded.digest, author = excluded.author, submitted_at = excluded.submitted_at, decision = excluded.decision,
				feedback = excluded.feedback, decided_by = excluded.decided_by, via = excluded.via, decided_at = excluded.decided_at`,
			t.c.Run.ID, p.Path, p.Revision, p.ToolCallID, p.N, p.Submitted, p.Title, p.Digest, p.Author, nanos(p.SubmittedAt), p.Decision, p.Feedback, p.By, p.Via, decided)
	}
}

func (t *commit) writeBlobs() {
	for _, data := range t.c.Blobs {
		digest := agent.Digest(data)
		t.exec(`INSERT INTO blobs (digest, data) VALUES (?, ?) ON CONFLICT DO NOTHING`, digest, notNil(data))
		t.exec(`INSERT INTO blob_uses (run_id, digest) VALUES (?, ?) ON CONFLICT DO NOTHING`, t.c.Run.ID, digest)
	}
}

// raw is JSON as a column holds it: the very bytes, NULL for none.
func raw(m json.RawMessage) any {
	if m == nil {
		return nil
	}
	return []byte(m)
}

// notNil keeps empty content apart from NULL.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// writeTexts keeps what searches look through. The prompt is written with the
// first record and never changes.
func (t *commit) writeTexts() {
	for _, text := range textsOf(t.c, !t.head.exists, t.row.title != t.c.Run.Title) {
		var key int64
		var old string
		known := t.get(`SELECT key, body FROM texts WHERE run_id = ? AND ref = ?`, []any{t.c.Run.ID, text.ref}, &key, &old)
		switch {
		case known && old == text.body:
		case known:
			t.exec(`UPDATE texts SET body = ? WHERE key = ?`, text.body, key)
			t.exec(`DELETE FROM texts_index WHERE rowid = ?`, key)
			t.index(key, text.body)
			t.forget(old)
		default:
			key = t.textKey()
			t.exec(`INSERT INTO texts (key, run_id, ref, body) VALUES (?, ?, ?, ?)`, key, t.c.Run.ID, text.ref, text.body)
			t.index(key, text.body)
		}
	}
}

func (t *commit) index(key int64, body string) {
	if t.fault == nil {
		t.fault = t.w.indexText(t.ctx, key, body)
	}
}

func (t *commit) forget(body string) {
	if t.fault == nil {
		_, t.fault = t.w.forget(t.ctx, wordsIn(body))
	}
}

// textKey is the next key for a text of the run: by the second the run was
// created in. Should that second be full, the next one serves; a search may
// then find the run as if it were that much younger.
func (t *commit) textKey() int64 {
	key := firstKey(nanosOrZero(t.c.Run.Created))
	for {
		end := key + textsPerSecond
		t.get(`SELECT coalesce(max(key) + 1, ?) FROM texts WHERE key >= ? AND key < ?`, []any{key, key, end}, &key)
		if key < end || t.fault != nil {
			return key
		}
	}
}

// nanos is a time as a column holds it: nil for the zero time, whose
// nanoseconds do not fit.
func nanos(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixNano()
}

// nanosOrZero is nanos for columns that sort.
func nanosOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func timeOf(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.Unix(0, n.Int64).UTC()
}
