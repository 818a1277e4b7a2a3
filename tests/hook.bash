# tests/hook.bash - a project of its own and its hooks, for bats files.
#
#   hook_setup [POLICY-JSON]   $T, $ROOT, $STATE, $BIN (a copy of our programs)
#   hook_log_setup             the same with one call on record, $LOG and $SPOOL
#   call TOOL INPUT-JSON       the PreToolUse input of such a call
#   hook [EVENT]               run the hook on stdin; $status, $out, $err
#   denied [WORD...]           one complete deny object and exit 0
#
# The programs are copied, because the guard takes the worker that lies
# beside it: a test may put another one there.

bats_require_minimum_version 1.5.0

hook_setup()
{
	T=$(mktemp -d)
	BIN=$T/bin
	mkdir "$BIN"
	cp "$BUILD/pretooluse" "$BUILD/sandbox-gate" "$BIN/"
	ln "$BIN/pretooluse" "$BIN/posttooluse"
	ln "$BIN/pretooluse" "$BIN/sessionstart"
	ln "$BIN/pretooluse" "$BIN/configchange"
	if [ $# -gt 0 ]; then
		printf '%s\n' "$1" > "$T/policy.json"
		set -- "$T/policy.json"
	fi
	"$BUILD/tests/tools/project" "$T" "$@" > "$T/place"
	{ read -r ROOT; read -r STATE; read -r PROJECT; } < "$T/place"
	EVENT=PreToolUse
	CLIENT=claude
}

# The same, with one call on record: $LOG, and $SPOOL for what is left beside.
hook_log_setup()
{
	hook_setup '{"version":1,"limits":{"wait_alone_s":0}}'
	SPOOL=$ROOT/.sandbox/escalations/spool
	LOG=$STATE/audit/audit.jsonl
	allowed_call > "$T/in"
	hook < "$T/in"
	silent
}

hook_teardown()
{
	chmod -R u+rwx "$T" 2>/dev/null || :
	rm -rf "$T"
}

# call TOOL INPUT-JSON
call()
{
	printf '{"session_id":"s1","cwd":"%s","hook_event_name":"%s",' \
	    "${CWD:-$ROOT}" "$EVENT"
	printf '"tool_use_id":"t1","tool_name":"%s","tool_input":%s}' "$1" "$2"
}

# A call the policy lets through, so that silence would be the answer.
allowed_call()
{
	call Read "{\"file_path\":\"$ROOT/notes.txt\"}"
}

# A call that needs a human.
asked_call()
{
	call Unheard '{"x":1}'
}

command_line()
{
	printf '%s\n' "$BIN/pretooluse" --client "$CLIENT" --event "$EVENT" \
	    --root "$ROOT" --state "$STATE"
}

# Runs `"$@" HOOK...` on stdin.
hook()
{
	local args
	mapfile -t args < <(command_line)
	status=0
	"$@" "${args[@]}" > "$T/out" 2> "$T/err" || status=$?
	out=$(cat "$T/out"; echo .)
	out=${out%.}
	err=$(cat "$T/err")
}

show()
{
	printf 'status %s\nout %s\nerr %s\n' "$status" "$out" "$err"
}

denied()
{
	if [ "$status" -ne 0 ]; then show; return 1; fi
	perl -MJSON::PP -e '
		local $/;
		open(my $f, "<:raw", shift) or die; my $event = shift;
		my $raw = <$f>;
		my $o = JSON::PP->new->utf8->decode($raw);
		my $h = delete $o->{hookSpecificOutput};
		die "surplus" if %$o;
		my $why = delete $h->{permissionDecisionReason};
		die "event" if delete $h->{hookEventName} ne $event;
		die "decision" if delete $h->{permissionDecision} ne "deny";
		die "surplus" if %$h;
		die "reason" if length $why < 40;
		for (qw(hookSpecificOutput hookEventName permissionDecision
		    permissionDecisionReason)) {
			my @n = $raw =~ /"$_":/g;
			die "$_ twice" if @n != 1;
		}
		for (@ARGV) { die "no \"$_\" in: $why" if index($why, $_) < 0 }
	' "$T/out" "$EVENT" "$@" || { show; return 1; }
}

# Nothing said, exit 0: the client goes its usual way.
silent()
{
	if [ "$status" -ne 0 ] || [ -n "$out" ]; then show; return 1; fi
}

# until_true COMMAND... - at most 10 s.
until_true()
{
	local i
	for i in $(seq 200); do
		if "$@"; then return 0; fi
		sleep 0.05
	done
	echo "never true: $*"
	return 1
}

pending_count()
{
	find "$ROOT/.sandbox/escalations/pending" -type f | wc -l
}

one_pending()
{
	[ "$(pending_count)" -eq 1 ]
}

none_pending()
{
	[ "$(pending_count)" -eq 0 ]
}
