# Drives runs at once, in 5 workspaces on one database, through a question, a
# rejected plan, an approved plan and the end: parallel.sh RUNS
set -eu
runs=$1
mkdir out
for w in 1 2 3 4 5; do mkdir "ws$w"; done

# expect CODE FILE COMMAND…: the command must exit with CODE.
expect() {
  want=$1 file=$2; shift 2
  rc=0; "$@" --output json >"$file" 2>"$file.err" </dev/null || rc=$?
  [ "$rc" = "$want" ] || { echo "exit $rc, want $want: $*"; cat "$file" "$file.err"; exit 1; }
}

job() {
  o=out/$1 dir=ws$(($1 % 5 + 1))
  expect 3 "$o" agent run -C "$dir" --model demo --idempotency-key "job-$1" "Add greeting $1"
  id=$(json runId <"$o")
  expect 3 "$o.again" agent run -C "$dir" --model demo --idempotency-key "job-$1" "Add greeting $1"
  [ "$(json runId <"$o.again")" = "$id" ] || { echo "started twice: $id"; exit 1; }
  expect 3 "$o" agent resume "$id" --tool-call "$(json suspensions.0.toolCallId <"$o")" --answer "Checklist"
  expect 3 "$o" agent resume "$id" --tool-call "$(json suspensions.0.toolCallId <"$o")" --reject --feedback "Shorter, please"
  expect 0 "$o" agent resume "$id" --tool-call "$(json suspensions.0.toolCallId <"$o")" --approve --digest "$(json plan.digest <"$o")"
  [ "$(json status <"$o") $(json mode <"$o") $(json plan.revision <"$o")" = "finished build 2" ] || { echo "run $id ended otherwise"; cat "$o"; exit 1; }
  echo "$id" >"$o.done"
}

i=0
while [ "$i" -lt "$runs" ]; do
  job "$i" &
  i=$((i + 1))
done
wait

i=0
while [ "$i" -lt "$runs" ]; do
  [ -e "out/$i.done" ] || exit 1
  i=$((i + 1))
done
echo "$(agent list --all --status finished --limit 0 --output jsonl | wc -l | tr -d ' ') runs finished"
