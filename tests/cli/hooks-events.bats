#!/usr/bin/env bats
# The events around a call: what is recorded, what the model is told at the
# start, which prompts and settings are stopped.

load ../hook

setup()
{
	hook_setup '{"version":1,"limits":{"wait_s":20,"wait_alone_s":0}}'
	mkdir "$ROOT/.claude"
}
teardown() { hook_teardown; }

# event PROGRAM EVENT FIELDS-JSON
event()
{
	EVENT=$2
	printf '{"session_id":"s1","cwd":"%s","hook_event_name":"%s"%s}' \
	    "$ROOT" "$2" "${3:+,$3}" > "$T/in"
	status=0
	"$BIN/$1" --client claude --event "$2" --root "$ROOT" \
	    --state "$STATE" < "$T/in" > "$T/out" 2> "$T/err" || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
}

ran()	# ran TOOL_USE_ID [EVENT]
{
	event posttooluse "${2:-PostToolUse}" '"tool_name":"Read","tool_input":{"file_path":"'"$ROOT"'/n"},"tool_use_id":"'"$1"'","duration_ms":3'
}

last_record() { tail -1 "$STATE/audit/audit.jsonl"; }
last_kind() { last_record | sed 's/.*"kind":"\([^"]*\)".*/\1/'; }

# What init writes, from the same table.
register()
{
	"$BUILD/tests/tools/register" "$BIN" "$ROOT" "$STATE" \
	    > "$ROOT/.claude/settings.local.json"
}

changed()	# changed SOURCE FILE
{
	event configchange ConfigChange \
	    "\"source\":\"$1\",\"file_path\":\"$2\""
}

passes() { [ "$status" -eq 0 ] && [ -z "$out" ] || { show; return 1; }; }
stopped()
{
	[ "$status" -eq 2 ] && [ -z "$out" ] && [ -n "$err" ] ||
	    { show; return 1; }
	case $err in *"$1"*) ;; *) show; return 1 ;; esac
}

@test "after a judged call: tool.done, silent" {
	call Read "{\"file_path\":\"$ROOT/n\"}" > "$T/in"
	hook < "$T/in"
	silent
	ran t1
	passes
	[ "$(last_kind)" = tool.done ]
	last_record | grep -q '"tool_use_id":"t1"'
	ran t1 PostToolUseFailure
	passes
	[ "$(last_kind)" = tool.done ]
}

@test "after a call that no hook saw: hook.missed, the human is told" {
	ran t_unseen
	[ "$status" -eq 0 ]
	[ "$(last_kind)" = hook.missed ]
	case $out in '{"systemMessage":"sandbox'*'"}') ;; *) false ;; esac
}

@test "after a call that was rewritten behind its judgement: hook.missed" {
	call Bash '{"command":"ls"}' > "$T/in"
	hook < "$T/in"
	silent
	event posttooluse PostToolUse '"tool_name":"Bash","tool_use_id":"t1",
	    "tool_input":{"command":"ls -l"},"tool_response":{}'
	[ "$status" -eq 0 ]
	[ "$(last_kind)" = hook.missed ]
	case $out in *'another hook rewrote it'*) ;; *) show; false ;; esac
	# What the client adds to an input is no rewriting.
	event posttooluse PostToolUse '"tool_name":"Bash","tool_use_id":"t1",
	    "tool_input":{"description":"x","command":"ls"},"tool_response":{}'
	passes
	[ "$(last_kind)" = tool.done ]
}

@test "after: a secret in what a tool returned is kept from the model, in its shape" {
	call Bash '{"command":"env"}' > "$T/in"
	hook < "$T/in"
	event posttooluse PostToolUse '"tool_name":"Bash","tool_use_id":"t1",
	    "tool_input":{"command":"env"},"tool_response":{"stdout":"A=1\nDB_PASSWORD=hunter2\n","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}'
	[ "$status" -eq 0 ]
	case $out in
	'{"hookSpecificOutput":{"hookEventName":"PostToolUse",'*'"updatedToolOutput":{"stdout":"A=1\nDB_PASSWORD=[scrubbed:value]\n","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}}') ;;
	*) show; false ;;
	esac
	# Nothing to hide: silence.
	event posttooluse PostToolUse '"tool_name":"Bash","tool_use_id":"t1",
	    "tool_input":{"command":"env"},"tool_response":{"stdout":"A=1\n"}'
	passes
	# More than a reply holds: cut, still JSON and still scrubbed.
	python3 - "$ROOT" > "$T/in" <<-'PY'
	import json, sys
	print(json.dumps({"session_id": "s1", "cwd": sys.argv[1],
	    "hook_event_name": "PostToolUse", "tool_name": "Bash",
	    "tool_use_id": "t1", "tool_input": {"command": "env"},
	    "tool_response": {"stdout": "DB_PASSWORD=hunter2\n" +
	    "x" * 600000}}))
	PY
	"$BIN/posttooluse" --client claude --event PostToolUse \
	    --root "$ROOT" --state "$STATE" < "$T/in" > "$T/out"
	python3 -c 'import json,sys; o = json.load(open(sys.argv[1]));
