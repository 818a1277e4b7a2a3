#!/usr/bin/env bats
# The human's key: locked, unlocked for each decision, and what critical asks.

load ../approver

setup() { approver_setup; }
teardown() { approver_teardown; }

lock_key()
{
	printf 'first pass\n' > "$T/pass"
	"$SANDBOX" key passphrase --new-passphrase-fd 8 8< "$T/pass" \
	    > "$T/key.log"
}

# A terminal of its own for a command: what is written to $T/keys is typed,
# what appears is in $T/screen, its exit status in $T/rc.
on_terminal()
{
	mkfifo "$T/keys"
	printf '%s\n' "$*" > "$T/line"
	( exec 9<> "$T/keys"
	  script -qefc "bash $T/line" "$T/screen" < "$T/keys" > "$T/null" || rc=$?
	  echo "${rc:-0}" > "$T/rc" ) 3>&- &
	exec 7> "$T/keys"
}
screen_has() { grep -qs "$1" "$T/screen"; }
terminal_over() { [ -s "$T/rc" ]; }

@test "key list and --json; new does not overwrite" {
	run -0 "$SANDBOX" key list
	[[ $output == "ed25519 "*" approver (open)" ]]
	run -0 "$SANDBOX" key list --json
	[[ $output == '{"keys":[{"name":"approver","pub":"'*'","locked":false}]}' ]]
	run -6 "$SANDBOX" key new --open
	[[ $output == *'not overwritten'* ]]
}

@test "a locked key is asked for at every decision" {
	lock_key
	run -0 "$SANDBOX" key list
	[[ $output == *'(locked by a passphrase)' ]]
	frob "echo x >> $T/ran"
	printf 'wrong\n' > "$T/wrong"
	run -126 approve --passphrase-fd 8 8< "$T/wrong"
	[[ $output == *'the passphrase is wrong'* ]]
	[ ! -e "$T/ran" ]
	[ -z "$(ls "$STATE/ledger")" ]
	# Given back: it still waits.
	run -0 "$SANDBOX" pending
	[[ $output == *"${ID:0:8}"* ]]
	run -126 setsid --wait "$SANDBOX" approve "$ID" --digest "$DIGEST"
	[[ $output == *'needs a terminal'* ]]
	run -0 approve --passphrase-fd 8 8< "$T/pass"
	[ "$(cat "$T/ran")" = x ]
	frob 'echo again'
	run -6 "$SANDBOX" deny "$ID" --passphrase-fd 8 8< "$T/wrong"
	run -0 "$SANDBOX" deny "$ID" --passphrase-fd 8 8< "$T/pass"
}

@test "no passphrase in the key file, in the log, or in the process list" {
	lock_key
	run ! grep -rq 'first pass' "$T/data" "$STATE"
	[ "$(stat -c %a "$T/data/sandbox/keys/approver.key")" = 600 ]
	[ "$(stat -c %a "$T/data/sandbox/keys")" = 700 ]
}

@test "another key than the project's approver decides nothing" {
	frob "touch $T/ran"
	mv "$T/data/sandbox/keys/approver.key" "$T/old.key"
	run -127 approve
	[[ $output == *'there is no approver key yet'* ]]
	"$SANDBOX" key new --open > "$T/key.log"
	run -127 approve
	[[ $output == *'is not an approver of this project'* ]]
	[ ! -e "$T/ran" ]
}

@test "passphrase on the terminal: not echoed, what was typed before is dropped" {
	lock_key
	frob "touch $T/ran"
	on_terminal "$SANDBOX" approve "$ID" --digest "$DIGEST"
	until_true screen_has 'Passphrase of the approver key'
	printf 'first pass\n' >&7
	until_true terminal_over
	[ "$(cat "$T/rc")" = 0 ]
	[ -e "$T/ran" ]
	run ! screen_has 'first pass'
}

