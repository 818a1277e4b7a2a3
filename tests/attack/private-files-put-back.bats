#!/usr/bin/env bats
# DESIGN: "the agent loosens its own rules", "the log is edited ... replaced":
# private files of another project, of yesterday, of somebody else.  Whoever
# can write them is you already (docs/THREATS.md); it must not stay unseen.

load ../approver

setup() { approver_setup; }
teardown() { approver_teardown; }

@test "an approver added to the file: its decisions are told as nobody's" {
	XDG_DATA_HOME=$T/other run -0 "$SANDBOX" key new --open
	pub=$(cut -d' ' -f2 <<< "$output")
	frob 'echo x'
	XDG_DATA_HOME=$T/other run -127 approve
	echo "ed25519 $pub stranger" >> "$STATE/view/approvers"
	XDG_DATA_HOME=$T/other run -0 approve
	run -1 "$SANDBOX" audit verify
	[[ $output == *unsigned_decision* ]]
	run -1 "$SANDBOX" doctor
	[[ $output == *'FAIL  audit log'*unsigned_decision* ]]
}

@test "a second person's key is not taken by init" {
	XDG_DATA_HOME=$T/other run -0 "$SANDBOX" key new --open
	XDG_DATA_HOME=$T/other run -6 "$SANDBOX" init
	[[ $output == *"another approver's key"* ]]
}

@test "the accepted policy of another project does not load" {
	mkdir "$T/two"
	"$SANDBOX" init "$T/two" > "$T/two.log"
	for other in "$XDG_STATE_HOME"/sandbox/*; do
		[ "$other" = "$STATE" ] ||
		    cp "$other/view/policy.accepted" "$STATE/view/"
	done
	run -8 "$SANDBOX" pending
	[[ $output == *'for another project'* ]]
}

@test "an older accepted policy put back is named by doctor" {
	policy '{"version":1,"preset":"relaxed"}'
	cp "$STATE/view/policy.accepted" "$T/old"
	policy '{"version":1,"preset":"strict"}'
	run -0 "$SANDBOX" doctor
	cp "$T/old" "$STATE/view/policy.accepted"
	run -1 "$SANDBOX" doctor
	[[ $output == *'FAIL  policy'*'not the ones that were accepted last'* ]]
	rm "$STATE/view/policy.accepted"
	run -1 "$SANDBOX" doctor
	[[ $output == *'not the ones that were accepted last'* ]]
}

@test "a key or its folder open to others is not used" {
	frob 'echo x'
	keys=$XDG_DATA_HOME/sandbox/keys
	chmod 644 "$keys/approver.key"
	run -128 approve
	chmod 600 "$keys/approver.key"
	chmod 755 "$keys"
	run -128 approve
	chmod 700 "$keys"
	mv "$keys" "$T/keys"
	ln -s "$T/keys" "$keys"
	run -128 approve
	rm "$keys"
	mv "$T/keys" "$keys"
	run -0 approve
}
