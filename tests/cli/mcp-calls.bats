#!/usr/bin/env bats
# The MCP door, as a client meets it: what is asked becomes a request, what a
# human decides in another process comes back as the call's result.

load ../approver
load ../mcp

setup() { approver_setup; }
teardown() { exec 9>&-; approver_teardown; }

@test "initialize, tools/list, a shell call, approved elsewhere, its result" {
	mcp_start
	mcp_hello
	[ "$(jget result.protocolVersion)" = 2025-06-18 ]
	[ "$(jget result.serverInfo.name)" = sandbox ]
	mcp_send '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
	mcp_reply 1
	[ "$(jget result.tools.0.name)" = run_privileged ]

	mcp_call 2 run_privileged \
	    '{"command":"frob '"'echo hello; exit 3'"'","reason":"to see it"}'
	new_request
	[ "$(field agent_says)" = 'to see it' ]
	[ "$(field agent)" = tester ]
	run -3 approve
	mcp_reply 2
	status_is done
	[ "$(jget result.structuredContent.request_id)" = "$ID" ]
	[ "$(jget result.structuredContent.exit_code)" = 3 ]
	[ "$(jget result.structuredContent.output)" = hello ]
	[ "$(jget result.isError)" = false ]
	jget result.content.0.text | grep -q '^APPROVED and already executed once'
	[ -e "$STATE/ledger/$ID.collected" ]
	"$SANDBOX" audit verify > "$T/verify"
	mcp_stop
	[ "$(cat "$T/mcp.status")" -eq 0 ]
}

echo_call() { mcp_call "$1" run_privileged "{\"command\":\"frob 'echo $2'\",\"reason\":\"r\"}"; }

# What a policy of quick tests is: nobody watches, so calls end soon.
quick() { policy '{"version":1,"limits":{"wait_alone_s":'"${1:-0}"',"pending_session_max":100,"new_per_minute":1000}}'; }

@test "a denial comes back with the human's words" {
	mcp_start
	mcp_hello
	echo_call 1 no
	new_request
	"$SANDBOX" deny "$ID" -m 'use staging'
	mcp_reply 1
	status_is denied
	[ "$(jget result.structuredContent.by)" = human ]
	[ "$(jget result.structuredContent.approver_says)" = 'use staging' ]
	[ "$(jget result.isError)" = true ]
}

@test "what policy denies is denied at once, and recorded" {
	mcp_start
	mcp_hello
	mcp_call 1 run_privileged \
	    '{"command":"sandbox approve x","reason":"r"}'
	mcp_reply 1
	status_is denied
	[ "$(jget result.structuredContent.by)" = policy ]
	[ "$(kinds)" = 'genesis policy.accept policy.accept guardrail.decision ' ]
	[ -z "$(pending_ids)" ]
}

@test "what a hook would let through is asked all the same" {
	mcp_start
	mcp_hello
	mcp_call 1 run_privileged '{"command":"echo harmless","reason":"r"}'
	new_request
	run -0 approve
	mcp_reply 1
	status_is done
}

@test "nobody there: pending; check_request collects once, then copies" {
	quick
	mcp_start
	mcp_hello
	echo_call 1 late
	mcp_reply 1
	status_is pending
	ID=$(jget result.structuredContent.request_id)
	[ "$(pending_ids)" = "$ID" ]
	mcp_call 2 check_request "{\"request_id\":\"$ID\"}"
	mcp_reply 2
	status_is pending
	DIGEST=$(digest_of)
	run -0 approve
	mcp_call 3 check_request "{\"request_id\":\"$ID\"}"
	mcp_reply 3
	status_is done
	[ "$(jget result.structuredContent.output)" = late ]
	[ "$(jget result.structuredContent.copy)" = null ]
	mcp_call 4 check_request "{\"request_id\":\"$ID\"}"
	mcp_reply 4
	[ "$(jget result.structuredContent.copy)" = true ]
}

@test "the same call again joins what it asked, and collects" {
	quick
	mcp_start
	mcp_hello
	echo_call 1 again
	mcp_reply 1
	status_is pending
	ID=$(jget result.structuredContent.request_id)
	echo_call 2 again
	mcp_reply 2
	[ "$(jget result.structuredContent.request_id)" = "$ID" ]
	DIGEST=$(digest_of)
	run -0 approve
	echo_call 3 again
	mcp_reply 3
	status_is done
	[ "$(find "$STATE/ledger" -name '*.used' | wc -l)" -eq 1 ]
}

@test "check_request waits for a decision" {
	quick
	mcp_start
	mcp_hello
	echo_call 1 wait
	mcp_reply 1
	ID=$(jget result.structuredContent.request_id)
	DIGEST=$(digest_of)
	mcp_call 2 check_request "{\"request_id\":\"$ID\",\"wait_seconds\":40}"
	mcp_send '{"jsonrpc":"2.0","id":3,"method":"ping"}'
	mcp_reply 3
	run ! has_reply 2
	run -0 approve
	mcp_reply 2
	status_is done
}

