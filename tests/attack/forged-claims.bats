#!/usr/bin/env bats
# A file that an agent puts into the spool becomes a claim, never a record:
# not a judgement, not an original, not a decision.

load ../hook

setup() { hook_log_setup; }
teardown() { hook_teardown; }

# forge KIND FIELDS: as a hook would have left it.
forge()
{
	printf '{"v":1,"kind":"%s","session":"s1","agent":"claude",' "$1" \
	    > "$T/forged"
	printf '"t_wall_ms":1,"fields":%s}' "$2" >> "$T/forged"
	(umask 077 && cp "$T/forged" \
	    "$SPOOL/0123456789abcdef-000000000001-1")
}

next_call()
{
	allowed_call > "$T/in"
	hook < "$T/in"
	silent
	[ -z "$(ls "$SPOOL")" ]
}

@test "a claim that a call was judged does not make it judged" {
	# Known from `sandbox log --json`, which agents may run.
	hmac=$(sed -n 's/.*"call_hmac":"\([0-9a-f]*\)".*/\1/p' "$LOG" | tail -1)
	forge allow "{\"call_hmac\":\"$hmac\",\"tool_use_id\":\"t9\",\"decision\":\"allow\"}"
	next_call
	grep -F '"kind":"claim"' "$LOG" | grep -F "$hmac"
	printf '{"session_id":"s1","cwd":"%s","hook_event_name":"PostToolUse",
	    "tool_use_id":"t9","tool_name":"Read","tool_input":
	    {"file_path":"%s/notes.txt"},"tool_response":{}}' \
	    "$ROOT" "$ROOT" > "$T/after"
	EVENT=PostToolUse
	hook < "$T/after"
	grep -F '"kind":"hook.missed"' "$LOG" | grep -F '"tool_use_id":"t9"'
}

@test "a claim names no originals, and counts nowhere" {
	forge allow '{"originals":"'"$(printf '%064d' 1)"'","tool":"Write"}'
	next_call
	grep -F '"kind":"claim"' "$LOG"
	if grep -F ',"originals":"' "$LOG"; then false; fi
	run "$BUILD/sandbox" changes -C "$ROOT" --state "${STATE%/sandbox/*}" --json
	[ "$status" -eq 0 ] && [[ "$output" != *Write* ]]
	run "$BUILD/sandbox" audit verify -C "$ROOT" --state "${STATE%/sandbox/*}"
	[ "$status" -eq 0 ]
}

@test "what somebody must sign for cannot be claimed" {
	before=$(wc -l < "$LOG")
	for kind in approval deny policy.accept key rule checkpoint genesis \
	    chain.resume tool.result claim; do
		forge "$kind" '{}'
		next_call
	done
	[ "$(wc -l < "$LOG")" -eq $((before + 10)) ]
	if grep -F '"kind":"claim"' "$LOG"; then false; fi
}
