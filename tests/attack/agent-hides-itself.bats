#!/usr/bin/env bats
# DESIGN: "the agent approves itself": who called a hook is known afterwards,
# and nobody else is taken for an agent.

load ../hook

setup() { hook_setup '{"version":1,"limits":{"wait_s":30,"wait_alone_s":1}}'; }
teardown() { hook_teardown; }

clients() { ls "$STATE/run/clients"; }

hook_reads()
{
	local stat
	child=$(cat "/proc/$1/task/$1/children")
	child=${child% }
	[ -n "$child" ] && [ "$(cat "/proc/$child/comm")" = pretooluse ] &&
	    stat=$(cat "/proc/$child/stat") && [[ $stat == *') S '* ]]
}

@test "a client that dies while its hook reads: denied, its adopter not noted" {
	mapfile -t args < <(command_line)
	mkfifo "$T/pipe"
	sh -c 'dir=$1; shift; "$@" < "$dir/pipe" > "$dir/out"; :' \
	    sh "$T" "${args[@]}" 3>&- &
	pid=$!
	exec 8> "$T/pipe"
	until_true hook_reads "$pid"
	kill -KILL "$pid"
	wait "$pid" || :
	allowed_call >&8
	exec 8>&-
	until_true [ -s "$T/out" ]
	status=0 out=$(cat "$T/out") err=
	denied 'the client is gone'
	[ -z "$(clients)" ]
}

@test "CLAUDE_PID names only an ancestor, never init or a stranger" {
	allowed_call > "$T/in"
	sleep 60 3>&- &
	stranger=$!
	for said in 1 0 -1 "$stranger" 99999999999 x ''; do
		rm -f "$STATE"/run/clients/*
		CLAUDE_PID=$said hook env < "$T/in"
		silent
		run -0 clients
		[[ $output == "$BASHPID"-* ]]
	done
	kill "$stranger"
}