s = o["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
assert "hunter2" not in s and "characters" in s, s[:200]' "$T/out"
}

@test "a mark of ours is not written back over the secret: a human is asked" {
	call Write "{\"file_path\":\"$ROOT/n\",\"content\":\"A=1\"}" > "$T/in"
	hook < "$T/in"
	silent
	[ "$(last_kind)" = observe ] || [ "$(last_kind)" = allow ]
	call Edit "{\"file_path\":\"$ROOT/n\",\"old_string\":\"A=[scrubbed:value]\",\"new_string\":\"A=1\",\"replace_all\":false}" > "$T/in"
	hook < "$T/in"
	silent
	call Write "{\"file_path\":\"$ROOT/n\",\"content\":\"PASSWORD=[scrubbed:value]\"}" > "$T/in"
	hook < "$T/in"
	grep -q '"kind":"tool.request".*"rule":"scrubbed_mark"' "$STATE/audit/audit.jsonl"
}

@test "after: a broken place is harmless and said" {
	rm -rf "$STATE/audit"
	ran t1
	[ "$status" -eq 0 ]
	case $out in '{"systemMessage":"'*'"}') ;; *) false ;; esac
	rm "$BIN/sandbox-gate"
	ran t1
	[ "$status" -eq 0 ]
	case $out in '{"systemMessage":"'*'"}') ;; *) false ;; esac
}

@test "session start: short, what is gated and how to ask" {
	event sessionstart SessionStart '"source":"startup"'
	[ "$status" -eq 0 ]
	[ "$(last_kind)" = session.start ]
	perl -MJSON::PP -e 'local $/; open F, "<", shift;
	    my $h = decode_json(<F>)->{hookSpecificOutput};
	    die if $h->{hookEventName} ne "SessionStart";
	    my $c = $h->{additionalContext};
	    for (qw(APPROVED DENIED PENDING human)) { die if $c !~ /$_/ }
	    die length $c if length $c > 1000;
	    die "differs" if $c =~ /policy\.json/' "$T/out"
}

