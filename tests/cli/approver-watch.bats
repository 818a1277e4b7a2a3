#!/usr/bin/env bats
# watch --line: one event, one line; a number means what was shown under it.

load ../approver
load ../line

setup() { approver_setup; }
teardown() { line_teardown; }

@test "approve by number" {
	watch
	frob "echo hello > $T/ran"
	until_true shown "[1]   ! ${ID:0:8} claude/s1"
	type_in 'a 1'
	until_true shown '[1] approved, running'
	until_true shown '[1] exit 0 after'
	[ "$(cat "$T/ran")" = hello ]
	run -0 answer
	[[ $output == *APPROVED* ]]
	type_in 'a 1'
	until_true shown '[1] is not waiting any more'
	type_in q
	wait "$WATCH"
	WATCH=
}

@test "deny with a reason, numbers are not reused" {
	watch
	frob 'echo one'
	until_true shown '[1] '
	type_in 'd 1 not today'
	until_true shown '[1] denied'
	run -0 answer
	[[ $output == *'not today'* ]]
	frob 'echo two'
	until_true shown '[2] '
	type_in 'a 2'
	until_true shown '[2] exit 0'
}

@test "what one line does not show must be shown before it is approved" {
	watch
	ask Bash "{\"command\":\"frob 'true' $(head -c 400 /dev/zero | tr '\0' x); frob 'touch $T/ran'\"}"
	until_true shown '[1] '
	type_in 'a 1'
	until_true shown '[1] look at all of it first'
	[ ! -e "$T/ran" ]
	type_in 's 1'
	until_true shown "sandbox approve $ID --digest $DIGEST"
	type_in 'a 1'
	until_true shown '[1] approved'
}

@test "swapped behind its number: nothing is approved" {
	watch
	frob 'echo harmless'
	until_true shown '[1] '
	f=".sandbox/escalations/pending/$ID"
	sed "s|echo harmless|touch $T/ran|" "$f" > "$T/forged"
	mv "$T/forged" "$f"	# a look in between sees one or the other
	type_in 'a 1'
	until_true shown 'is not what was shown'
	[ ! -e "$T/ran" ]
	[ -z "$(ls "$STATE/ledger")" ]
}

@test "stop by number; decided elsewhere is said" {
	watch
	frob 'sleep 4331.5'
	until_true shown '[1] '
	type_in 'a 1'
	until_true started
	type_in 'x 1'
	until_true shown '[1] stopped by a human'
	frob 'echo x'
	until_true shown '[2] '
	"$SANDBOX" deny "$ID" > "$T/deny.log"
	until_true shown '[2] gone: '
	type_in 'a 2'
	until_true shown '[2] is not waiting any more'
}

@test "not understood is said, and nothing happens" {
	watch
	frob 'echo x'
	until_true shown '[1] '
	for words in 'y' 'a' 'a 9' 'a 1x' 'a -1' 'approve 1' 'A 1' '1' 'l 1' \
	    'a 1 2' 'a 1 now' 's 1 2' 'x 1 2' 't 1 2'; do
		type_in "$words"
	done
	printf 'a 1\0\nd 1\0 no\n' >&7
	all() { [ "$(grep -cF 'not understood' "$T/screen")" -eq 16 ]; }
	until_true all
	[ -z "$(ls "$STATE/ledger")" ]
	type_in '?'
	until_true shown 'a N approve'
}

@test "a whole session is denied after yes, and only then" {
	watch
	frob 'echo one'
	frob 'echo two'
	until_true shown '[2] '
	type_in 'X 1'
	until_true shown '[1] all that wait from its session would be denied: `X N yes` does it'
	[ -z "$(ls "$STATE/ledger")" ]
	type_in 'X 1 yes'
	until_true shown '[1] denied'
	until_true shown '[2] denied'
}

@test "nothing is decided by a watch that cannot show it" {
	frob "touch $T/ran"
	for out in /dev/full '&-'; do
		rm -f "$T/keys"
		mkfifo "$T/keys"
		eval "\"$SANDBOX\" watch --line < \"$T/keys\" 2> \"$T/said\" 3>&- >$out &"
		WATCH=$!
		exec 7> "$T/keys"
		type_in 'a 1' || :
		exec 7>&-
		rc=0
		wait "$WATCH" || rc=$?
		WATCH=
		[ "$rc" -eq 8 ]
		grep -q 'cannot write to stdout' "$T/said"
	done
	[ ! -e "$T/ran" ]
	[ -z "$(ls "$STATE/ledger")" ]
}

@test "watching is what the hooks see; it ends with the end of input" {
	watch
	exec 7>&-
	wait "$WATCH"
	WATCH=
}

@test "locked key: asked once" {
	printf 'pw\n' > "$T/pass"
	"$SANDBOX" key passphrase --new-passphrase-fd 8 8< "$T/pass" > "$T/key.log"
	mkfifo "$T/keys"
	"$SANDBOX" watch --line --passphrase-fd 8 8< "$T/pass" < "$T/keys" \
	    > "$T/screen" 2>&1 3>&- &
	WATCH=$!
	exec 7> "$T/keys"
	frob 'echo one'
	until_true shown '[1] '
	type_in 'a 1'
	until_true shown '[1] exit 0'
	frob 'echo two'
	until_true shown '[2] '
	type_in 'a 2'
	until_true shown '[2] exit 0'
}
