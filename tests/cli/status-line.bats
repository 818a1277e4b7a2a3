#!/usr/bin/env bats
# `sandbox status --line`, for an agent's status bar: one line, true in every
# state there is, and never in the way of what draws it.

load ../approver

setup() { approver_setup; }
teardown() { approver_teardown; }

says() # LINE
{
	run -0 --separate-stderr "$SANDBOX" status --line < /dev/null
	[ "$output" = "sandbox: $1" ] || { echo "$output"; return 1; }
	[ -z "$stderr" ]
}

running() { "$SANDBOX" status --line | grep -q ' 1 running'; }
watched() { "$SANDBOX" status --line | grep -q ', watched$'; }

@test "waiting, running, over" {
	says '0 waiting, 0 running, grade D, audit ok, not watched'
	mkfifo gate
	frob "cat gate"
	says '1 waiting, 0 running, grade D, audit ok, not watched'
	first=$ID first_digest=$DIGEST
	frob 'echo two'
	says '2 waiting, 0 running, grade D, audit ok, not watched'
	"$SANDBOX" approve "$first" --digest "$first_digest" > "$T/run" 3>&- &
	until_true running
	says '1 waiting, 1 running, grade D, audit ok, not watched'
	echo > gate
	wait $!
	"$SANDBOX" deny "$ID"
	says '0 waiting, 0 running, grade D, audit ok, not watched'
}

@test "watched" {
	mkfifo "$T/keys"
	sleep 60 > "$T/keys" 3>&- &
	holder=$!
	"$SANDBOX" watch --line < "$T/keys" > "$T/screen" 2>&1 3>&- &
	watcher=$!
	until_true watched
	says '0 waiting, 0 running, grade D, audit ok, watched'
	kill "$watcher" "$holder"
}

@test "the grade: locked, none" {
	echo 'long enough a passphrase' > "$T/pass"
	"$SANDBOX" key passphrase --new-passphrase-fd 8 8< "$T/pass"
	says '0 waiting, 0 running, grade C, audit ok, not watched'
	rm -r "$XDG_DATA_HOME/sandbox/keys"
	says '0 waiting, 0 running, grade -, audit ok, not watched'
}

@test "the log: cut, gone" {
	truncate -s -20 "$STATE/audit/audit.jsonl"
	run -0 "$SANDBOX" status --line
	[[ $output == 'sandbox: 0 waiting, 0 running, grade D, audit '*', not watched' ]]
	[[ $output != *'audit ok'* ]]
	mv "$STATE/audit" "$T/audit"
	run -7 --separate-stderr "$SANDBOX" status --line
	[ -z "$output" ] && [[ $stderr == *"'audit'"* ]]
}

@test "hooks and MCP servers: connected, edited, gone" {
	"$SANDBOX" init --mcp --codex > "$T/log"
	says '0 waiting, 0 running, grade D, audit ok, not watched'
	sed -i 's/"-C"/"-D"/' .codex/config.toml
	says '0 waiting, 0 running, grade D, audit ok, NOT connected'
	run -0 "$SANDBOX" status
	[[ $output == *'mcp-codex NOT connected: '* ]]
	"$SANDBOX" init --mcp --codex > "$T/log"
	says '0 waiting, 0 running, grade D, audit ok, not watched'
	rm .claude/settings.local.json
	says '0 waiting, 0 running, grade D, audit ok, NOT connected'
}

@test "not set up, or not to be read: nothing for the bar, the reason beside it" {
	cd "$T"
	run -7 --separate-stderr "$SANDBOX" status --line
	[ -z "$output" ] && [[ $stderr == 'sandbox: '*'sandbox init'* ]]
	cd "$ROOT"
	echo x > "$STATE/view/policy.accepted"
	run ! --separate-stderr "$SANDBOX" status --line
	[ -z "$output" ] && [ -n "$stderr" ]
}

@test "from anywhere, as an agent's status bar runs it: with input, as an agent" {
	mkdir sub
	cd sub
	out=$(printf '{"cwd":"%s"}' "$PWD" |
	    CLAUDECODE=1 AI_AGENT=x "$SANDBOX" status --line)
	[ "$out" = 'sandbox: 0 waiting, 0 running, grade D, audit ok, not watched' ]
}
