#!/usr/bin/env bats
# Every system call of guard and worker fails once, in turn.  A forbidden call
# is never let through; an allowed one is only let through (silence) when
# exactly one record of it was written.

load ../hook

setup()
{
	# A path that cannot be resolved is a question: do not wait for an answer.
	hook_setup '{"version":1,"limits":{"wait_alone_s":0,"new_per_minute":1000}}'
	tries=0 missed=0
	allowed_call > "$T/in"
	hook < "$T/in"
	silent
}
teardown() { hook_teardown; }

# Of the call: what failed before is told by records of its own.
records() { grep -c '"kind":"\(allow\|observe\)"' "$STATE/audit/audit.jsonl"; }

# The calls of $T/trace as NAME:when=N: strace counts each kind by itself.
# The first, execve, is strace's own.
list_calls()
{
	sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' "$T/trace" | tail -n +2 |
	    awk '{ print $1, ++n[$1] }'
}

# The worker does not make the very same calls every time (a sync is due or
# not), but nearly so.
was_injected()
{
	# strace that the guard killed leaves what it traced behind, and a
	# sanitizer whose start failed spins for ever.
	pkill -KILL -f "$BIN/real-gate" || :
	tries=$((tries + 1))
	grep -q INJECTED "$T/trace" || missed=$((missed + 1))
}

most_injected()
{
	echo "$missed of $tries not injected"
	[ "$tries" -gt 30 ] && [ $((missed * 10)) -lt "$tries" ]
}

# The one denial, or exit 2 with a reason.
refused()
{
	if [ "$status" -eq 2 ]; then [ -n "$err" ]; else denied; fi
}

# The worker beside the guard runs under strace with these options.  The leak
# checker of the asan build is a tracer itself, and there can be only one.
traced_worker()
{
	local env=
	[ "${VARIANT:-}" = asan ] && env="-E ASAN_OPTIONS=detect_leaks=0"
	[ -e "$BIN/real-gate" ] || mv "$BIN/sandbox-gate" "$BIN/real-gate"
	printf '#!/bin/sh\nexec strace -qq %s -o %s %s %s "$@"\n' "$env" \
	    "$T/trace" "$*" "$BIN/real-gate" > "$BIN/sandbox-gate"
	chmod +x "$BIN/sandbox-gate"
}

@test "guard: any call fails, nothing forbidden passes" {
	call Write '{"file_path":"/etc/x","content":""}' > "$T/in"
	hook strace -qq -o "$T/trace" < "$T/in"
	denied 'DENIED by policy'
	list_calls > "$T/calls"
	[ "$(wc -l < "$T/calls")" -gt 40 ]
	for error in ENOMEM EIO; do
		while read -r name k; do
			[ "$name" != exit_group ] || continue
			hook strace -qq -o "$T/trace" \
			    -e "inject=$name:error=$error:when=$k" < "$T/in"
			refused || { echo "$name $k"; false; }
			was_injected
		done < "$T/calls"
	done
}

@test "guard: any call fails, silence only with a record" {
	allowed_call > "$T/in"
	hook strace -qq -o "$T/trace" < "$T/in"
	silent
	list_calls > "$T/calls"
	while read -r name k; do
		[ "$name" != exit_group ] || continue
		before=$(records)
		hook strace -qq -o "$T/trace" \
		    -e "inject=$name:error=EMFILE:when=$k" < "$T/in"
		was_injected
		if [ "$status" -eq 0 ] && [ -z "$out" ]; then
			[ "$(records)" -eq $((before + 1)) ]
		else
			refused
		fi || { echo "$name $k"; show; false; }
	done < "$T/calls"
	most_injected
}

@test "worker: any call fails, nothing forbidden passes" {
	call Write '{"file_path":"/etc/x","content":""}' > "$T/in"
	traced_worker
	hook < "$T/in"
	denied 'DENIED by policy'
	list_calls > "$T/calls"
	[ "$(wc -l < "$T/calls")" -gt 80 ]
	while read -r name k; do
		[ "$name" != exit_group ] || continue
		traced_worker -e "inject=$name:error=EIO:when=$k"
		hook < "$T/in"
		denied || { echo "$name $k"; false; }
		was_injected
	done < "$T/calls"
	most_injected
}

@test "worker: any call fails, silence only with a record" {
	allowed_call > "$T/in"
	traced_worker
	hook < "$T/in"
	silent
	list_calls > "$T/calls"
	while read -r name k; do
		[ "$name" != exit_group ] || continue
		before=$(records)
		traced_worker -e "inject=$name:error=ENOSPC:when=$k"
		hook < "$T/in"
		was_injected
		if [ -z "$out" ]; then
			[ "$status" -eq 0 ]
			[ "$(records)" -eq $((before + 1)) ]
		else
			denied
		fi || { echo "$name $k"; show; false; }
	done < "$T/calls"
	most_injected
}

@test "worker: killed at any call, one whole denial or a record" {
	allowed_call > "$T/in"
	traced_worker
	hook < "$T/in"
	list_calls > "$T/calls"
	while read -r name k; do
		before=$(records)
		traced_worker -e "inject=$name:signal=KILL:when=$k"
		hook < "$T/in"
		if [ -z "$out" ]; then
			[ "$(records)" -eq $((before + 1)) ]
		else
			denied
		fi || { echo "$name $k"; show; false; }
	done < "$T/calls"
}
