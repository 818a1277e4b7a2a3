#!/usr/bin/env bats
# What `sandbox restore` takes for the last change, goes on with, and says of
# what it did.

load ../originals

setup() { originals_setup; }
teardown() { approver_teardown; }

changes() { "$SANDBOX" changes "$@"; }
restore() { "$SANDBOX" restore "$@"; }

@test "the doctor's sample is no session: last is the agent's" {
	echo one > f
	start_session
	edit_tool f "echo two > f"
	CLAUDECODE=1 "$SANDBOX" doctor > "$T/doctor" || :
	run -1 grep -c '"what":"baseline".*sandbox-doctor\|sandbox-doctor.*"what":"baseline"' \
	    "$STATE/audit/audit.jsonl"
	run -0 restore --session last
	[[ $output =~ ^"session  s1, which began "20[0-9T:-]*Z$'\n' ]]
	[ "$(cat f)" = one ]
	# A log of before has one.
	start_session sandbox-doctor
	run -0 restore --session last --json
	[[ $output == *'"session":"s1","began":"20'* ]]
	run -0 restore --session sandbox-d --dry-run
	[[ $output == "session  sandbox-doctor, which began "* ]]
}

@test "what it says it did it has done" {
	echo one > f
	edit_tool f "echo two > f"
	mkdir -m 700 "$STATE/originals/pending"
	run -4 flock "$STATE/originals/pending" "$SANDBOX" restore f
	[ "$output" = "sandbox: another restore is at work" ]
	[ "$(cat f)" = two ]
	# Leaks cannot be looked for below strace.
	export ASAN_OPTIONS=detect_leaks=0
	run -8 strace -qq -o "$T/trace" -e trace=syncfs \
	    -e inject=syncfs:error=ENOSPC:when=2 "$SANDBOX" restore f
	[[ $output == $'write    f\nwhat was there is kept: '*'sandbox: cannot sync: '* ]]
	[ "$(cat f)" = one ]
}

@test "a folder with files in a file's place is named as that" {
	echo one > f
	edit_tool f "echo two > f"
	rm f
	mkdir f
	echo mine > f/in
	run -1 restore f
	[[ $output == "failed   f: a folder with files is in its place" ]]
	[ "$(cat f/in)" = mine ]
	[ "$(ls -A f)" = in ]
}

@test "what is not kept is named, and how a time is written" {
	run -3 restore x
	[ "$output" = "sandbox: no change is kept here, so nothing can be given back" ]
	run -1 changes
	[ "$output" = "sandbox: no change is kept here" ]
	run -1 --separate-stderr changes --json
	[ "$output" = '{"changes":[]}' ]
	echo one > f
	edit_tool f "echo two > f"
	run -3 restore x
	[ "$output" = "sandbox: no change of 'x' is kept; \`sandbox changes\` lists those that are" ]
	run -1 changes x
	[ "$output" = "sandbox: no such change is kept here" ]
	run -3 restore f --to 2020-01-01
	[[ $output == *"no change is called '2020-01-01'; "*"; a time is 2026-11-29T17:41:02Z, or 90s, 10m, 2h ago" ]]
	run -2 restore --session ''
	run -2 restore --request ''
	run -2 restore f --to ''
	run -2 changes --session ''
	run -2 changes --change ''
	[ "$(cat f)" = two ]
	mv "$STATE/originals" "$T/"
	run -1 changes
	[ "$output" = "sandbox: no change is kept here" ]
}
