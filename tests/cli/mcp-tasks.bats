#!/usr/bin/env bats
# A request as a task, for clients that declare that they can poll: the
# extension of 2026-07-28 and the core feature of 2025-11-25.

load ../approver
load ../mcp

setup() { approver_setup; }
teardown() { exec 9>&-; approver_teardown; }

META='"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}'

modern() # id method params
{
	pending_ids | sort > "$T/before"
	mcp_send '{"jsonrpc":"2.0","id":'"$1"',"method":"'"$2"'","params":{'"$3"',"_meta":{'"$META"'}}}'
}

legacy()
{
	pending_ids | sort > "$T/before"
	mcp_send '{"jsonrpc":"2.0","id":'"$1"',"method":"'"$2"'","params":{'"$3"'}}'
}

hello_11_25()
{
	mcp_send '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
	mcp_reply 0
	[ "$(jget result.capabilities.tasks.cancel)" = '{}' ]
}

CALL='"name":"run_privileged","arguments":{"command":"frob '"'echo task'"'","reason":"r"}'

@test "the extension: a handle at once, polled, completed with the result" {
	mcp_start
	modern 1 tools/call "$CALL"
	mcp_reply 1
	[ "$(jget result.resultType)" = task ]
	[ "$(jget result.status)" = working ]
	new_request
	[ "$(jget result.taskId)" = "$ID" ]
	modern 2 tasks/get '"taskId":"'"$ID"'"'
	mcp_reply 2
	[ "$(jget result.status)" = working ]
	[ "$(jget result.resultType)" = complete ]
	"$SANDBOX" show "$ID" | grep -q 'still waiting'
	run -0 approve
	modern 3 tasks/get '"taskId":"'"$ID"'"'
	mcp_reply 3
	[ "$(jget result.status)" = completed ]
	[ "$(jget result.result.structuredContent.output)" = task ]
	[ "$(jget result.result.isError)" = false ]
}

@test "the extension is used only where it is declared" {
	mcp_start
	META='"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}' \
	    modern 1 tools/call "$CALL"
	new_request
	run ! has_reply 1
	"$SANDBOX" deny "$ID" -m no
	mcp_reply 1
	[ "$(jget result.resultType)" = complete ]
	mcp_hello
	legacy 2 tools/call "$CALL"',"task":{"ttl":1000}'
	new_request
	run ! has_reply 2
}

@test "a task outlives its server; another one has the result" {
	mcp_start
	modern 1 tools/call "$CALL"
	new_request
	mcp_reply 1
	mcp_stop
	[ "$(pending_ids)" = "$ID" ]
	rm "$T/mcp.status" "$T/mcp.pid"
	run -0 approve
	mcp_start
	modern 2 tasks/get '"taskId":"'"$ID"'"'
	mcp_reply 2
	[ "$(jget result.status)" = completed ]
	[ "$(jget result.result.structuredContent.output)" = task ]
}

@test "cancelled: taken back while it waits, by its own session only" {
	mcp_start
	modern 1 tools/call "$CALL"
	new_request
	modern 2 tasks/cancel '"taskId":"'"$ID"'"'
	mcp_reply 2
	[ "$(jget result.resultType)" = complete ]
	[ -z "$(pending_ids)" ]
	modern 3 tasks/get '"taskId":"'"$ID"'"'
	mcp_reply 3
	[ "$(jget result.status)" = cancelled ]
	frob 'echo of a hook'
	modern 4 tasks/cancel '"taskId":"'"$ID"'"'
	mcp_reply 4
	[ "$(pending_ids)" = "$ID" ]
}

@test "what policy denies is denied at once, without a task" {
	mcp_start
	modern 1 tools/call '"name":"run_privileged","arguments":{"command":"sandbox approve x","reason":"r"}'
	mcp_reply 1
	[ "$(jget result.resultType)" = complete ]
	status_is denied
}

@test "no such task" {
	mcp_start
	n=10
	for id in '"0123456789abcdef-0123456789ab-1"' '"x"' 7 null; do
		for method in get update cancel; do
			modern $n tasks/$method '"taskId":'"$id"
			mcp_reply $n
			[ "$(jget error.code)" = -32602 ]
			n=$((n + 1))
		done
	done
	modern 2 tasks/list '"x":1'
	mcp_reply 2
	[ "$(jget error.code)" = -32601 ]
}

@test "2025-11-25: a task, polled, its result fetched" {
	mcp_start
	hello_11_25
	legacy 1 tools/call "$CALL"',"task":{"ttl":60000}'
	mcp_reply 1
	[ "$(jget result.task.status)" = working ]
	new_request
	[ "$(jget result.task.taskId)" = "$ID" ]
	legacy 2 tasks/result '"taskId":"'"$ID"'"'
	legacy 3 tasks/get '"taskId":"'"$ID"'"'
	mcp_reply 3
	[ "$(jget result.status)" = working ]
	[ "$(jget result.pollInterval)" = 2000 ]
	run ! has_reply 2
	run -0 approve
	mcp_reply 2
	status_is done
	[ "$(jget result.structuredContent.output)" = task ]
	grep -q '"io.modelcontextprotocol/related-task":{"taskId":"'"$ID"'"}' \
	    "$T/mcp.out"
	legacy 4 tasks/get '"taskId":"'"$ID"'"'
	mcp_reply 4
	[ "$(jget result.status)" = completed ]
	legacy 5 tasks/cancel '"taskId":"'"$ID"'"'
	mcp_reply 5
	[ "$(jget error.code)" = -32602 ]
}

@test "2025-11-25: without `task` it is a call like any other" {
	mcp_start
	hello_11_25
	legacy 1 tools/call "$CALL"
	new_request
	run ! has_reply 1
	run -0 approve
	mcp_reply 1
	status_is done
}
