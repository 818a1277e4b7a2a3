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
