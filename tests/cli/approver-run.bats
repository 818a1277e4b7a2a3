#!/usr/bin/env bats
# What an approved command gets, and how it ends.

load ../approver

setup() { approver_setup; }
teardown() { approver_teardown; }

exits() { [ -s "$T/rc" ]; }
approve_later()
{
	( rc=0; approve > "$T/aout" 2> "$T/aerr" || rc=$?
	  echo "$rc" > "$T/rc" ) 3>&- &
}
nobody() { ! pgrep -f "[s]leep $1" > "$T/pgrep"; }
somebody() { pgrep -f "[s]leep $1" > "$T/pgrep"; }

@test "the environment is the human's, nothing of the agent's" {
	export SECRET_OF_THE_SHELL=x BASH_ENV=$T/no LD_LIBRARY_PATH=/nowhere
	frob 'env; exit 0'
	run -0 approve
	[[ $output == *"HOME=$HOME"* ]]
	[[ $output == *"PATH=$T/bin:"* ]]
	[[ $output != *CLAUDE* ]]
	[[ $output != *AI_AGENT* ]]
	[[ $output != *ANTHROPIC* ]]
	[[ $output != *SECRET_OF_THE_SHELL* ]]
	[[ $output != *BASH_ENV* ]]
	[[ $output != *LD_LIBRARY_PATH* ]]
}

@test "no hook and no agent among the ancestors, no terminal, no stdin" {
	cat > "$T/who" <<'EOF'
p=$$
while [ "$p" -gt 1 ]; do
	tr '\0' ' ' < /proc/$p/cmdline
	echo
	p=$(ps -o ppid= -p $p | tr -d ' ')
done
cat
readlink /proc/self/fd/0
echo "tty $(ps -o tty= -p $$)"
EOF
	frob "bash $T/who"
	run -0 approve
	[[ $output == *"sandbox-runner --state $STATE --id $ID"* ]]
	[[ $output != *pretooluse* ]]
	[[ $output != *sandbox-gate* ]]
	[[ $output != *'sandbox approve'* ]]
	[[ $output != *bats* ]]
	[[ $output == *$'\n/dev/null\ntty ?'* ]]
}

@test "only 0, 1 and 2 are open in the command" {
	cat > "$T/fds" <<'EOF'
cd /proc/$$/fd
for f in *; do
	[ "$f" -lt 3 ] || readlink "$f" || :
done
EOF
	frob "bash $T/fds"
	run -0 --separate-stderr approve
	# bash itself holds its script.
	[ "$output" = "$T/fds" ]
}

@test "time limit: ended with all it started, 137" {
	policy '{"version":1,"limits":{"exec_timeout_s":1}}'
	cat > "$T/stubborn" <<'EOF'
trap '' TERM
setsid sh -c 'trap "" TERM; sleep 4321.5 & sleep 4321.5' &
echo up
sleep 4321.5
EOF
	frob "bash $T/stubborn"
	run -137 approve
	[[ $output == *up*'ended by the time limit'* ]]
	until_true nobody 4321.5
	run -0 answer
	[[ $output == *'up\n'* ]]
}

@test "stop ends it: 143, and the agent is told" {
	frob 'echo up; sleep 4322.5'
	approve_later
	up() { grep -qs up "$T/aout"; }
	until_true up
	run -0 "$SANDBOX" stop "$ID"
	[ "$output" = 'stopped by a human' ]
	until_true exits
	[ "$(cat "$T/rc")" = 143 ]
	until_true nobody 4322.5
	run -1 "$SANDBOX" stop "$ID"
	run -0 answer
	[[ $output == *stopped* ]]
	[[ $(kinds) == *' approval sandbox.started tool.result '* ]]
}

@test "a signal is kept: 128 + its number" {
	frob 'kill -SEGV $$'
	run -139 approve
	[[ $output == *'signal 11 after'* ]]
}

@test "what it leaves in the background is ended, and said so" {
	frob 'sleep 4323.5 & echo done'
	run -0 approve
	[[ $output == *'what it left running in the background was ended'* ]]
	until_true nobody 4323.5
}

@test "run_in_background: answered early, runs on, output -f, stop" {
	frob 'echo serving; sleep 4324.5' ',"run_in_background":true'
	run -0 approve
	[[ $output == *'runs in the background'* ]]
	until_true started
	run -0 answer
	[[ $output == *'serving'* ]]
	somebody 4324.5
	run -0 "$SANDBOX" output "$ID"
	[[ $output == *serving*running* ]]
	"$SANDBOX" output -f "$ID" > "$T/follow" 2>&1 3>&- &
	follower=$!
	run -0 "$SANDBOX" stop "$ID"
	wait "$follower"
	grep -q 'stopped by a human' "$T/follow"
	until_true nobody 4324.5
	run -0 "$SANDBOX" audit verify --full
}

