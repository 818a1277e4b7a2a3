#!/usr/bin/env bats
# The approver's key lies where the human's XDG_DATA_HOME says; hooks see no
# environment, and still no spelling of that place is open to an agent.

load ../cli/helper

setup()
{
	project_setup
	sandbox init --claude >/dev/null
	echo '{"version": 1, "limits": {"wait_alone_s": 0}}' > .sandbox/policy.json
	sandbox policy accept --digest \
	    "$(sandbox policy diff | grep -o '[0-9a-f]\{64\}')" >/dev/null
	KEY=$XDG_DATA_HOME/sandbox/keys/approver.key
	[ -f "$KEY" ]
}
teardown() { project_teardown; }

@test "reading, copying, searching and writing the key are denied" {
	for c in "cat $KEY" "cat ../data/sandbox/keys/approver.key" \
	    "cp $KEY x" "head -c 9 $XDG_DATA_HOME/sandbox/keys/*" \
	    "cd ../data/sandbox/keys && cat approver.key" "cat < $KEY" \
	    "echo > $KEY" "python3 -c 'open(\\\"$KEY\\\")'"; do
		run -0 hook_call Bash "$c"
		[[ $output == *'"deny"'*'DENIED by policy'* ]] || {
			echo "$c: $output"
			false
		}
	done
}

@test "no recursive look that would meet the key runs unasked" {
	for c in "grep -r x $XDG_DATA_HOME" "cp -r $XDG_DATA_HOME x" \
	    "tar cf x.tar ../data" "find $STAGE -type f -exec cat {} +"; do
		run -0 hook_call Bash "$c"
		[[ $output == *'"deny"'* ]] || { echo "$c: $output"; false; }
	done
}
