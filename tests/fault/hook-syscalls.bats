#!/usr/bin/env bats
# Every system call of guard and worker fails once, in turn.  A forbidden call
# is never let through; an allowed one is only let through (silence) when
# exactly one record of it was written.

load ../hook

setup() { hook_setup; }
teardown() { hook_teardown; }

records() { wc -l < "$STATE/audit/audit.jsonl"; }

# How many system calls `"$@"` makes, by its trace in $T/trace.
count_calls() { grep -c '^[a-z0-9_]*(' "$T/trace"; }

# The one denial, or exit 2 with a reason.
refused()
{
	if [ "$status" -eq 2 ]; then [ -n "$err" ]; else denied; fi
}

# Worker $1 beside the guard runs under strace with these options.
traced_worker()
{
	[ -e "$BIN/real-gate" ] || mv "$BIN/sandbox-gate" "$BIN/real-gate"
	printf '#!/bin/sh\nexec strace -qq -o %s %s %s "$@"\n' "$T/trace" \
	    "$*" "$BIN/real-gate" > "$BIN/sandbox-gate"
	chmod +x "$BIN/sandbox-gate"
}

@test "guard: any call fails, nothing forbidden passes" {
	call Write '{"file_path":"/etc/x","content":""}' > "$T/in"
	hook strace -qq -o "$T/trace" < "$T/in"
	denied 'DENIED by policy'
	n=$(count_calls)
	[ "$n" -gt 40 ]
	for error in ENOMEM EIO; do
		for k in $(seq 2 "$n"); do
			hook strace -qq -o "$T/trace" \
			    -e "inject=all:error=$error:when=$k" < "$T/in"
			refused || { echo "call $k of $n: $(grep INJECTED \
			    "$T/trace")"; false; }
		done
	done
}

@test "guard: any call fails, silence only with a record" {
	allowed_call > "$T/in"
	hook strace -qq -o "$T/trace" < "$T/in"
	silent
	n=$(count_calls)
	for k in $(seq 2 "$n"); do
		before=$(records)
		hook strace -qq -o "$T/trace" \
		    -e "inject=all:error=EMFILE:when=$k" < "$T/in"
		if [ "$status" -eq 0 ] && [ -z "$out" ]; then
			[ "$(records)" -eq $((before + 1)) ]
		else
			refused
		fi || { echo "call $k: $(grep INJECTED "$T/trace")"; show
		    false; }
	done
}

@test "worker: any call fails, nothing forbidden passes" {
	call Write '{"file_path":"/etc/x","content":""}' > "$T/in"
	traced_worker
	hook < "$T/in"
	denied 'DENIED by policy'
	n=$(count_calls)
	[ "$n" -gt 80 ]
	for k in $(seq 2 "$n"); do
		traced_worker -e "inject=all:error=EIO:when=$k"
		hook < "$T/in"
		denied || { echo "call $k: $(grep INJECTED "$T/trace")"
		    false; }
	done
}

@test "worker: any call fails, silence only with a record" {
	allowed_call > "$T/in"
	traced_worker
	hook < "$T/in"
	silent
	n=$(count_calls)
	for k in $(seq 2 "$n"); do
		before=$(records)
		traced_worker -e "inject=all:error=ENOSPC:when=$k"
		hook < "$T/in"
		if [ -z "$out" ]; then
			[ "$status" -eq 0 ]
			[ "$(records)" -eq $((before + 1)) ]
		else
			denied
		fi || { echo "call $k: $(grep INJECTED "$T/trace")"; show
		    false; }
	done
}

@test "worker: killed at any call, one whole denial or a record" {
	allowed_call > "$T/in"
	traced_worker
	hook < "$T/in"
	n=$(count_calls)
	for k in $(seq 2 3 "$n"); do
		before=$(records)
		traced_worker -e "inject=all:signal=KILL:when=$k"
		hook < "$T/in"
		if [ -z "$out" ]; then
			[ "$(records)" -eq $((before + 1)) ]
		else
			denied
		fi || { echo "call $k of $n"; show; false; }
	done
}
