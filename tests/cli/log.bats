#!/usr/bin/env bats
# What happened, as a person asks for it: log, trace, stats.

load ../approver

setup() { approver_setup; }
teardown() { approver_teardown; }

@test "log: every filter, alone and together" {
	frob 'echo hello'
	run -0 approve
	answer > "$T/a"
	frob 'echo other'
	run -0 "$SANDBOX" deny "$ID" -m 'not this one'
	run -0 "$SANDBOX" log
	[ "${#lines[@]}" -ge 6 ]
	run -0 "$SANDBOX" log --kind tool.request
	[ "${#lines[@]}" -eq 2 ]
	run -0 "$SANDBOX" log --kind tool.request --text 'echo other'
	[ "${#lines[@]}" -eq 1 ]
	frob 'echo \"a b\"\\c'
	run -0 "$SANDBOX" log --kind tool.request --text '"a b"\c'
	[ "${#lines[@]}" -eq 1 ]
	run -0 "$SANDBOX" deny "$ID"
	run -0 "$SANDBOX" log --tool Bash --verdict escalate --path hello
	[[ $output == *'frob '* ]]
	run -0 "$SANDBOX" log --verdict deny
	[[ $output == *' deny '* ]]
	run -0 "$SANDBOX" log --session s1 -n 1
	[ "${#lines[@]}" -eq 1 ]
	run -1 "$SANDBOX" log --session s9
	[ "$output" = 'sandbox: no record like that' ]
	run -1 "$SANDBOX" log --kind nosuch
	[[ $output == 'sandbox: no record like that; the kinds are genesis '*' approval '* ]]
	run -1 "$SANDBOX" log --until 1h
	run -0 "$SANDBOX" log --since 1h --until 2100-01-01T00:00:00Z
	run -2 "$SANDBOX" log --since yesterday
	run -0 "$SANDBOX" log --json --kind genesis
	[[ $output == '{"v":1,"seq":"000000000000",'* ]]
}

@test "log -f: what comes is shown as it comes" {
	"$SANDBOX" log -f -n 9 > "$T/follow" 2>&1 3>&- &
	local p=$!
	until_true grep -q genesis "$T/follow"
	frob 'echo later'
	until_true grep -q 'echo later' "$T/follow"
	kill "$p"
	[ "$(grep -c genesis "$T/follow")" -eq 1 ]
}

@test "trace: the story of one request" {
	frob 'echo hello'
	run -0 approve
	answer > "$T/a"
	run -0 "$SANDBOX" trace "${ID:0:8}"
	[ "${lines[0]}" = "request $ID" ]
	[[ $output == *'the agent asked for Bash: frob '*'policy said escalate'* ]]
	[[ $output == *'a human approved it, to run on our side, after '* ]]
	[[ $output == *'it started'*'it ended: exit:0, after '* ]]
	[[ $output == *'the agent was told, in all '* ]]
	frob 'echo other'
	run -0 "$SANDBOX" trace "$ID"
	[[ $output == *'no human has decided yet'* ]]
	"$SANDBOX" deny "$ID" -m 'use staging' > "$T/deny"
	run -0 "$SANDBOX" trace "$ID"
	[[ $output == *'a human refused it, after '*'said: use staging'* ]]
	run -0 "$SANDBOX" trace --json "$ID"
	[[ ${lines[0]} == '{"v":1,'*'"kind":"tool.request"'* ]]
}

@test "stats: questions, decisions, speed, what a rule would spare" {
	for i in 1 2 3; do
		frob "echo $i"
		run -0 approve
	done
	frob 'echo no'
	"$SANDBOX" deny "$ID" > "$T/deny"
	run -0 "$SANDBOX" stats
	[[ ${lines[0]} == 'calls      4, of which 4 were asked about (100 %) and 0 refused' ]]
	[[ ${lines[1]} == 'decisions  3 approved, 1 denied (75 % approved)' ]]
	[[ $output == *'session    s1 '*'4 calls, 4 questions, 3 approved, 1 denied'* ]]
	run -0 "$SANDBOX" stats --json
	[[ $output == '{"calls":4,"asked":4,"approved":3,"denied":1,'*'"tired":false'* ]]
	# A kind with a denial is no candidate for a rule.
	[[ $output == *'"rules":[]'* ]]
	# The samples of doctor are nobody's calls.
	printf '{"session_id":"sandbox-doctor","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"doctor","tool_input":{"command":"sandbox approve doctor"}}' \
	    "$ROOT" | "$BUILD/pretooluse" --client claude \
	    --event PreToolUse --root "$ROOT" --state "$STATE" > "$T/out"
	grep -q '"deny"' "$T/out"
	run -0 "$SANDBOX" stats
	[[ ${lines[0]} == 'calls      4, '*' and 0 refused' ]]
	[[ $output != *sandbox-doctor* ]]
	run -0 "$SANDBOX" stats --since 2100-01-01T00:00:00Z
	[[ ${lines[0]} == 'calls      0,'* ]]
}

@test "a tool that ran unseen: status, doctor and stats say so" {
	run -0 "$SANDBOX" status
	[[ $output != *missed* ]]
	printf '{"session_id":"s1","cwd":"%s","hook_event_name":"PostToolUse","tool_name":"Read","tool_use_id":"unseen","tool_input":{"file_path":"%s/n"},"tool_response":{}}' \
	    "$ROOT" "$ROOT" | "$BUILD/posttooluse" --client claude \
	    --event PostToolUse --root "$ROOT" --state "$STATE" > "$T/out"
	grep -q '"systemMessage":"sandbox' "$T/out"
	run -0 "$SANDBOX" status
	[[ $output == *'missed   1 tools ran within a week that no hook of ours had judged, last 2'* ]]
	run -0 "$SANDBOX" status --json
	[[ $output == *'"hooks_missed":1'* ]]
	run "$SANDBOX" doctor
	[[ $output == *'hooks that missed'*'1 tools ran'* ]]
	run -0 "$SANDBOX" stats
	[[ $output == *'missed     1 tools ran'* ]]
}
