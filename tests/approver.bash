# tests/approver.bash - a project set up by `sandbox init`, an agent's call that
# waits in it, and a human at this shell.  For bats files.
#
#   approver_setup             $T, $ROOT (working directory), $STATE, $SANDBOX
#   policy JSON                accept these rules
#   ask TOOL INPUT-JSON        a call through the real hook, in the background;
#                              $ID, $DIGEST
#   frob COMMAND               ask for Bash `frob 'COMMAND'`: a program nobody
#                              knows, so a human is asked; it runs COMMAND
#   approve [ARGS]             approve $ID as it was shown; `run approve` too
#   answer                     what the asker's hook printed; waits for it
#
# The asker is a subshell beside the human, never above: approving under an
# agent is refused.

bats_require_minimum_version 1.5.0

approver_setup()
{
	T=$(cd "$(mktemp -d "${TMPDIR:-/tmp}/sandbox-test.XXXXXX")" && pwd -P)
	export HOME=$T/home XDG_STATE_HOME=$T/state XDG_DATA_HOME=$T/data
	ROOT=$T/proj
	SANDBOX=$BUILD/sandbox
	mkdir "$ROOT" "$HOME" "$T/bin"
	cat > "$T/bin/frob" <<'EOF'
#!/bin/sh
exec bash -c "$1"
EOF
	chmod 755 "$T/bin/frob"
	PATH=$T/bin:$PATH
	cd "$ROOT"
	"$SANDBOX" init --claude > "$T/init.log"
	STATE=$(echo "$T"/state/sandbox/*)
	policy '{"version":1}'
	ASKERS=()
	N=0
}

# What a jail could hold is asked here, whether there is a jail or not.
policy()
{
	printf '%s\n' "{\"contain\":\"off\",${1#\{}" > .sandbox/policy.json
	"$SANDBOX" policy accept --digest "$("$SANDBOX" policy diff |
	    sed -n 's/.*accept --digest //p')" > "$T/accept.log"
}

approver_teardown()
{
	local p
	for p in "${ASKERS[@]}"; do
		kill "$p" 2> "$T/kill.log" || :
	done
	cd /
	# A runner may still write its last file.
	until_true remove_all
}

remove_all() { chmod -R u+rwX "$T" 2>&1 | :; rm -rf "$T" 2>&1 | :; [ ! -e "$T" ]; }

# until_true COMMAND... - at most 15 s.
until_true()
{
	local i
	for i in $(seq 300); do
		if "$@"; then return 0; fi
		sleep 0.05
	done
	echo "never true: $*"
	return 1
}

pending_ids()
{
	find "$ROOT/.sandbox/escalations/pending" -type f -printf '%f\n'
}

new_pending()
{
	comm -13 "$T/before" <(pending_ids | sort) > "$T/new"
	[ -s "$T/new" ]
}

# field NAME [ID] - a string of `show --json`, as JSON wrote it.
field()
{
	"$SANDBOX" show --json "${2:-$ID}" |
	    sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}

digest_of()
{
	"$SANDBOX" show --json "${1:-$ID}" |
	    sed -n 's/^{"id":"[^"]*","digest":"\([0-9a-f]*\)".*/\1/p'
}

ask()
{
	N=$((N + 1))
	printf '{"session_id":"s1","cwd":"%s","hook_event_name":"PreToolUse",'\
'"tool_use_id":"t%s","tool_name":"%s","tool_input":%s}' \
	    "${CWD:-$ROOT}" "$N" "$1" "$2" > "$T/in.$N"
	pending_ids | sort > "$T/before"
	# The second command keeps the subshell: it is the hook's parent.
	(
		CLAUDECODE=1 AI_AGENT=x ANTHROPIC_API_KEY=sk-ant-secret \
		    CLAUDE_PID=1 "$BUILD/pretooluse" --client claude \
		    --event PreToolUse --root "$ROOT" --state "$STATE" \
		    < "$T/in.$N" > "$T/out.$N" 2> "$T/err.$N"
		echo "$?" > "$T/status.$N"
	) 3>&- &
	ASKERS+=($!)
	until_true new_pending
	ID=$(cat "$T/new")
	DIGEST=$(digest_of)
	[ "${#DIGEST}" -eq 64 ]
}

frob() { ask Bash "{\"command\":\"frob '$1'\"${2:-}}"; }

approve() { "$SANDBOX" approve "$ID" --digest "$DIGEST" "$@"; }

answered() { [ -s "$T/status.${1:-$N}" ]; }

answer()
{
	until_true answered "${1:-$N}"
	cat "$T/out.${1:-$N}"
}

kinds()
{
	sed -n 's/.*"kind":"\([^"]*\)".*/\1/p' "$STATE/audit/audit.jsonl" |
	    tr '\n' ' '
}

run_file() { echo "$STATE/run/$ID/$1"; }
has_result() { [ -s "$(run_file result)" ]; }
started() { [ -e "$STATE/ledger/$ID.started" ]; }
