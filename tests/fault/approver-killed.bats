#!/usr/bin/env bats
# kill -9 of the approver, and of the runner, at every step that changes
# something on disk: never lost silently, never executed twice, the log goes on.

load ../approver

# Limits raised: one project serves all the kills of a test.
setup()
{
	approver_setup
	policy '{"version":1,"limits":{"new_per_minute":100000,
	    "pending_session_max":100000,"pending_max":100000}}'
}
teardown() { approver_teardown; }

CHANGES=openat,rename,renameat,renameat2,unlinkat,mkdirat,write,pwrite64,fdatasync,fsync,ftruncate,clone,clone3,fork,vfork,execve

ran() { if [ -e "$T/ran" ]; then wc -l < "$T/ran"; else echo 0; fi; }
settled()
{
	"$SANDBOX" pending > "$T/pending.log"
	[ -e ".sandbox/escalations/pending/$ID" ] ||
	    [ -e ".sandbox/escalations/closed/$ID" ]
}

# After a kill: at most one run; it waits again, or its asker was told.
check_state()
{
	until_true settled
	[ "$(ran)" -le 1 ]
	if [ -e ".sandbox/escalations/pending/$ID" ]; then
		[ "$(ran)" -eq 0 ]
		[ ! -e "$STATE/ledger/$ID.used" ]
		# It can still be approved, and then runs once.
		run -0 approve
		[ "$(ran)" -eq 1 ]
	else
		[ -e "$STATE/ledger/$ID.used" ]
		answer > "$T/answer"
		if grep -q 'already executed once' "$T/answer"; then
			[ "$(ran)" -eq 1 ]
		else
			grep -Eq 'could not be started|unknown' "$T/answer"
			# That is only said when it is true.
			if grep -q 'could not be started' "$T/answer"; then
				[ "$(ran)" -eq 0 ]
			fi
		fi
		run -124 approve
		[ "$(ran)" -le 1 ]
	fi
	run "$SANDBOX" audit verify --full
	[ "$status" -eq 0 ] || [ "$status" -eq 4 ]
}

@test "the approver is killed at every change it makes" {
	kills=0
	# The leak checker of the asan build does not work under strace.
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
	for k in $(seq 1 200); do
		rm -f "$T/ran"
		frob "echo x >> $T/ran"
		rc=0
		strace -qq -o "$T/trace" -e trace="$CHANGES" \
		    -e inject="$CHANGES:signal=KILL:when=$k" \
		    "$SANDBOX" approve "$ID" --digest "$DIGEST" \
		    > "$T/aout" 2>&1 || rc=$?
		check_state
		[ "$rc" -eq 137 ] || break
		kills=$((kills + 1))
	done
	[ "$rc" -eq 0 ]
	[ "$kills" -gt 30 ]
}

# Between consume and start nothing that a person types leaves it half done.
@test "Ctrl-C at every change: it waits, or it runs" {
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
	hits=0
	for call in write fsync fdatasync renameat2 pwrite64; do
		for k in $(seq 1 200); do
			rm -f "$T/ran"
			frob "echo x >> $T/ran"
			rc=0
			strace -qq -o "$T/trace" -e trace="$call" \
			    -e inject="$call:signal=INT:when=$k" \
			    "$SANDBOX" approve "$ID" --digest "$DIGEST" \
			    > "$T/aout" 2>&1 || rc=$?
			grep -q SIGINT "$T/trace" || break
			hits=$((hits + 1))
			if [ -e "$STATE/ledger/$ID.used" ]; then
				answer > "$T/answer"
				grep -q 'already executed once' "$T/answer"
			fi
			check_state
		done
	done
	[ "$hits" -gt 10 ]
}

# After a kill: it waits again, or the agent was told that it was denied.
check_denied()
{
	until_true settled
	if [ -e ".sandbox/escalations/pending/$ID" ]; then
		[ ! -e "$STATE/ledger/$ID.used" ]
		run -0 "$SANDBOX" deny "$ID" -m 'use staging'
	fi
	answer > "$T/answer"
	grep -q 'DENIED by a human approver.*use staging' "$T/answer"
	[ "$(ran)" -eq 0 ]
	run -4 "$SANDBOX" deny "$ID"
	run "$SANDBOX" audit verify --full
	[ "$status" -eq 0 ] || [ "$status" -eq 4 ]
}

# strace counts each call by itself: so one after the other.
@test "a deny is killed at every change it makes" {
	kills=0
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
	for call in write openat renameat2 fsync fdatasync pwrite64 mkdirat; do
		for k in $(seq 1 200); do
			frob "echo x >> $T/ran"
			rc=0
			strace -qq -o "$T/trace" -e trace="$call" \
			    -e inject="$call:signal=KILL:when=$k" \
			    "$SANDBOX" deny "$ID" -m 'use staging' \
			    > "$T/aout" 2>&1 || rc=$?
			check_denied
			[ "$rc" -eq 137 ] || break
			kills=$((kills + 1))
		done
		[ "$rc" -eq 0 ]
	done
	[ "$kills" -gt 30 ]
}

@test "the runner is killed at every change it makes" {
	# The runner is started under strace by a program in its place.
	mkdir "$T/prog"
	cp "$BUILD/sandbox" "$BUILD/sandbox-gate" "$T/prog"
	kills=0
	for k in $(seq 1 200); do
		rm -f "$T/ran"
		frob "echo x >> $T/ran"
		cat > "$T/prog/sandbox-runner" <<EOF
#!/bin/sh
ASAN_OPTIONS=detect_leaks=0; export ASAN_OPTIONS
exec strace -qq -o "$T/trace" -e trace="$CHANGES" \
    -e inject="$CHANGES:signal=KILL:when=$k" \
    "$BUILD/sandbox-runner" "\$@"
EOF
		chmod 755 "$T/prog/sandbox-runner"
		rc=0
		"$T/prog/sandbox" approve "$ID" --digest "$DIGEST" \
		    > "$T/aout" 2>&1 || rc=$?
		check_state
		grep -q 'killed by SIGKILL' "$T/trace" || break
		kills=$((kills + 1))
	done
	[ "$rc" -eq 0 ]
	[ "$kills" -gt 20 ]
}