@test "Ctrl-C at the passphrase gives up and leaves the terminal echoing" {
	lock_key
	frob "touch $T/ran"
	on_terminal "'$SANDBOX' approve $ID --digest $DIGEST; echo rc \$?; stty"
	until_true screen_has 'Passphrase of the approver key'
	printf '\003' >&7
	until_true terminal_over
	screen_has 'rc 126'
	run ! screen_has '[-]echo'
	[ ! -e "$T/ran" ]
}

@test "a watch whose key is no approver any more decides nothing" {
	frob "touch $T/ran"
	mkfifo "$T/keys"
	"$SANDBOX" watch --line < "$T/keys" > "$T/screen" 2>&1 3>&- &
	exec 7> "$T/keys"
	until_true screen_has '\[1\]'
	XDG_DATA_HOME=$T/other "$SANDBOX" key new --open > "$T/new"
	# The rules that no key signed are the built-in ones.
	rm "$STATE/view/policy.accepted"
	sed 's/ (open)$//' "$T/new" > "$STATE/view/approvers"
	printf 'a 1\nd 1\nq\n' >&7
	wait $!
	[ "$(grep -c 'is not an approver of this project' "$T/screen")" -eq 2 ]
	[ -z "$(ls "$STATE/ledger")" ]
}

approver_of() { pgrep -f "[s]andbox approve $1" > "$T/approver"; }

@test "a signal at the passphrase waits, and leaves the terminal echoing" {
	lock_key
	frob "touch $T/ran"
	on_terminal "'$SANDBOX' approve $ID --digest $DIGEST; echo rc \$?; stty"
	until_true screen_has 'Passphrase of the approver key'
	until_true approver_of "$ID"
	kill -INT "$(cat "$T/approver")"
	printf 'wrong\n' >&7
	until_true terminal_over
	screen_has 'rc 130'
	run ! screen_has '[-]echo'
	[ ! -e "$T/ran" ]
}

@test "a character of two bytes is taken back as one" {
	lock_key
	frob "touch $T/ran"
	on_terminal "$SANDBOX" approve "$ID" --digest "$DIGEST"
	until_true screen_has 'Passphrase of the approver key'
	printf '\303\274\177\177first pas\303\237\177s\n' >&7
	until_true terminal_over
	[ "$(cat "$T/rc")" = 0 ]
	[ -e "$T/ran" ]
}

@test "critical with an open key: the code on the terminal, and only it" {
	policy '{"version":1,"rules":[{"id":"crit","match":{"program":"frob"},"verdict":"escalate","tier":"critical","why":"frob is grave"}]}'
	frob "touch $T/ran"
	run -0 "$SANDBOX" show "$ID"
	[[ $output == '!!! CRITICAL: '* ]]
	run -126 setsid --wait "$SANDBOX" approve "$ID" --digest "$DIGEST" <<< 123456
	on_terminal "$SANDBOX" approve "$ID" --digest "$DIGEST"
	until_true screen_has 'Type [0-9]* to approve'
	printf '000000\n' >&7
	until_true terminal_over
	[ "$(cat "$T/rc")" = 126 ]
	[ ! -e "$T/ran" ]
	exec 7>&-
	rm "$T/rc" "$T/screen" "$T/keys"
	on_terminal "$SANDBOX" approve "$ID" --digest "$DIGEST"
	until_true screen_has 'Type [0-9]* to approve'
	printf '%s\n' "$(sed -n 's/.*Type \([0-9]*\) to approve.*/\1/p' "$T/screen")" >&7
	until_true terminal_over
	[ "$(cat "$T/rc")" = 0 ]
	[ -e "$T/ran" ]
}

@test "critical needs no code to be denied" {
	policy '{"version":1,"rules":[{"id":"crit","match":{"program":"frob"},"verdict":"escalate","tier":"critical","why":"frob is grave"}]}'
	frob "touch $T/ran"
	run -0 setsid --wait "$SANDBOX" deny "$ID" -m no
}