@test "100 MB of output: capped in the answer, on disk, on the terminal" {
	frob 'yes 0123456789 | head -c 100000000; echo; echo THE END'
	approve > "$T/big" 2> "$T/bigerr"
	[ "$(stat -c %s "$T/big")" -lt 10000000 ]
	[ "$(tail -n 1 "$T/big")" = 'THE END' ]
	grep -q 'bytes left out' "$T/bigerr"
	[ "$(stat -c %s ".sandbox/out/$ID.txt")" -lt 10000000 ]
	[ "$(stat -c %s "$(run_file output)")" -lt 10000000 ]
	[ ! -e "$(run_file spool)" ]
	answer > "$T/answer"
	[ "$(wc -m < "$T/answer")" -lt 60000 ]
	grep -q 'THE END' "$T/answer"
	grep -q "\.sandbox/out/$ID.txt" "$T/answer"
}

@test "a limit on the size of files is a full disk, and ends no runner" {
	frob 'yes | head -c 7000000; exit 5'
	( ulimit -f 5000; rc=0; approve > "$T/aout" 2> "$T/aerr" || rc=$?
	  echo "$rc" > "$T/rc" )
	[ "$(cat "$T/rc")" = 5 ] || { cat "$T/aerr"; return 1; }
	grep -q 'bytes left out' "$T/aerr"
	run -0 answer
	[[ $output == *'exit 5 after'* ]]
}

@test "leaving while it runs: it goes on, and that is said" {
	gate="while [ ! -e $T/go ]; do sleep 0.02; done"
	one() { grep -qs one "$T/aout"; }
	frob "echo one; $gate; echo two > $T/ran"
	# A shell lets its background commands ignore INT.
	env --default-signal=INT "$SANDBOX" approve "$ID" --digest "$DIGEST" \
	    > "$T/aout" 2>&1 3>&- &
	APPROVER=$!
	until_true one
	kill -INT "$APPROVER"
	rc=0
	wait "$APPROVER" || rc=$?
	[ "$rc" -eq 130 ]
	grep -qF "it goes on: \`sandbox output -f $ID\` follows it, \`sandbox stop $ID\` ends it" "$T/aout"
	touch "$T/go"
	run -0 answer
	[[ $output == *'APPROVED and already executed once'* ]]
	[ "$(cat "$T/ran")" = two ]
	# The same where its words cannot be written.
	rm "$T/go" "$T/ran"
	frob "echo three; $gate; echo four > $T/ran"
	rc=0
	approve > /dev/full 2> "$T/aout" || rc=$?
	[ "$rc" -eq 128 ]
	grep -qF "it goes on: \`sandbox output -f $ID\`" "$T/aout"
	touch "$T/go"
	run -0 answer
	[[ $output == *'APPROVED and already executed once'* ]]
}

@test "a log that cannot be continued uses nothing up" {
	frob "echo one > $T/ran"
	cp "$STATE/audit/audit.jsonl" "$T/log"
	echo garbage >> "$STATE/audit/audit.jsonl"
	run -128 approve
	[[ $output == *audit* ]]
	[ ! -e "$STATE/ledger/$ID.used" ]
	[ -e ".sandbox/escalations/pending/$ID" ]
	cat "$T/log" > "$STATE/audit/audit.jsonl"
	run -0 approve
	[ "$(cat "$T/ran")" = one ]
}

@test "the runner outlives a killed approver and its terminal" {
	frob "echo one; while [ ! -e $T/go ]; do sleep 0.02; done; echo two > $T/ran"
	setsid "$SANDBOX" approve "$ID" --digest "$DIGEST" > "$T/aout" 2>&1 3>&- &
	APPROVER=$!
	one() { grep -qs one "$T/aout"; }
	until_true one
	kill -HUP -- "-$APPROVER"
	kill -9 "$APPROVER" 2> "$T/kill.log" || :
	touch "$T/go"
	run -0 answer
	[[ $output == *'APPROVED and already executed once'*'one\n'* ]]
	[ "$(cat "$T/ran")" = two ]
	run -0 "$SANDBOX" output "$ID"
	[[ $output == *one*'exit 0 after'* ]]
}

@test "the runner is killed before it started: not started, never again" {
	# A runner that is killed at once is one that never starts anything.
	mkdir "$T/prog"
	cp "$BUILD/sandbox" "$BUILD/sandbox-gate" "$T/prog"
	printf '#!/bin/sh\nkill -9 $$\n' > "$T/prog/sandbox-runner"
	chmod 755 "$T/prog/sandbox-runner"
	frob "touch $T/ran"
	run -128 "$T/prog/sandbox" approve "$ID" --digest "$DIGEST"
	[[ $output == *'not started: its runner died'* ]]
	run -0 answer
	[[ $output == *'could not be started'* ]]
	[ ! -e "$T/ran" ]
	run -124 approve
	[[ $output == *'already decided, but never started: nothing ran, and the agent must ask again'* ]]
	run -0 "$SANDBOX" trace "$ID"
	[[ $output == *'decided, but never started: nothing ran, and the agent must ask again'* ]]
	[[ $output != *'without a decision'* ]]
	# The asker may note that it was told before the sweeper does.
	[[ $(kinds) == *'approval '*'request.closed '* ]]
}

