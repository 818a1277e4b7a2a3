#!/usr/bin/env bats
# DESIGN: "the agent approves itself", "something runs because a file says
# approved".

load ../approver

setup() { approver_setup; }
teardown() { approver_teardown; }

nothing_decided()
{
	[ ! -e "$T/ran" ]
	[ -z "$(ls "$STATE/ledger")" ]
	[ -e ".sandbox/escalations/pending/$ID" ]
}

@test "with an agent's mark in the environment every decision is refused" {
	frob "touch $T/ran"
	for mark in CLAUDECODE AI_AGENT; do
		export "$mark=1"
		run -126 approve
		[[ $output == *"$mark is set"* ]]
		run -6 "$SANDBOX" deny "$ID"
		run -6 "$SANDBOX" stop "$ID"
		run -6 "$SANDBOX" watch --line < /dev/null
		run -6 "$SANDBOX" key passphrase --open
		unset "$mark"
	done
	nothing_decided
	run -0 "$SANDBOX" deny "$ID"
}

@test "below a process that called a hook every decision is refused" {
	frob "touch $T/ran"
	# This very shell calls a hook: from now on it is a client.
	"$BUILD/pretooluse" --client claude --event PreToolUse \
	    --root "$ROOT" --state "$STATE" < "$T/in.1" > "$T/direct" &
	me=$BASHPID
	mine() { ls "$STATE/run/clients" | grep -q "^$me-"; }
	until_true mine
	run -126 approve
	run -126 setsid --wait "$SANDBOX" approve "$ID" --digest "$DIGEST"
	run -6 "$SANDBOX" deny "$ID"
	nothing_decided
	kill %%
}

@test "a human's environment does not hide the agent above" {
	frob "touch $T/ran"
	"$BUILD/pretooluse" --client claude --event PreToolUse \
	    --root "$ROOT" --state "$STATE" < "$T/in.1" > "$T/direct" &
	me=$BASHPID
	mine() { ls "$STATE/run/clients" | grep -q "^$me-"; }
	until_true mine
	run -126 env -i HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME" \
	    XDG_DATA_HOME="$XDG_DATA_HOME" PATH="$PATH" \
	    "$SANDBOX" approve "$ID" --digest "$DIGEST"
	nothing_decided
	kill %%
}

@test "files that say approved do nothing" {
	frob "touch $T/ran"
	cp ".sandbox/escalations/pending/$ID" "$T/request"
	echo approved > ".sandbox/escalations/answered/$ID-a"
	chmod 600 ".sandbox/escalations/answered/$ID-a"
	mv ".sandbox/escalations/pending/$ID" .sandbox/escalations/claimed/
	run "$SANDBOX" pending
	mkdir -p .sandbox/escalations/ledger
	touch ".sandbox/escalations/ledger/$ID.used"
	run "$SANDBOX" pending
	[ ! -e "$T/ran" ]
	[ -z "$(ls "$STATE/ledger")" ]
}

@test "a used request that is put back never runs again" {
	frob "echo x >> $T/ran"
	cp ".sandbox/escalations/pending/$ID" "$T/request"
	run -0 approve
	run -0 answer
	for place in pending claimed; do
		cp "$T/request" ".sandbox/escalations/$place/$ID"
		chmod 600 ".sandbox/escalations/$place/$ID"
		run approve
		[ "$status" -ge 120 ]
		run "$SANDBOX" pending
	done
	[ "$(cat "$T/ran")" = x ]
}

@test "the runner without its descriptors, or with forged ones, runs nothing" {
	frob "touch $T/ran"
	run "$BUILD/sandbox-runner" --state "$STATE" --id "$ID"
	[ "$status" -ne 0 ]
	touch "$STATE/lock.forged"
	run "$BUILD/sandbox-runner" --state "$STATE" --id "$ID" \
	    3< ".sandbox/escalations/pending/$ID" 4< /dev/zero \
	    5< "$STATE/lock.forged" 6< "$ROOT"
	[ "$status" -ne 0 ]
	[ ! -e "$T/ran" ]
	[ -z "$(ls "$STATE/ledger")" ]
}

@test "an approved command approves no other request" {
	frob "touch $T/ran"
	other=$ID
	digest=$DIGEST
	frob "setsid $SANDBOX approve $other --digest $digest; $SANDBOX deny $other; $SANDBOX watch --line < /dev/null; true"
	run -0 approve
	[[ $output == *'an agent started this'*'an agent started this'*'an agent started this'* ]]
	[ ! -e "$T/ran" ]
	[ ! -e "$STATE/ledger/$other.used" ]
	ID=$other DIGEST=$digest
	run -0 approve
	[ -e "$T/ran" ]
}
