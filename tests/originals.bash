# tests/originals.bash - an agent that changes files, for bats files.
#
#   originals_setup            approver_setup, and the session "s1"
#   start_session [NAME]       its start, through the real hook
#   bash_tool COMMAND          a Bash call that policy lets through: judged by
#                              the real hook, run here, reported to the hook
#   edit_tool FILE COMMAND     the same for Edit; COMMAND does the edit
#   write_tool FILE TEXT       the same for Write
#   fingerprint                every path with type, mode, link and content

load ../approver

originals_setup()
{
	approver_setup
	CALLS=0
	SESSION=s1
}

hook_event() # PROGRAM EVENT
{
	"$BUILD/$1" --client claude --event "$2" --root "$ROOT" \
	    --state "$STATE"
}

start_session()
{
	SESSION=${1:-s1}
	printf '{"session_id":"%s","cwd":"%s","hook_event_name":"SessionStart","source":"startup"}' \
	    "$SESSION" "$ROOT" | hook_event sessionstart SessionStart \
	    > "$T/started"
	if grep -q 'not working' "$T/started"; then
		cat "$T/started"
		return 1
	fi
}

# In a pipe, so that its client is not this shell.
end_session()
{
	printf '{"session_id":"%s","cwd":"%s","hook_event_name":"SessionEnd","reason":"clear"}' \
	    "$SESSION" "$ROOT" | hook_event sessionstart SessionEnd
}

hook_input() # EVENT TOOL INPUT [MORE]
{
	printf '{"session_id":"%s","cwd":"%s","hook_event_name":"%s",' \
	    "$SESSION" "$ROOT" "$1"
	# A client that gives calls no name says none.
	[ -n "${NAMELESS:-}" ] || printf '"tool_use_id":"call%s",' "$CALLS"
	printf '"tool_name":"%s","tool_input":%s%s}' "$2" "$3" "${4:-}"
}

# A JSON string of $1.
quoted() { perl -MJSON::PP -e 'print JSON::PP->new->allow_nonref->utf8->encode($ARGV[0])' "$1"; }

before() # TOOL INPUT
{
	CALLS=$((CALLS + 1))
	hook_input PreToolUse "$1" "$2" |
	    hook_event pretooluse PreToolUse > "$T/said"
	if [ -s "$T/said" ]; then
		cat "$T/said"
		return 1
	fi
}

behind() # TOOL INPUT
{
	hook_input PostToolUse "$1" "$2" ',"tool_response":{}' |
	    hook_event posttooluse PostToolUse > "$T/said"
}

bash_tool()
{
	local input
	input="{\"command\":$(quoted "$1")}"
	before Bash "$input"
	(cd "$ROOT" && bash -c "$1")
	behind Bash "$input"
}

edit_tool()
{
	local input
	input="{\"file_path\":$(quoted "$ROOT/$1"),\"old_string\":\"a\",\"new_string\":\"b\"}"
	before Edit "$input"
	(cd "$ROOT" && bash -c "$2")
	behind Edit "$input"
}

write_tool()
{
	local input
	input="{\"file_path\":$(quoted "$ROOT/$1"),\"content\":$(quoted "$2")}"
	before Write "$input"
	mkdir -p "$(dirname "$ROOT/$1")"
	printf %s "$2" > "$ROOT/$1"
	behind Write "$input"
}

fingerprint()
{
	(cd "$ROOT" && find . -path ./.sandbox -prune -o -path ./.claude -prune \
	    -o -printf '%P\t%y %m %l %s\0' | sed -z '/\td /s/ [0-9]*$//' |
	    sort -z | tr '\0' '\n'
	find . -path ./.sandbox -prune -o -path ./.claude -prune -o -type f \
	    -print0 | sort -z | xargs -0r sha256sum -z | tr '\0' '\n')
}