@test "check_request of nothing, of garbage, of another project's" {
	mcp_start
	mcp_hello
	n=10
	for id in 0123456789abcdef-0123456789ab-1 x ../../etc/passwd ''; do
		mcp_call $n check_request "{\"request_id\":\"$id\"}"
		mcp_reply $n
		[ "$(jget result.isError)" = true ]
		n=$((n + 1))
	done
}

@test "cancelled: the request is taken back, and no response comes" {
	mcp_start
	mcp_hello
	echo_call 1 cancel
	new_request
	mcp_send '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"bored"}}'
	gone() { [ -z "$(pending_ids)" ]; }
	until_true gone
	mcp_send '{"jsonrpc":"2.0","id":2,"method":"ping"}'
	mcp_reply 2
	run ! has_reply 1
	run -124 approve
}

@test "cancelled while it runs: it goes on, its answer can be collected" {
	mcp_start
	mcp_hello
	mcp_call 1 run_privileged \
	    '{"command":"frob '"'until [ -e go ]; do sleep 0.1; done; echo ran'"'","reason":"r"}'
	new_request
	approve > "$T/approve.log" 2>&1 &
	ASKERS+=($!)
	until_true started
	mcp_send '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
	mcp_send '{"jsonrpc":"2.0","id":2,"method":"ping"}'
	mcp_reply 2
	touch go
	until_true has_result
	mcp_call 3 check_request "{\"request_id\":\"$ID\"}"
	mcp_reply 3
	status_is done
	[ "$(jget result.structuredContent.output)" = ran ]
	run ! has_reply 1
}

@test "the client ends: waiting requests are taken back" {
	mcp_start
	mcp_hello
	echo_call 1 gone
	new_request
	mcp_stop
	[ "$(cat "$T/mcp.status")" -eq 0 ]
	[ -z "$(pending_ids)" ]
	[ -e "$ROOT/.sandbox/escalations/closed/$ID" ]
}

@test "SIGTERM: waiting requests are taken back" {
	mcp_start
	mcp_hello
	echo_call 1 term
	new_request
	kill -TERM "$MCP_PID"
	until_true test -s "$T/mcp.status"
	[ -z "$(pending_ids)" ]
}

@test "the server is killed while it runs: another one collects the answer" {
	mcp_start
	mcp_hello
	mcp_call 1 run_privileged \
	    '{"command":"frob '"'until [ -e go ]; do sleep 0.1; done; echo ran'"'","reason":"r"}'
	new_request
	approve > "$T/approve.log" 2>&1 &
	ASKERS+=($!)
	until_true started
	kill -KILL "$MCP_PID"
	until_true test -s "$T/mcp.status"
	exec 9>&-
	rm "$T/mcp.status" "$T/mcp.pid"
	touch go
	until_true has_result
	mcp_start
	mcp_hello
	mcp_call 3 check_request "{\"request_id\":\"$ID\"}"
	mcp_reply 3
	status_is done
	[ "$(jget result.structuredContent.output)" = ran ]
}

@test "a hook's request is read through MCP" {
	quick
	frob 'echo by hook'
	answer | grep -q PENDING
	mcp_start
	mcp_hello
	mcp_call 1 check_request "{\"request_id\":\"$ID\"}"
	mcp_reply 1
	status_is pending
	run -0 approve
	mcp_call 2 check_request "{\"request_id\":\"$ID\"}"
	mcp_reply 2
	status_is done
	[ "$(jget result.structuredContent.output)" = 'by hook' ]
}

@test "in Claude Code the hook collects what MCP asked, in the same session" {
	quick
	CLAUDE_CODE_SESSION_ID=s1 mcp_start
	mcp_hello claude-code
	echo_call 1 both '"claudecode/toolUseId":"toolu_7"'
	mcp_reply 1
	status_is pending
	ID=$(jget result.structuredContent.request_id)
	DIGEST=$(digest_of)
	run -0 approve
	printf '{"session_id":"s1","cwd":"%s","hook_event_name":"PreToolUse","tool_use_id":"t1","tool_name":"Bash","tool_input":{"command":"frob '"'echo both'"'"}}' "$ROOT" |
	    "$BUILD/pretooluse" --client claude --event PreToolUse \
	    --root "$ROOT" --state "$STATE" > "$T/hook"
	grep -q 'APPROVED and already executed once' "$T/hook"
	grep -q both "$T/hook"
	[ "$(find "$STATE/ledger" -name '*.used' | wc -l)" -eq 1 ]
}

@test "allow once is not used up by reading it" {
	quick
	ask Unheard '{"x":1}'
	answer | grep -q PENDING
	run -0 approve
	mcp_start
	mcp_hello
	for n in 1 2; do
		mcp_call $n check_request "{\"request_id\":\"$ID\"}"
		mcp_reply $n
		status_is allowed
	done
	[ ! -e "$STATE/ledger/$ID.collected" ]
}

