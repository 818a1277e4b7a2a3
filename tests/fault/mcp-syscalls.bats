#!/usr/bin/env bats
# Every system call of the MCP server fails once, or kills it, in turn.  What
# it says is whole messages; what it says is pending is there and recorded; and
# what is there was recorded.

load ../hook

setup()
{
	hook_setup '{"version":1,"limits":{"wait_alone_s":0,
	    "new_per_minute":100000,"pending_session_max":10000,
	    "pending_max":10000}}'
	BASE=$(dirname "$(dirname "$STATE")")
	printf '%s\n' \
	    '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' \
	    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_privileged","arguments":{"command":"unheard-of x","reason":"r"}}}' \
	    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sandbox_status"}}' \
	    > "$T/in"
}
teardown() { hook_teardown; }

# serve [STRACE-OPTIONS] - a whole session; $status, $T/out.
serve()
{
	local env=
	[ "${VARIANT:-}" = asan ] && env="-E ASAN_OPTIONS=detect_leaks=0"
	status=0
	# shellcheck disable=SC2086
	timeout 20 strace -qq $env -o "$T/trace" "$@" "$BUILD/sandbox-mcp" \
	    --dir "$ROOT" --base "$BASE" < "$T/in" > "$T/out" 2> "$T/err" ||
	    status=$?
}

# NAME:when=N of each, from the first wait on: what comes before is the start
# of any program, and ending there says nothing to anybody.
list_calls()
{
	sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' "$T/trace" | tail -n +2 |
	    awk '$1 ~ /poll/ { on = 1 } { ++n[$1] } on { print $1, n[$1] }'
}

# As the head says; then the folder is emptied for the next.
sound()
{
	python3 - "$T/out" "$ROOT/.sandbox/escalations/pending" \
	    "$STATE/audit/audit.jsonl" "$1" <<'P'
import json, os, sys
out, pending, log, killed = sys.argv[1:]
text = open(out, "rb").read().decode()
# What has no end is no message; it comes when a write failed or we died.
lines = [json.loads(l) for l in text.split("\n")[:-1]]
there = set(os.listdir(pending))
recorded = {json.loads(l).get("id") for l in open(log)
    if '"kind":"tool.request"' in l}
for m in lines:
    assert m["jsonrpc"] == "2.0"
    s = m.get("result", {}).get("structuredContent", {})
    assert s.get("status") not in ("done", "allowed"), m
    if s.get("status") == "pending":
        assert s["request_id"] in there, m
        assert s["request_id"] in recorded, m
if killed == "error":
    assert there <= recorded, there - recorded
for f in there:
    os.unlink(os.path.join(pending, f))
P
}

@test "MCP server: any call fails" {
	local how
	serve
	grep -q '"status":"pending"' "$T/out"
	sound error
	list_calls > "$T/calls"
	[ "$(wc -l < "$T/calls")" -gt 100 ]
	while read -r name k; do
		[ "$name" != exit_group ] || continue
		serve -e "inject=$name:error=EIO:when=$k"
		[ "$status" -ne 124 ] || { echo "$name $k hangs"; false; }
		how=error
		# A sanitizer that gets no memory ends the program at once.
		if grep -qs 'Sanitizer.* failed to' "$T/err"; then
			how=killed
		fi
		sound "$how" || { echo "$name $k"; false; }
	done < "$T/calls"
}

@test "MCP server: killed at any call" {
	serve
	sound error
	list_calls > "$T/calls"
	while read -r name k; do
		serve -e "inject=$name:signal=KILL:when=$k"
		sound killed || { echo "$name $k"; false; }
	done < "$T/calls"
}
