#!/usr/bin/env bats
# What is said on the wire, byte by byte: both eras, every kind of message that
# is none, ids of any type.  No project is needed for any of it.

load ../approver
load ../mcp

setup()
{
	T=$(mktemp -d "${TMPDIR:-/tmp}/sandbox-test.XXXXXX")
	export HOME=$T XDG_STATE_HOME=$T/state XDG_DATA_HOME=$T/data
	SANDBOX=$BUILD/sandbox
}
teardown() { rm -rf "$T"; }

# say LINE... - all of them in, all of what comes out in $out.
say()
{
	printf '%s\n' "$@" | "$SANDBOX" mcp -C "$T" > "$T/out"
	out=$(cat "$T/out")
}

# error CODE ID LINE - exactly one response, that error.
error()
{
	local code=$1 id=$2
	shift 2
	say "$@"
	case $out in
	'{"jsonrpc":"2.0","id":'"$id"',"error":{"code":'"$code"',"message":"'[!\"]*) ;;
	*) echo "in:  $1"; echo "out: $out"; return 1 ;;
	esac
	[ "$(wc -l < "$T/out")" -eq 1 ]
}

silent_to()
{
	say "$@"
	if [ -n "$out" ]; then echo "$out"; return 1; fi
}

META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

@test "every earlier version is spoken, and an unknown one is answered with ours" {
	for v in 2024-11-05 2025-03-26 2025-06-18 2025-11-25; do
		say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"'$v'","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}'
		[[ $out == *'"protocolVersion":"'$v'"'* ]]
	done
	say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}'
	[[ $out == *'"protocolVersion":"2025-11-25"'* ]]
}

@test "the new era: discover, list, call, without any handshake" {
	say '{"jsonrpc":"2.0","id":"a","method":"server/discover","params":{'"$META"'}}' \
	    '{"jsonrpc":"2.0","id":"b","method":"tools/list","params":{'"$META"'}}' \
	    '{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"sandbox_status",'"$META"'}}'
	[ "$(wc -l < "$T/out")" -eq 3 ]
	[ "$(grep -c '"resultType":"complete"' "$T/out")" -eq 3 ]
	[ "$(grep -c '"io.modelcontextprotocol/serverInfo":' "$T/out")" -eq 3 ]
	[ "$(grep -c '"ttlMs":3600000,"cacheScope":"public"' "$T/out")" -eq 2 ]
	grep -q '"supportedVersions":\["2026-07-28"\]' "$T/out"
}

@test "the new era: what a request must say of itself" {
	error -32602 1 '{"jsonrpc":"2.0","id":1,"method":"server/discover"}'
	error -32602 1 '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}'
	error -32022 1 '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}'
	[[ $out == *'"data":{"supported":["2026-07-28"],"requested":"2099-01-01"}'* ]]
	error -32601 1 '{"jsonrpc":"2.0","id":1,"method":"ping","params":{'"$META"'}}'
	error -32601 1 '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{'"$META"'}}'
}

@test "what is no JSON" {
	for line in '{' 'nonsense' '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}' \
	    "{'jsonrpc':'2.0'}" '{"jsonrpc":"2.0",}' '{"a":"\u0000"}' \
	    '{"a":"\ud800"}' '{"a":01}' '{"a":NaN}' '{} {}' '// {}'; do
		error -32700 null "$line"
	done
	error -32700 null "$(printf '{"a":"\377"}')"
	error -32700 null "$(head -c 40 /dev/zero | tr '\0' '[')"
	printf '{"jsonrpc":"2.0",\0"id":1,"method":"ping"}\n' |
	    "$SANDBOX" mcp -C "$T" > "$T/out"
	grep -q '"code":-32700' "$T/out"
}

