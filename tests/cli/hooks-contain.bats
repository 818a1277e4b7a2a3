#!/usr/bin/env bats
# The verdict contain: the hook tells the client to run the command in the
# jail, and what comes back is known again.  Root cannot be jailed, so started
# by root this becomes nobody.

bats_require_minimum_version 1.5.0

setup() {
	umask 022	# what nobody is to run and read, nobody must reach
	T=$(mktemp -d)
	chmod 755 "$T"
	mkdir "$T/bin" "$T/w" "$T/w/home"
	cp "$BUILD"/{sandbox,sandbox-gate,sandbox-proxy,pretooluse} \
	    "$BUILD/tests/tools/project" "$T/bin"
	ln "$T/bin/pretooluse" "$T/bin/posttooluse"
	chmod 755 "$T"/bin/*
	[ "$(id -u)" -ne 0 ] || chown -R nobody "$T/w"
	me=$(as_user id -u)
	make_project '{"version":1,"limits":{"wait_alone_s":0}}'
}

teardown() {
	chmod -R u+rwx "$T"
	rm -rf "$T"
}

as_user() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid nobody --regid nogroup --clear-groups "$@"
	else
		"$@"
	fi
}

# make_project POLICY: one where nobody waits for a human who is not there
make_project() {
	printf '%s\n' "$1" >"$T/policy.json"
	as_user "$T/bin/project" "$T/w" "$T/policy.json" >"$T/place"
	{ read -r ROOT; read -r STATE; } <"$T/place"
}

# hook PROGRAM EVENT ID COMMAND: what it answers in $CWD, on $out
hook() {
	out=$(python3 -c 'import json, sys
cwd, event, use, command, mode = sys.argv[1:]
print(json.dumps({"session_id": "s", "cwd": cwd, "hook_event_name": event,
    "tool_use_id": use, "permission_mode": mode, "tool_name": "Bash", "tool_input":
    {"command": command, "timeout": 5000, "description": "d"}}))' \
	    "${CWD:-$ROOT}" "$2" "$3" "$4" "${MODE:-default}" |
	    as_user "$T/bin/$1" --client claude --event "$2" --root "$ROOT" \
	    --state "$STATE")
}

before() {
	hook pretooluse PreToolUse "$@"
}

after() {
	hook posttooluse PostToolUse "$@"
}

# field KEY...: what the answer has there
field() {
	python3 -c 'import json, sys
v = json.loads(sys.argv[1])["hookSpecificOutput"]
for k in sys.argv[2:]:
    v = v[k]
print(v)' "$out" "$@"
}

rewritten() {
	field updatedInput command
}

log_kinds() {
	as_user grep -o '"kind":"[a-z._]*"' "$STATE/audit/audit.jsonl"
}

@test "project code is contained: allowed, whole, and with nothing else changed" {
	before t1 'make test'
	[ "$(field permissionDecision)" = allow ]
	[ "$(field updatedInput timeout)" = 5000 ]
	[ "$(field updatedInput description)" = d ]
	[ "$(rewritten)" = "'$T/bin/sandbox' run --profile project --project '$ROOT' -- /bin/bash -c 'make test'" ]
	log_kinds | grep -q '"contain"'
}

@test "in plan mode it is rewritten, and the client goes on as it would have" {
	MODE=plan before t1 'make test'
	[ "$out" = "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"timeout\":5000,\"description\":\"d\",\"command\":\"'$T/bin/sandbox' run --profile project --project '$ROOT' -- /bin/bash -c 'make test'\"}}}" ]
	make_project '{"version":1,"auto_allow":true}'
	before t2 'ls'
	[ "$(field permissionDecision)" = allow ]
	MODE=plan before t3 'ls'
	[ -z "$out" ]
}

@test "the rewritten command runs, in the jail, and exactly what was said" {
	as_user tee "$ROOT/t.sh" >/dev/null <<-'EOF'
	echo "it's $1"; touch made; touch ~/x 2>/dev/null || echo held
	EOF
	before t1 "bash ./t.sh \"a'b\" 'c d' && echo \"\$SANDBOX_JAIL\""
	cd "$ROOT"
	run as_user env HOME="$T/w/home" bash -c "$(rewritten)"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "it's a'b" ]
	[ "${lines[1]}" = held ]
	[ "${lines[2]}" = 1 ]
	[ -e made ]
}

# Swapped for a link between the look and the start.
@test "the rewritten command writes no other project" {
	as_user mkdir -p "$ROOT/sub" "$T/w/other/.sandbox"
	CWD=$ROOT/sub before t1 'make x; touch made'
	as_user rmdir "$ROOT/sub"
	as_user ln -s "$T/w/other" "$ROOT/sub"
	cd "$ROOT/sub"
	run as_user env HOME="$T/w/home" bash -c "$(rewritten)"
	[ "$status" -eq 125 ]
	[[ $output == *"is not in the project '$ROOT'"* ]]
	[ ! -e "$T/w/other/made" ]
}

@test "what comes back from the jail is the call that was judged" {
	before t1 "make 'x y'"
	after t1 "$(rewritten)"
	[ -z "$out" ]
	log_kinds | tail -1 | grep -q tool.done
	as_user tail -1 "$STATE/audit/audit.jsonl" | grep -q "\"summary\":\"make 'x y'\""
}

@test "another hook that takes the jail away is noticed" {
	before t1 'make test'
	after t1 'make test'
	[[ $out == *"another input than the one that was judged"* ]]
	before t2 'make test'
	after t2 "$(rewritten) ; evil"
	[[ $out == *"another input"* ]]
	log_kinds | tail -1 | grep -q hook.missed
}

@test "where the agent has rules of its own about its shell, a human is asked" {
	for f in "$ROOT/.claude/settings.json" "$ROOT/.claude/settings.local.json"; do
		for rules in '{"deny":["Bash(make:*)"]}' '{"ask":["Bash"]}' \
		    '{"deny":"x"}' '{"deny":["*"]}'; do
			as_user mkdir -p "$ROOT/.claude"
			echo "{\"permissions\":$rules}" | as_user tee "$f" >/dev/null
			before t1 'make test'
			[[ $out != *updatedInput* ]]
			[[ $out == *deny* ]]
		done
		as_user rm "$f"
	done
	echo 'not json' | as_user tee "$ROOT/.claude/settings.json" >/dev/null
	before t1 'make test'
	[[ $out != *updatedInput* ]]
	echo '{"permissions":{"deny":["WebFetch"],"allow":["Bash(make:*)"]}}' |
	    as_user tee "$ROOT/.claude/settings.json" >/dev/null
	before t1 'make test'
	[[ $out == *updatedInput* ]]
}

@test "no sandbox beside it, or contain switched off: a human is asked" {
	make_project '{"version":1,"contain":"off","limits":{"wait_alone_s":0}}'
	before t1 'make test'
	[[ $out != *updatedInput* ]]
	make_project '{"version":1,"limits":{"wait_alone_s":0}}'
	before t1 'make test'
	[[ $out == *updatedInput* ]]
	rm "$T/bin/sandbox"
	before t2 'make test'
	[[ $out != *updatedInput* ]]
}

# There another project would be found and opened, or none.
@test "what runs outside the project is asked about" {
	as_user mkdir -p "$ROOT/sub" "$T/w/home/p/.sandbox"
	as_user ln -s "$T/w/home" "$ROOT/out"
	as_user ln -s "$ROOT/sub" "$T/w/home/in"
	for CWD in "$T/w/home" "$T/w/home/p" "$ROOT/out" "$ROOT/.." "$ROOT/sub/../.." / /tmp; do
		for c in 'make test' 'python3 -c "print(1)"'; do
			before t1 "$c"
			[[ $out != *updatedInput* ]]
			[[ $out == *'"deny"'* ]]
		done
	done
	for CWD in "$ROOT" "$ROOT/sub" "$T/w/home/in"; do
		before t1 'make test'
		[[ $out == *updatedInput* ]]
	done
}

@test "no client has it contained outside the project" {
	CWD=$T/w/home
	# Codex without a sandbox of its own.
	printf '{"type":"turn_context","payload":{"sandbox_policy":{"type":"danger-full-access"}}}\n' >"$T/turns"
	for c in codex:PreToolUse gemini:BeforeTool cursor:beforeShellExecution; do
		for at in "$ROOT" "$CWD"; do
			out=$(python3 -c 'import json, sys
client, event, cwd, turns = sys.argv[1:]
call = {"session_id": "s", "conversation_id": "s", "generation_id": "g",
    "cwd": cwd, "hook_event_name": event, "workspace_roots": [cwd],
    "transcript_path": turns, "tool_use_id": "t1", "command": "make test"}
call["tool_name"] = "run_shell_command" if client == "gemini" else "Bash"
call["tool_input"] = {"command": "make test"}
print(json.dumps(call))' "${c%:*}" "${c#*:}" "$at" "$T/turns" |
			    as_user "$T/bin/pretooluse" --client "${c%:*}" \
			    --event "${c#*:}" --root "$ROOT" --state "$STATE" || true)
			[ "$at" = "$ROOT" ] || [[ $out != *"run --profile"* ]]
			[ "$at" != "$ROOT" ] || [ "$c" = cursor:beforeShellExecution ] ||
			    [[ $out == *"run --profile"* ]]
		done
	done
	# Gemini CLI names the directory beside the command.
	for dir in "$CWD" ../../.. "$ROOT/out"; do
		as_user ln -sfn "$CWD" "$ROOT/out"
		out=$(python3 -c 'import json, sys
print(json.dumps({"session_id": "s", "cwd": sys.argv[1], "hook_event_name":
    "BeforeTool", "transcript_path": None, "tool_name": "run_shell_command",
    "tool_input": {"command": "make test", "dir_path": sys.argv[2]}}))' \
		    "$ROOT" "$dir" | as_user "$T/bin/pretooluse" --client gemini \
		    --event BeforeTool --root "$ROOT" --state "$STATE")
		[[ $out == *deny* && $out != *"run --profile"* ]]
	done
}

@test "what policy denies or asks is not contained" {
	before t1 'rm -rf .sandbox'
	[[ $out == *'"deny"'* ]]
	before t1 'make test && sudo reboot'
	[[ $out != *updatedInput* ]]
}