@test "an answer nobody signed is not believed" {
	quick 20
	mcp_start
	mcp_hello
	echo_call 1 forged
	new_request
	"$BUILD/tests/tools/human" "$STATE" "$ID" run 'evil' 'words' key
	mcp_reply 1
	status_is error
	run ! grep -q evil "$T/mcp.out"
}

@test "a file outside the project, read and written" {
	echo 'outside text' > "$T/outside.txt"
	mcp_start
	mcp_hello
	mcp_call 1 request_path_access \
	    "{\"path\":\"$T/outside.txt\",\"mode\":\"read\",\"reason\":\"r\"}"
	new_request
	run -0 approve
	mcp_reply 1
	status_is done
	jget result.structuredContent.output | grep -q 'outside text'

	mcp_call 2 request_path_access \
	    "{\"path\":\"$T/new.txt\",\"mode\":\"write\",\"reason\":\"r\",\"content\":\"of the agent\\n\"}"
	new_request
	"$SANDBOX" show "$ID" | grep -q '^+ of the agent'
	run -0 approve
	mcp_reply 2
	status_is done
	[ "$(cat "$T/new.txt")" = 'of the agent' ]
}

@test "path access: what is protected stays so, what is ill-formed is told" {
	mcp_start
	mcp_hello
	mcp_call 1 request_path_access \
	    "{\"path\":\"$STATE/view/approvers\",\"mode\":\"write\",\"reason\":\"r\",\"content\":\"x\"}"
	mcp_reply 1
	status_is denied
	n=2
	for args in '{"path":"/x","mode":"write","reason":"r"}' \
	    '{"path":"/x","mode":"read","reason":"r","content":"x"}' \
	    '{"path":"/x","mode":"delete","reason":"r"}' \
	    '{"path":"/x","mode":"read"}' '{"path":"","mode":"read","reason":"r"}' \
	    '{"path":"/x","mode":"read","reason":"r","force":true}'; do
		mcp_call $n request_path_access "$args"
		mcp_reply $n
		status_is error
		n=$((n + 1))
	done
	[ -z "$(pending_ids)" ]
}

@test "sandbox_status: who watches, what waits, what can be collected" {
	quick
	mcp_start
	mcp_hello
	echo_call 1 one
	mcp_reply 1
	mcp_call 2 sandbox_status '{}'
	mcp_reply 2
	status_is ok
	[ "$(jget result.structuredContent.watched)" = false ]
	[ "$(jget result.structuredContent.waiting)" = 1 ]
	[ "$(jget result.structuredContent.requests.0.summary)" = "frob 'echo one'" ]
}

@test "fifty calls at once, each gets its own answer" {
	quick 60
	mcp_start
	mcp_hello
	for i in $(seq 50); do echo_call "$i" "n$i"; done
	all_there() { [ "$(pending_ids | wc -l)" -eq 50 ]; }
	until_true all_there
	for ID in $(pending_ids); do
		word=$(field agent_says)
		DIGEST=$(digest_of)
		approve > "$T/approve.log" 2>&1
	done
	for i in $(seq 50); do
		mcp_reply "$i"
		status_is done
		[ "$(jget result.structuredContent.output)" = "n$i" ]
	done
}

@test "progress grows strictly, every few seconds, until the answer" {
	quick 60
	mcp_start
	mcp_hello
	pending_ids | sort > "$T/before"
	mcp_call 1 run_privileged '{"command":"frob x","reason":"r"}' \
	    '"progressToken":"p-1"'
	new_request
	two() { [ "$(grep -c '"progressToken":"p-1"' "$T/mcp.out")" -ge 2 ]; }
	until_true two
	"$SANDBOX" deny "$ID" -m no
	mcp_reply 1
	sed -n 's/.*"progressToken":"p-1","progress":\([0-9]*\).*/\1/p' \
	    "$T/mcp.out" > "$T/progress"
	sort -nu "$T/progress" | cmp - "$T/progress"
}

@test "no project around: every call says so, nothing is written" {
	mkdir "$T/else"
	ROOT=$T/else mcp_start
	mcp_hello
	mcp_send '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_privileged","arguments":{"command":"ls","reason":"r"}}}'
	mcp_reply 1
	status_is error
	[ -z "$(ls -A "$T/else")" ]
}

@test "a probe leaves no trace" {
	find "$ROOT/.sandbox" "$T/state" "$T/data" -printf '%p %T@ %s\n' |
	    sort > "$T/a"
	mcp_start
	mcp_hello
	mcp_send '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
	mcp_reply 1
	mcp_stop
	find "$ROOT/.sandbox" "$T/state" "$T/data" -printf '%p %T@ %s\n' |
	    sort | cmp "$T/a" -
}
