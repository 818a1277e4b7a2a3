#!/usr/bin/env bats
# The log cannot be reached: hidden by a jail, read-only, full, held.  What
# must be recorded does not happen, and what happened is left as a claim that
# the next hook with a log takes in.

load ../hook

setup() { hook_log_setup; }
teardown() { hook_teardown; }

# Runs the last arguments where $1, a shell line, changed what is mounted.
where()
{
	local change=$1
	shift
	if [ "$(id -u)" -eq 0 ]; then
		unshare -m sh -c "$change"' && exec "$@"' sh "$@"
	else
		unshare -c --keep-caps -m sh -c "$change"' && exec "$@"' sh "$@"
	fi
}

hidden() { where "mount -t tmpfs -o mode=700 none '$STATE'" "$@"; }
read_only()
{
	where "mount --bind '$STATE' '$STATE' &&
	    mount -o remount,bind,ro '$STATE'" "$@"
}
# The log on a disk of its own that has no byte left, nor its last page.
full()
{
	local i name=x
	for i in $(seq 40); do
		[ $(($(stat -c %s "$LOG") % 4096)) -lt 3600 ] || break
		name=${name}123456789
		EVENT=PreToolUse call Read \
		    "{\"file_path\":\"$ROOT/$name\"}" | "$BIN/pretooluse" \
		    --client claude --event PreToolUse --root "$ROOT" \
		    --state "$STATE"
	done
	where "cp '$LOG' '$T/log' && mount -t tmpfs -o size=64k,mode=700 none \
	    '$STATE/audit' && cp '$T/log' '$LOG' && chmod 600 '$LOG' &&
	    { cat /dev/zero > '$STATE/audit/rest' 2>/dev/null; \
	    head -c 4000 /dev/zero >> '$STATE/audit/rest' 2>/dev/null; :; }" "$@"
}
# Somebody keeps the lock until the hook is done.
held() { flock "$STATE/log.key" "$@"; }

claims() { find "$SPOOL" -type f -printf '%f\n'; }
last_of() { grep "\"kind\":\"$1\"" "$LOG" | tail -n 1; }

# One claim, and the next call takes it in; $1 is what it claims.
taken_in()
{
	[ "$(claims | wc -l)" -eq 1 ]
	EVENT=PreToolUse
	allowed_call > "$T/in"
	hook < "$T/in"
	silent
	[ -z "$(claims)" ]
	last_of claim | grep -F "\"claimed\":\"$1\""
	[ "$(grep -c '"kind":"claim"' "$LOG")" -eq 1 ]
}

@test "a call is denied, and a claim says why" {
	for way in hidden read_only full held; do
		hook "$way" < "$T/in" || :
		denied 'nothing was executed' || { echo "$way"; false; }
		[ "$(claims | wc -l)" -eq 1 ] || { echo "$way"; false; }
		grep -F '"kind":"hook.failed"' "$SPOOL"/*
		grep -F "notes.txt" "$SPOOL"/*
		hook < "$T/in"
		silent
		[ -z "$(claims)" ]
		last_of claim | grep -F '"claimed":"hook.failed"'
		last_of claim | grep -F '\"why\":\"' || { echo "$way"; false; }
	done
	[ "$(grep -c '"kind":"claim"' "$LOG")" -eq 4 ]
}

@test "a held log costs the hook less than its client waits" {
	local start took
	start=$(date +%s%N)
	hook held < "$T/in"
	took=$((($(date +%s%N) - start) / 1000000))
	denied 'another process holds the audit log'
	[ "$took" -ge 5000 ] && [ "$took" -lt 10000 ]
}

@test "what a tool did is claimed where it cannot be recorded" {
	EVENT=PostToolUse
	for way in hidden read_only full; do
		printf '{"session_id":"s1","cwd":"%s","hook_event_name":"%s",
		    "tool_use_id":"t1","tool_name":"Read","tool_input":
		    {"file_path":"%s/notes.txt"},"tool_response":{}}' \
		    "$ROOT" "$EVENT" "$ROOT" > "$T/after"
		hook "$way" < "$T/after"
		[ "$status" -eq 0 ] && [ -n "$out" ] || show
		grep -F '"kind":"tool.done"' "$SPOOL"/*
		hook < "$T/after"
		[ -z "$(claims)" ]
		last_of claim | grep -F '"claimed":"tool.done"'
	done
}

@test "sessions that begin and end without a log are claimed" {
	EVENT=SessionStart
	printf '{"session_id":"s2","cwd":"%s","hook_event_name":"SessionStart",
	    "source":"startup"}' "$ROOT" > "$T/start"
	hook hidden < "$T/start"
	taken_in session.start
}

@test "a baseline that could not be recorded is taken again" {
	EVENT=SessionStart
	printf '{"session_id":"s3","cwd":"%s","hook_event_name":"SessionStart",
	    "source":"startup"}' "$ROOT" > "$T/start"
	echo x > "$ROOT/file"
	hook held < "$T/start"
	if last_of file.snapshot | grep '"session":"s3"'; then false; fi
	hook < "$T/start"
	last_of file.snapshot | grep '"session":"s3"'
	hook < "$T/start"
	[ "$(grep '"kind":"file.snapshot"' "$LOG" | grep -c '"s3"')" -eq 1 ]
}

@test "a secret in a claim is scrubbed before it lies in the project" {
	call Bash '{"command":"DB_PASSWORD=hunter2hunter2 true"}' > "$T/in"
	hook hidden < "$T/in"
	denied
	[ "$(claims | wc -l)" -eq 1 ]
	if grep -r hunter2 "$SPOOL"; then false; fi
}

@test "no claims without end" {
	perl -e 'for (1 .. 8192) {
		open(my $f, ">", sprintf("%s/%016x-%012x-1", $ARGV[0], $_, $_))
		    or die; print $f "{}" }' "$SPOOL"
	hook hidden < "$T/in"
	denied
	[ "$(claims | wc -l)" -eq 8192 ]
	# What is no claim goes, at most so many a call, and is no record.
	was=$(wc -l < "$LOG")
	for i in $(seq 32); do hook < "$T/in"; silent; done
	[ -z "$(claims)" ]
	[ "$(wc -l < "$LOG")" -eq $((was + 32)) ]
}

@test "no claim through a link, none in a folder that others can write" {
	mv "$SPOOL" "$SPOOL.mine"
	ln -s "$SPOOL.mine" "$SPOOL"
	hook hidden < "$T/in"
	denied
	[ -z "$(find "$SPOOL.mine" -type f)" ]
	rm "$SPOOL"
	mkdir -m 777 "$SPOOL"
	chmod 777 "$SPOOL"
	hook hidden < "$T/in"
	denied
	[ -z "$(claims)" ]
}

@test "our own failure with a log at hand is a record" {
	call Edit "{\"file_path\":\"$ROOT/a\",\"old_string\":\"x\",\"new_string\":\"y\"}" > "$T/in"
	echo x > "$ROOT/a"
	rm -rf "$STATE/originals"
	echo no folder > "$STATE/originals"
	hook < "$T/in"
	denied 'nothing was executed'
	last_of hook.failed | grep -F '"event":"PreToolUse"'
	[ -z "$(claims)" ]
}