@test "the runner is killed while it runs: outcome unknown, output kept" {
	frob 'echo last words; sleep 4325.5'
	approve_later
	up() { grep -qs 'last words' "$T/aout"; }
	until_true up
	kill -9 "$(cut -d' ' -f1 "$(run_file runner)")"
	until_true exits
	[ "$(cat "$T/rc")" = 128 ]
	run -0 answer
	[[ $output == *unknown* ]]
	run -0 "$SANDBOX" output "$ID"
	[[ $output == *'last words'*'outcome unknown'* ]]
	[ ! -e "$(run_file spool)" ]
	pkill -f '[s]leep 4325.5'
	run -124 approve
	run -0 "$SANDBOX" audit verify --full
}

# A runner that does something of its own first, then is the real one.
wrap_runner()
{
	mkdir "$T/prog"
	cp "$BUILD/sandbox" "$BUILD/sandbox-gate" "$T/prog"
	printf '#!/bin/sh\n%s\nexec "%s" "$@"\n' "$1" \
	    "$BUILD/sandbox-runner" > "$T/prog/sandbox-runner"
	chmod 755 "$T/prog/sandbox-runner"
}

@test "a script changed between approve and exec: not started, said why" {
	printf 'echo shown\n' > "$T/do.sh"
	wrap_runner "echo touch $T/ran > $T/do.sh"
	ask Bash "{\"command\":\"sh $T/do.sh\"}"
	run -125 "$T/prog/sandbox" approve "$ID" --digest "$DIGEST"
	[[ $output == *"not started: '$T/do.sh' changed since"* ]]
	run -0 answer
	[[ $output == *'could not be started'* ]]
	[ ! -e "$T/ran" ]
	[ ! -e "$STATE/ledger/$ID.started" ]
	run -0 "$SANDBOX" audit verify --full
}

@test "another approver key in view, and the runner refuses" {
	wrap_runner "echo ed25519 $(printf '%064d' 1) other > $STATE/view/approvers"
	frob "touch $T/ran"
	run -128 "$T/prog/sandbox" approve "$ID" --digest "$DIGEST"
	[ ! -e "$T/ran" ]
	[ ! -e "$STATE/ledger/$ID.started" ]
}

@test "no runner program: nothing runs, the agent is told" {
	mkdir "$T/prog"
	cp "$BUILD/sandbox" "$BUILD/sandbox-gate" "$T/prog"
	frob "touch $T/ran"
	run -128 "$T/prog/sandbox" approve "$ID" --digest "$DIGEST"
	[[ $output == *"cannot start '$T/prog/sandbox-runner'"* ]]
	run -0 answer
	[ ! -e "$T/ran" ]
}

@test "an expired request is not approved" {
	policy '{"version":1,"limits":{"wait_s":1,"wait_alone_s":0,"request_ttl_s":2}}'
	frob "touch $T/ran"
	gone() { [ -z "$("$SANDBOX" pending)" ]; }
	until_true gone
	run approve
	[ "$status" -ge 123 ]
	[ ! -e "$T/ran" ]
	[[ $(kinds) == *'request.closed '* ]]
}

@test "two approvers at once: one runs it, the other is told" {
	frob "echo x >> $T/ran; sleep 0.2"
	for i in 1 2 3 4; do
		( rc=0; approve > "$T/o.$i" 2>&1 || rc=$?
		  echo "$rc" > "$T/rc.$i" ) 3>&- &
	done
	all() { [ "$(cat "$T"/rc.* 2>&1 | wc -l)" -eq 4 ]; }
	until_true all
	[ "$(cat "$T/ran")" = x ]
	[ "$(grep -l '^0$' "$T"/rc.* | wc -l)" -eq 1 ]
	[ "$(grep -l '^124$' "$T"/rc.* | wc -l)" -eq 3 ]
}

@test "what is long over goes, and what the agent could read of it" {
	frob 'printf x; seq 20000'
	run -0 approve
	[ -s "$ROOT/.sandbox/out/$ID.txt" ]
	answer > "$T/collected"
	touch -d '8 days ago' "$ROOT/.sandbox/escalations/closed/$ID"*
	run -0 "$SANDBOX" pending
	[ ! -e "$ROOT/.sandbox/escalations/closed/$ID" ]
	[ ! -e "$ROOT/.sandbox/out/$ID.txt" ]
}
