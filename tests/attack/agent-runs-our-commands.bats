#!/usr/bin/env bats
# DESIGN: "the agent approves itself": of our commands an agent runs those that
# only read.  Every command there is, in every spelling, through the real hook.

load ../approver

setup()
{
	approver_setup
	policy '{"version":1,"limits":{"wait_s":2,"wait_alone_s":0,"new_per_minute":100000,"pending_max":100000,"pending_session_max":100000}}'
}
teardown() { approver_teardown; }

READ='status doctor changes log trace explain pending show --help --version'

# What the hook says: nothing, deny (and why), or pending.
says()	# says COMMAND-AS-JSON
{
	printf '{"session_id":"s1","cwd":"%s","hook_event_name":"PreToolUse",'\
'"tool_use_id":"t1","tool_name":"Bash","tool_input":{"command":"%s"}}' \
	    "$ROOT" "$1" > "$T/in"
	(
		"$BUILD/pretooluse" --client claude --event PreToolUse \
		    --root "$ROOT" --state "$STATE" < "$T/in"
		echo
	)
}

reads()
{
	[ "$(says "$1")" = '' ] || { echo "$1: not silent"; return 1; }
}

denied()
{
	case $(says "$1") in
	*'"permissionDecision":"deny"'*'DENIED by policy'*) ;;
	*) echo "$1: not denied"; return 1 ;;
	esac
}

# Not run without a human, whichever way.
kept()
{
	case $(says "$1") in
	*'"permissionDecision":"deny"'*) ;;
	*) echo "$1: not kept"; return 1 ;;
	esac
}

@test "every command of ours, by name and by path" {
	for command in $("$SANDBOX" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		case " $READ " in
		*" $command "*)
			reads "sandbox $command" ;;
		*)
			denied "sandbox $command"
			denied "$SANDBOX $command x"
			denied "sandbox $command --help"
			denied "sandbox -C . $command" ;;
		esac
	done
	for program in pretooluse posttooluse sessionstart configchange \
	    sandbox-gate sandbox-runner; do
		denied "$program --state $STATE"
		denied "$BUILD/$program"
	done
}

@test "every spelling of approve" {
	for command in 's\u0027\u0027andbox approve x' "sandbox app'rov'e x" \
	    '\\sandbox approve x' 'a=sandbox; $a approve x' \
	    '$(echo sandbox) approve x' '`echo sandbox` approve x' \
	    'sandbox $(echo approve) x' "bash -c 'sandbox approve x'" \
	    "sh -c 'exec sandbox approve x'" 'eval sandbox approve x' \
	    'env -i A=b sandbox approve x' 'nohup setsid sandbox approve x &' \
	    'timeout 5 nice sandbox approve x' 'echo x | xargs sandbox approve' \
	    'find . -exec sandbox approve {} +' 'exec -a ls sandbox approve x' \
	    'command -p sandbox approve x' 'ls; sandbox approve x' \
	    'ls && sandbox approve x || true' '(sandbox approve x)' \
	    '{ sandbox approve x; }' 'if true; then sandbox approve x; fi' \
	    'f() { sandbox approve x; }; f' 'sandbox status; sandbox approve x' \
	    'sandbox\tapprove x' 'sandbox \\\napprove x'; do
		denied "$command"
	done
	ln -s "$SANDBOX" harmless
	for command in './harmless approve x' 'SANDBOX approve x' \
	    'sudo sandbox approve x' 'ssh localhost sandbox approve x' \
	    "python3 -c 'import os; os.system(\\\"sandbox approve x\\\")'" \
	    'echo c2FuZGJveA== | base64 -d | sh' 'sandbox show x | sh' \
	    '/lib64/ld-linux-x86-64.so.2 /usr/bin/sandbox approve x' \
	    'systemd-run --user sandbox approve x' 'at now < x' \
	    "tmux send-keys -t 1 'a 1' Enter" "screen -X stuff 'a 1'"; do
		kept "$command"
	done
	[ -z "$(ls "$STATE/ledger")" ]
}
