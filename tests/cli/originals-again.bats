#!/usr/bin/env bats
# What `sandbox restore` takes for the last change, goes on with, and says of
# what it did.

load ../originals

setup() { originals_setup; }
teardown() { approver_teardown; }

changes() { "$SANDBOX" changes "$@"; }
restore() { "$SANDBOX" restore "$@"; }

# killed CALL COUNT ARG...: a restore that ends before that system call.
killed()
{
	local call=$1 count=$2
	shift 2
	run strace -f -qq -o "$T/trace" -e "trace=$call" \
	    -e "inject=$call:signal=KILL:when=$count" "$SANDBOX" restore "$@"
	[ "$status" -ne 0 ]
}

# Keeping is synced first, then what was put back; a file gets its mode before
# it gets its name.
@test "killed before a path is touched: again, and it is given back" {
	echo one > f
	edit_tool f "echo two > f"
	killed fchmod 1 f
	[ "$(cat f)" = two ]
	run -0 restore f
	[[ $output == "going on with restore "*$'\nwrite    f\n'* ]]
	[ "$(cat f)" = one ]
	[ -z "$(find . -name '.sandbox-restore.*')" ]
}

@test "killed between two paths: again, and both are given back" {
	mkdir d
	echo one | tee d/f > d/g
	bash_tool "sed -i s/one/two/ d/f d/g"
	killed fchmod 2 d
	[ "$(cat d/f d/g | sort | tr '\n' ' ')" = "one two " ]
	# The half that was done is not taken back either.
	run -0 restore d/f
	[ "$(cat d/f)" = one ]
	run -0 restore d
	[ "$(cat d/f)$(cat d/g)" = oneone ]
}

@test "killed when all was put back: again, and that stays" {
	local i
	echo one > f
	edit_tool f "echo two > f"
	killed syncfs 2 f
	[ "$(cat f)" = one ]
	for i in 1 2; do
		run -0 restore f
		[[ $output =~ 'nothing to do: '.*'restore --request '([0-9]+) ]]
		[ "$(cat f)" = one ]
	done
	run -0 restore --request "${BASH_REMATCH[1]}"
	[ "$(cat f)" = two ]
	"$SANDBOX" audit verify --full
}

@test "killed when all was recorded, before it let go: again, and that stays" {
	echo one > f
	edit_tool f "echo two > f"
	killed unlinkat 2 f
	grep -q '"kind":"file.restored"' "$STATE/audit/audit.jsonl"
	run -0 restore f
	[[ $output == *"nothing to do: "* ]]
	[ "$(cat f)" = one ]
}

@test "a session's restore that was killed: one of its files goes on with it" {
	echo one > f
	echo one > g
	start_session
	edit_tool f "echo two > f"
	edit_tool f "echo three > f"
	edit_tool g "echo two > g"
	killed syncfs 2 --session s1
	[ "$(cat f)" = one ]
	run -0 restore f
	[ "$(cat f)" = one ]
	# What the agent does behind it is the last change again.
	edit_tool f "echo four > f"
	run -0 restore f
	[ "$(cat f)" = one ]
	[[ $output != *"going on"* ]]
}

@test "a call that never happened hides no change" {
	local never="{\"file_path\":\"$ROOT/f\",\"old_string\":\"zzz\",\"new_string\":\"b\"}"
	echo one > f
	before Edit "$never"
	# Nothing else is known: it is as it was, before that one.
	run -0 restore f
	[[ $output == "nothing to do: all of it is as it was before change "* ]]
	edit_tool f "echo two > f"
	before Edit "$never"
	before Edit "$never"
	run -0 restore f
	[ "$(cat f)" = one ]
	# One that did, and whose end nobody saw, is a change.
	echo two > f
	before Edit "$never"
	echo three > f
	run -0 restore f
	[ "$(cat f)" = two ]
}

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

@test "what was done before it failed is in the JSON, too" {
	echo one > f
	edit_tool f "echo two > f"
	export ASAN_OPTIONS=detect_leaks=0
	run -8 --separate-stderr strace -qq -o "$T/trace" -e trace=syncfs \
	    -e inject=syncfs:error=ENOSPC:when=2 "$SANDBOX" restore --json f
	[[ $stderr == 'sandbox: cannot sync: '* ]]
	[[ $output == *'"paths":[{"path":"f","step":"write","done":true}]'* ]]
	[ "$(cat f)" = one ]
}

@test "a folder with files in a file's place is named as that" {
	echo one > f
	edit_tool f "echo two > f"
	rm f
	mkdir f
	echo mine > f/in
	for dry in '' --dry-run; do
		run -1 restore $dry f
		[ "${lines[0]}" = \
		    "refused  f: a folder with files is in its place" ]
		[ "${lines[1]}" = "nothing can be done" ]
	done
	[ "$(cat f/in)" = mine ]
	[ "$(ls -A f)" = in ]
}

@test "a folder that holds more than was made with it stays, and is named" {
	local told='there is something in it that no change made' dry
	echo one > f
	bash_tool "mkdir -p d/e; echo new > d/e/g; echo two > f"
	echo mine > d/e/h
	for dry in --dry-run ''; do
		run -1 restore $dry --session last
		grep -qxF "refused  d: $told" <<< "$output"
		grep -qxF "refused  d/e: $told" <<< "$output"
		grep -qxF 'remove   d/e/g' <<< "$output"
		grep -qxF 'write    f' <<< "$output"
	done
	[ "$(ls d/e)" = h ]
	[ "$(cat f)" = one ]
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
