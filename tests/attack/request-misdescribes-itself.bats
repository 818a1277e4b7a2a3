#!/usr/bin/env bats
# DESIGN: "a request describes itself as harmless", "an approval is used for
# something else".

load ../approver

setup() { approver_setup; }
teardown() { approver_teardown; }

request() { echo ".sandbox/escalations/pending/$ID"; }

# Rewrite the waiting file in place, as an agent can.
rewrite()
{
	sed "$1" "$(request)" > "$T/forged"
	run ! cmp -s "$T/forged" "$(request)"
	cat "$T/forged" > "$(request)"
}

@test "swapped after show: what was shown is not approved" {
	frob "echo harmless"
	rewrite "s|echo harmless|touch $T/ran|"
	run -125 approve
	[[ $output == *'is not what was shown'* ]]
	[ ! -e "$T/ran" ]
	[ -z "$(ls "$STATE/ledger")" ]
}

@test "another call under an old call key is critical, and says so" {
	frob "echo harmless"
	rewrite "s|echo harmless|touch $T/ran|"
	run -0 "$SANDBOX" show "$ID"
	[[ $output == '!!! CRITICAL'* ]]
	[[ $output == *'misdescribes itself'*'call key belongs to another call'* ]]
	run -0 "$SANDBOX" pending
	[[ $output == '!!! '* ]]
	# Open key, no terminal: critical cannot be confirmed.
	DIGEST=$(digest_of)
	run -126 setsid --wait "$SANDBOX" approve "$ID" --digest "$DIGEST"
	[[ $output == *'needs a terminal'* ]]
	[ ! -e "$T/ran" ]
}

@test "what policy denies outright is not approvable, however it got there" {
	policy '{"version":1,"triggers":{"write_outside":"escalate"}}'
	ask Write "{\"file_path\":\"$T/x\",\"content\":\"{}\"}"
	cp .sandbox/policy.json "$T/old"
	rewrite "s|$T/x|$ROOT/.sandbox/policy.json|"
	DIGEST=$(digest_of)
	run -126 approve
	[[ $output == *'policy denies this and no approval lifts it'* ]]
	cmp "$T/old" .sandbox/policy.json
}

@test "tier, rule or effects in the file: not a request at all" {
	frob "echo x"
	rewrite 's|^{|{"tier":"low",|'
	run "$SANDBOX" pending
	[ -z "$output" ]
	run -123 approve
	[ -n "$(ls .sandbox/escalations/aside)" ]
}

@test "another project's request is not shown and not run" {
	frob "touch $T/ran"
	own=$(sed -n 's/.*"project":"\([0-9a-f]*\)".*/\1/p' "$(request)")
	rewrite "s|$own|00000000000000000000000000000000|"
	run "$SANDBOX" pending
	[ -z "$output" ]
	run approve
	[ "$status" -ge 120 ]
	[ ! -e "$T/ran" ]
}

@test "from the future, or of another boot" {
	frob "touch $T/ran"
	cp "$(request)" "$T/request"
	rewrite 's|"created_boot_ms":[0-9]*|"created_boot_ms":99999999999|'
	run approve
	[ "$status" -ge 120 ]
	rm -f .sandbox/escalations/*/"$ID"
	cp "$T/request" "$(request)"
	chmod 600 "$(request)"
	rewrite 's|"boot_id":"........|"boot_id":"00000000|'
	run approve
	[ "$status" -ge 120 ]
	[ ! -e "$T/ran" ]
}

@test "locale and zone of the request are names, never files" {
	frob 'env'
	rewrite "s|\"tz\":\"[^\"]*\"|\"tz\":\":$T/zone\"|;s|\"lang\":\"[^\"]*\"|\"lang\":\"../../evil\"|"
	DIGEST=$(digest_of)
	run approve
	[[ $output != *"$T/zone"* ]]
	[[ $output != *evil* ]]
}
