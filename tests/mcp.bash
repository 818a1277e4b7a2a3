# tests/mcp.bash - an MCP client at a shell, for bats files that also load
# approver.bash.
#
#   mcp_start [ARGS]           `sandbox mcp` beside this shell, never below it
#                              as its child; $MCP_PID
#   mcp_send JSON...           one message a line
#   mcp_reply ID               the response to ID, waited for; $REPLY_LINE
#   mcp_call ID TOOL ARGS      tools/call
#   mcp_hello [NAME]           initialize as client NAME
#   jget PATH                  of $REPLY_LINE: result.structuredContent.status
#   new_request                wait for a new request: $ID, $DIGEST

mcp_start()
{
	rm -f "$T/mcp.in"
	mkfifo "$T/mcp.in"
	: > "$T/mcp.out"
	# A subshell is the server's parent: to be noted as an agent.
	(
		"$SANDBOX" mcp -C "$ROOT" "$@" < "$T/mcp.in" > "$T/mcp.out" \
		    2> "$T/mcp.err" &
		echo $! > "$T/mcp.pid"
		s=0
		wait $! || s=$?
		echo $s > "$T/mcp.status"
	) 3>&- &
	ASKERS+=($!)
	exec 9> "$T/mcp.in"
	until_true test -s "$T/mcp.pid"
	MCP_PID=$(cat "$T/mcp.pid")
}

mcp_stop() { exec 9>&-; until_true test -s "$T/mcp.status"; }

mcp_send() { printf '%s\n' "$@" >&9; }

has_reply() { grep -qE "^\{\"jsonrpc\":\"2.0\",\"id\":$1[,}]" "$T/mcp.out"; }

mcp_reply()
{
	until_true has_reply "$1"
	REPLY_LINE=$(grep -E "^\{\"jsonrpc\":\"2.0\",\"id\":$1[,}]" "$T/mcp.out")
}

mcp_hello()
{
	mcp_send '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"'"${1:-tester}"'","version":"1"}}}' \
	    '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	mcp_reply 0
}

# mcp_call ID TOOL ARGUMENTS [META]
mcp_call()
{
	pending_ids | sort > "$T/before"
	mcp_send '{"jsonrpc":"2.0","id":'"$1"',"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3"',"_meta":{'"${4:-}"'}}}'
}

jget()
{
	printf '%s' "$REPLY_LINE" | python3 -c '
import json, sys
v = json.load(sys.stdin)
for part in sys.argv[1].split("."):
    v = v[int(part)] if isinstance(v, list) else v.get(part)
    if v is None:
        break
print(v if isinstance(v, str) else json.dumps(v))' "$1"
}

status_is()
{
	if [ "$(jget result.structuredContent.status)" = "$1" ]; then return 0; fi
	echo "$REPLY_LINE"
	return 1
}

new_request()
{
	until_true new_pending
	ID=$(cat "$T/new")
	DIGEST=$(digest_of)
	[ "${#DIGEST}" -eq 64 ]
}