@test "session start: names a changed policy, observing, waiting answers" {
	echo '{"version":1}' > "$ROOT/.sandbox/policy.json"
	asked_call > "$T/in"
	EVENT=PreToolUse asked_call > "$T/in"
	EVENT=PreToolUse hook < "$T/in"
	ID=$(basename "$ROOT"/.sandbox/escalations/pending/*)
	"$BUILD/tests/tools/human" "$STATE" "$ID" run out ''
	event sessionstart SessionStart '"source":"resume"'
	case $out in *'policy.json differs'*) ;; *) show; false ;; esac
	case $out in *'Answers wait for: `Unheard'*) ;; *) show; false ;; esac
	perl -MJSON::PP -e 'local $/; open F, "<", shift;
	    my $h = decode_json(<F>)->{hookSpecificOutput};
	    die if length $h->{additionalContext} > 1400' "$T/out"
}

# The bound: a word is a token for every four letters begun; letters mixed with
# digits or in both cases, and whatever is neither letter nor blank, are one a
# byte.  (Two real tokenizers count 142 and 147 where it says 197.)
tokens()
{
	perl -MJSON::PP -e 'local $/; open F, "<", shift;
	    my $h = decode_json(<F>);
	    $h = $h->{hookSpecificOutput} if $h->{hookSpecificOutput};
	    my $t = $h->{additionalContext} // $h->{additional_context} //
	        $h->{contextModification};
	    die "no context" if !length $t;
	    utf8::encode($t);
	    my $n = 0;
	    for ($t =~ /[A-Za-z0-9]+|[^A-Za-z0-9\s]/g) {
	        $n += /^(?:[A-Z]?[a-z]+|[A-Z]+)$/ ?
	            int((length() + 3) / 4) : length;
	    }
	    print $n' "$T/out"
}

# start CLIENT EVENT - in the words of any client; prints the text's tokens.
start()
{
	printf '{"session_id":"s1","sessionId":"s1","conversation_id":"s1","taskId":"s1","cwd":"%s","workspace_roots":["%s"],"workspaceRoots":["%s"],"hook_event_name":"%s","hookName":"%s","source":"startup","clineVersion":"1","timestamp":"1","taskStart":{}}' \
	    "$ROOT" "$ROOT" "$ROOT" "$2" "$2" > "$T/in"
	"$BIN/sessionstart" --client "$1" --event "$2" \
	    --root "$ROOT" --state "$STATE" < "$T/in" > "$T/out"
	tokens
}

@test "session start: at most 250 tokens for every client, whatever waits" {
	local i plain all loud client
	echo '{"version":1}' > "$ROOT/.sandbox/policy.json"
	plain=$(start claude SessionStart)
	for i in 1 2 3 4; do
		EVENT=PreToolUse call Bash "{\"command\":\"/tmp/$i/aQx9Zk2LmPq8Rt5Vw3Yz6Bc1Df4Gh7Jk0Ln5be0c2917f0d4e63b8a1c9d27e4f60a35be0c\"}" > "$T/in"
		EVENT=PreToolUse hook < "$T/in"
		"$BUILD/tests/tools/human" "$STATE" "$(basename "$ROOT"/.sandbox/escalations/pending/*)" run out ''
	done
	all=$(start claude SessionStart)
	grep -qF '(4); repeat the call to collect.' "$T/out"
	hook_teardown
	hook_setup '{"version":1,"mode":"observe"}'
	echo '{"version":1}' > "$ROOT/.sandbox/policy.json"
	for client in 'claude SessionStart' 'codex SessionStart' \
	    'gemini SessionStart' 'cursor sessionStart' \
	    'copilot sessionStart' 'cline TaskStart'; do
		loud=$(start "${client% *}" "${client#* }")
		grep -qF 'only observes' "$T/out"
		grep -qF 'policy.json differs' "$T/out"
		echo "$client: $loud, with answers $((loud + all - plain))"
		[ "$loud" -gt 100 ]
		[ $((loud + all - plain)) -le 250 ]
	done
}

@test "session start: a broken place is said, nothing stops" {
	rm -rf "$STATE/view"
	event sessionstart SessionStart '"source":"startup"'
	[ "$status" -eq 0 ]
	case $out in *'every tool call will be denied'*) ;; *) show; false ;; esac
	rm "$BIN/sandbox-gate"
	event sessionstart SessionStart '"source":"startup"'
	[ "$status" -eq 0 ]
	case $out in *'every tool call will be denied'*) ;; *) show; false ;; esac
}

@test "session end: recorded, silent, also when broken" {
	event sessionstart SessionEnd '"reason":"other"'
	passes
	[ "$(last_kind)" = session.end ]
	rm -rf "$STATE/audit"
	event sessionstart SessionEnd '"reason":"other"'
	passes
}

@test "prompt: passes in a sound project" {
	register
	event sessionstart UserPromptSubmit '"prompt":"hello"'
	passes
	echo '{"env":{"FOO":"1"}}' > "$ROOT/.claude/settings.json"
	event sessionstart UserPromptSubmit '"prompt":"hello"'
	passes
}

blocked()
{
	[ "$status" -eq 0 ] || { show; return 1; }
	case $out in
	'{"decision":"block","reason":"sandbox cannot '*'"}') ;;
	*) show; return 1 ;;
	esac
}

@test "prompt: blocked where settings bend every program" {
	for name in LD_PRELOAD LD_LIBRARY_PATH GIT_CONFIG_COUNT GIT_SSH PATH \
	    HOME XDG_STATE_HOME NODE_OPTIONS PYTHONPATH BASH_ENV \
	    CLAUDE_CODE_SHELL_PREFIX CLAUDE_CODE_SHELL CLAUDE_CONFIG_DIR \
	    CLAUDE_PID ZDOTDIR CDPATH TAR_OPTIONS RIPGREP_CONFIG_PATH \
	    EDITOR VISUAL SSH_ASKPASS OPENSSL_CONF JAVA_TOOL_OPTIONS \
	    RUSTUP_TOOLCHAIN GOFLAGS CC MANROFFOPT DOCKER_CONFIG; do
		for f in settings.json settings.local.json; do
			echo "{\"env\":{\"$name\":\"x\"}}" > \
			    "$ROOT/.claude/$f"
			event sessionstart UserPromptSubmit '"prompt":"hi"'
			blocked
			case $out in *"$name"*) ;; *) show; false ;; esac
			rm "$ROOT/.claude/$f"
		done
	done
}

@test "prompt: blocked by settings that cannot be read, FIFO included" {
	echo '{"env":' > "$ROOT/.claude/settings.json"
	event sessionstart UserPromptSubmit '"prompt":"hi"'
	blocked
	rm "$ROOT/.claude/settings.json"
	mkfifo "$ROOT/.claude/settings.json"
	event sessionstart UserPromptSubmit '"prompt":"hi"'
	blocked
}

@test "prompt: blocked without private record, policy, worker" {
	for f in record.json view/policy.accepted; do
		mv "$STATE/$f" "$T/aside"
		[ "$f" != view/policy.accepted ] || echo bad > "$STATE/$f"
		event sessionstart UserPromptSubmit '"prompt":"hi"'
		blocked
		mv "$T/aside" "$STATE/$f"
	done
	rm "$BIN/sandbox-gate"
	event sessionstart UserPromptSubmit '"prompt":"hi"'
	blocked
}

@test "config: other edits pass, ours stay" {
	register
	echo '{"model":"x"}' > "$ROOT/.claude/settings.json"
	changed project_settings "$ROOT/.claude/settings.json"
	passes
	[ "$(last_kind)" = config.changed ]
	sed -i 's/^{/{"model":"y",/' "$ROOT/.claude/settings.local.json"
	changed local_settings "$ROOT/.claude/settings.local.json"
	passes
}

@test "config: an edit that loses or weakens our entries is kept out" {
	local=$ROOT/.claude/settings.local.json
	register
	cp "$local" "$T/good"
	for edit in 's/"PreToolUse"/"Ignored"/' 's/"ConfigChange"/"X"/' \
	    's/"onFailure":"block"/"onFailure":"allow"/' \
	    's/"matcher":"\*"/"matcher":"Bash"/' 's/86400/1/' \
	    's/pretooluse/true/' 's/"command"/"http"/' 's/"--root","[^"]*"/"--root","\/tmp"/' \
	    's/^{/[/' 's/}$//' 's/^{/{"permissions":{"allow":"x"},/' \
	    's/"disableAllHooks":false/"disableAllHooks":true/' \
	    's/,"disableAllHooks":false//' 's/^{/{"env":{"LD_PRELOAD":"x"},/'; do
		sed "$edit" "$T/good" > "$local"
		if cmp -s "$T/good" "$local"; then echo "no-op: $edit"; false; fi
		changed local_settings "$local"
		stopped 'settings'
	done
	rm "$local"
	changed local_settings "$local"
	stopped 'lose the hooks'
	cp "$T/good" "$local"
	changed local_settings "$local"
	passes
}

@test "config: the project's file cannot switch hooks off" {
	register
	echo '{"disableAllHooks":true}' > "$ROOT/.claude/settings.json"
	changed project_settings "$ROOT/.claude/settings.json"
	stopped disableAllHooks
	last_record | grep -q '"refused":true'
}

@test "config: entries in another layer are enough" {
	register
	mv "$ROOT/.claude/settings.local.json" "$ROOT/.claude/settings.json"
	changed local_settings "$ROOT/.claude/settings.local.json"
	passes
}

@test "config: managed settings and skills pass, broken places do not" {
	changed policy_settings /etc/claude-code/managed-settings.json
	passes
	changed skills "$ROOT/x"
	passes
	rm -rf "$STATE/view"
	register
	changed project_settings "$ROOT/.claude/settings.json"
	stopped 'sandbox'
	rm "$BIN/sandbox-gate"
	changed project_settings "$ROOT/.claude/settings.json"
	stopped 'sandbox'
}

@test "shell lines of skills go through the same gate" {
	EVENT=PreSkillShellCommand
	call Write '{"file_path":"/etc/x","content":""}' > "$T/in"
	hook < "$T/in"
	denied 'DENIED by policy'
	call Read "{\"file_path\":\"$ROOT/n\"}" > "$T/in"
	hook < "$T/in"
	silent
	echo x > "$T/in"
	hook < "$T/in"
	denied
	rm "$BIN/sandbox-gate"
	hook < "$T/in"
	denied
}
