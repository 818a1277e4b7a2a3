# A project of one's own for each test: $STAGE/proj is the working directory,
# keys and private data lie beside it.  Nothing outside $STAGE is touched.
bats_require_minimum_version 1.5.0

project_setup()
{
	STAGE=$(cd "$(mktemp -d "${TMPDIR:-/tmp}/sandbox-test.XXXXXX")" && pwd -P)
	export HOME="$STAGE/home" XDG_STATE_HOME="$STAGE/state" \
		XDG_DATA_HOME="$STAGE/data"
	mkdir "$STAGE/proj" "$HOME"
	cd "$STAGE/proj"
}

project_teardown()
{
	cd /
	chmod -R u+rwX "$STAGE" 2>/dev/null || :
	rm -rf "$STAGE"
}

sandbox() { "$BUILD/sandbox" "$@"; }

# What the registered PreToolUse hook answers to a call.  $1 tool, $2 command.
hook_call()
{
	local state
	state=$(sandbox status --json | grep -o '"state":"[^"]*"' | cut -d'"' -f4)
	printf '{"session_id":"test","transcript_path":"/dev/null","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"%s","tool_use_id":"t1","tool_input":{"command":"%s"}}' \
	    "$PWD" "$1" "$2" |
	    "$BUILD/pretooluse" --client claude --event PreToolUse \
	    --root "$PWD" --state "$state"
}