@test "what is JSON and no message" {
	for line in '[]' '[{"jsonrpc":"2.0","id":1,"method":"ping"}]' '1' '"x"' \
	    null true '{}' '{"jsonrpc":"2.0"}'; do
		error -32600 null "$line"
	done
	error -32600 1 '{"jsonrpc":"1.0","id":1,"method":"ping"}'
	error -32600 1 '{"id":1,"method":"ping"}'
	error -32600 1 '{"jsonrpc":"2.0","id":1,"method":7}'
	error -32602 1 '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}'
	error -32602 1 '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":3}}'
	error -32601 1 '{"jsonrpc":"2.0","id":1,"method":"resources/list"}'
	error -32601 1 '{"jsonrpc":"2.0","id":1,"method":"tools/approve"}'
	error -32602 1 '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"approve"}}'
	error -32602 1 '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}'
	error -32602 1 '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_privileged","arguments":[]}}'
	error -32602 1 '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
}

@test "ids of any type: texts and whole numbers come back as they were" {
	for id in 0 1 -7 9007199254740991 '""' '"x"' '"a\"b\u00fc"'; do
		say '{"jsonrpc":"2.0","id":'"$id"',"method":"ping"}'
		printf '%s\n%s\n' '{"jsonrpc":"2.0","id":'"$id"'}' "$out" |
		    python3 -c '
import json, sys
a, b = [json.loads(l)["id"] for l in sys.stdin]
sys.exit(not (a == b and type(a) is type(b)))'
	done
	for id in null true 1.5 1e300 9007199254740993 '[1]' '{"a":1}'; do
		error -32600 null '{"jsonrpc":"2.0","id":'"$id"',"method":"ping"}'
	done
	error -32600 null '{"jsonrpc":"2.0","id":"'"$(head -c 300 /dev/zero | tr '\0' x)"'","method":"ping"}'
}

@test "notifications and responses are never answered" {
	silent_to '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
	    '{"jsonrpc":"2.0","method":"notifications/unheard"}' \
	    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"run_privileged"}}' \
	    '{"jsonrpc":"2.0","method":"ping","params":[]}' \
	    '{"jsonrpc":"2.0","method":"notifications/cancelled"}' \
	    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}' \
	    '{"jsonrpc":"2.0","id":5,"result":{}}' \
	    '{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}' '' '   '
}

@test "CRLF, no final newline, bytes one by one" {
	printf '{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n' |
	    "$SANDBOX" mcp -C "$T" | grep -q '"id":1,"result":{}'
	# What has no end is no line.
	printf '{"jsonrpc":"2.0","id":1,"method":"ping"}' |
	    "$SANDBOX" mcp -C "$T" > "$T/out"
	[ ! -s "$T/out" ]
	printf '{"jsonrpc":"2.0","id":2,"method":"ping"}\n' |
	    perl -e '$| = 1; while (read(STDIN, $c, 1)) { print $c }' |
	    "$SANDBOX" mcp -C "$T" | grep -q '"id":2,"result":{}'
}

@test "a line of 9 MiB is refused without being kept; the next one is answered" {
	{
		printf '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'
		head -c 9437184 /dev/zero | tr '\0' x
		printf '"}}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n'
	} | "$SANDBOX" mcp -C "$T" > "$T/out"
	[ "$(wc -l < "$T/out")" -eq 2 ]
	head -1 "$T/out" | grep -q '"id":null,"error":{"code":-32600'
	tail -1 "$T/out" | grep -q '"id":2,"result":{}'
}

@test "no tool approves, and no tool of ours is missing" {
	say '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
	python3 - "$T/out" <<'P'
import json, sys
tools = json.loads(open(sys.argv[1]).read())["result"]["tools"]
names = [t["name"] for t in tools]
assert names == ["run_privileged", "request_path_access", "fetch_url",
    "check_request", "sandbox_status"], names
for t in tools:
    assert t["inputSchema"]["type"] == "object"
    assert t["inputSchema"]["additionalProperties"] is False
    assert "status" in t["outputSchema"]["required"]
    assert "readOnlyHint" in t["annotations"]
    assert t["_meta"]["anthropic/alwaysLoad"] is True
    assert "approve" not in t["name"]
P
}

@test "a reader that is gone ends the server" {
	python3 - "$SANDBOX" "$T" <<'P'
import subprocess, sys
p = subprocess.Popen([sys.argv[1], "mcp", "-C", sys.argv[2]],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
p.stdout.close()
try:
    p.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    p.stdin.flush()
except BrokenPipeError:
    pass
assert p.wait(timeout=20) == 0
P
}
