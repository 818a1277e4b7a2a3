#!/usr/bin/env bats
# The same for every other client: whatever breaks, the words are the ones that
# make that client refuse.  DESIGN: "a broken, slow, killed, confused hook".

load ../hook

setup() { hook_setup '{"version":1,"limits":{"wait_s":30,"wait_alone_s":1}}'; }
teardown() { hook_teardown; }

# client, event, what the client reads as a refusal: a path of keys and its
# value, or the exit status.
EVENTS='codex PreToolUse hookSpecificOutput.permissionDecision deny
codex UserPromptSubmit decision block
gemini BeforeTool decision deny
gemini BeforeAgent decision deny
cursor preToolUse permission deny
cursor beforeSubmitPrompt continue 0
windsurf pre_run_command exit 2
windsurf pre_write_code exit 2
windsurf pre_read_code exit 2
windsurf pre_mcp_tool_use exit 2
windsurf pre_user_prompt exit 2
copilot preToolUse permissionDecision deny
cline PreToolUse cancel 1
cline UserPromptSubmit cancel 1
opencode tool.execute.before decision deny'

# refused KEYS VALUE: one object that says so, or exit 2 and words on stderr.
refused()
{
	if [ "$1" = exit ]; then
		[ "$status" -eq 2 ] && [ -z "$out" ] && [ "${#err}" -gt 15 ] ||
			{ show; return 1; }
		return 0
	fi
	[ "$status" -eq 0 ] || { show; return 1; }
	perl -MJSON::PP -e '
		local $/;
		my ($keys, $want) = @ARGV;
		my $o = JSON::PP->new->utf8->decode(<STDIN>);
		for (split /\./, $keys) { $o = $o->{$_} }
		$o = $o ? 1 : 0 if JSON::PP::is_bool($o);
		exit($o eq $want ? 0 : 1);
	' "$1" "$2" < "$T/out" || { show; return 1; }
}

each_event() # command to run for each; then it must be refused
{
	while read -r CLIENT EVENT keys value; do
		echo "# $CLIENT $EVENT" >&2
		"$@"
		refused "$keys" "$value"
	done <<< "$EVENTS"
}

feed() { hook < "$T/in"; }

worker()
{
	rm -f "$BIN/sandbox-gate"
	{ echo '#!/bin/sh'; cat; } > "$BIN/sandbox-gate"
	chmod +x "$BIN/sandbox-gate"
}

@test "no input, half an input, something else" {
	: > "$T/in"
	each_event feed
	printf '{"session_id":"x","tool_name":' > "$T/in"
	each_event feed
	echo '[1,2,3]' > "$T/in"
	each_event feed
	printf '{"a":1}\377' > "$T/in"
	each_event feed
}

@test "the worker dies, is silent, says too much" {
	echo '{}' > "$T/in"
	echo 'kill -SEGV $$' | worker
	each_event feed
	echo 'exit 0' | worker
	each_event feed
	echo 'printf "A 0 2 0\n{}E\nx"' | worker
	each_event feed
}

@test "the worker is not there" {
	echo '{}' > "$T/in"
	rm "$BIN/sandbox-gate"
	each_event feed
}

@test "the project is gone" {
	rm -rf "$ROOT/.sandbox"
	while read -r CLIENT EVENT keys value; do
		# A well-formed input of that event, as recorded.
		python3 - "$SRC/tests/dialects/$CLIENT.jsonl" "$EVENT" \
		    > "$T/in" <<-'E'
		import json, sys
		for line in open(sys.argv[1], encoding='utf-8'):
		    one = json.loads(line)
		    if one['event'] == sys.argv[2] and \
		       'refused' not in one['want']:
		        print(json.dumps(one['input']))
		        break
		E
		[ -s "$T/in" ]
		feed
		refused "$keys" "$value"
	done <<< "$EVENTS"
}

@test "an unknown client or event" {
	echo '{}' > "$T/in"
	CLIENT=nobody EVENT=PreToolUse feed
	refused hookSpecificOutput.permissionDecision deny
	refused decision block
	CLIENT=gemini EVENT=Unheard feed
	refused exit 2
}

# What init writes for clients that start hooks through a shell.
@test "the registered command line: the guard is killed, or not there" {
	mkdir "$T/p" "$T/home"
	rm "$BIN/pretooluse"
	cp "$BUILD/sandbox" "$BIN/"
	printf '#!/bin/sh\nkill -KILL $$\n' > "$BIN/pretooluse"
	chmod +x "$BIN/pretooluse"
	HOME=$T/home XDG_STATE_HOME=$T/state XDG_DATA_HOME=$T/data \
	    "$BIN/sandbox" init "$T/p" --codex --gemini --cursor --windsurf \
	    --copilot --cline
	python3 - "$T/p" > "$T/commands" <<-'E'
	import json, sys
	for file, event in ((".codex/hooks.json", "PreToolUse"),
	                    (".gemini/settings.json", "BeforeTool"),
	                    (".cursor/hooks.json", "preToolUse"),
	                    (".windsurf/hooks.json", "pre_run_command"),
	                    (".github/hooks/sandbox.json", "preToolUse")):
	    entry = json.load(open(sys.argv[1] + "/" + file))["hooks"][event][0]
	    entry = entry.get("hooks", [entry])[0]
	    print(entry.get("command") or entry["bash"])
	E
	[ "$(wc -l < "$T/commands")" -eq 5 ]
	for round in killed missing; do
		while read -r line; do
			for shell in sh bash "bash -l"; do
				status=0
				HOME=$T/home $shell -c "$line" < /dev/null \
				    > "$T/out" 2> "$T/err" || status=$?
				out=$(cat "$T/out") err=$(cat "$T/err")
				refused exit 2
			done
		done < "$T/commands"
		status=0
		"$T/p/.clinerules/hooks/PreToolUse" < /dev/null \
		    > "$T/out" 2> "$T/err" || status=$?
		refused cancel 1
		rm -f "$BIN/pretooluse"
	done
}

# twist N: a call that a client of ours sent or documents, as it would be let
# pass or asked, but for one thing.
twist()
{
	python3 - "$SRC/tests/dialects/$CLIENT.jsonl" "$EVENT" "$1" > "$T/in" <<-'P'
	import json, sys
	file, event, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
	for line in open(file):
	    o = json.loads(line)
	    if o["event"] == event and "refused" not in o["want"]:
	        break
	text = json.dumps(o["input"])
	first = next(iter(o["input"]))
	deep = text.replace("{", '{"x":' + "[" * 40 + "]" * 40 + ",", 1)
	inner = text.rfind("}", 0, len(text) - 1)
	sys.stdout.buffer.write([
	    text.replace("{", '{"%s":0,' % first, 1).encode(),
	    (text[:inner] + ',"dup":1,"dup":2' + text[inner:]).encode(),
	    (text[:inner] + ',"d\\u0075p":1,"dup":2' + text[inner:]).encode(),
	    text.replace("{", '{"nul":"\\u0000",', 1).encode(),
	    text.replace("{", '{"half":"\\ud800",', 1).encode(),
	    deep.encode(),
	    b"\xef\xbb\xbf" + text.encode(),
	    ("[%s]" % text).encode(),
	    (text + text).encode(),
	    text.replace("{", '{"bytes":"', 1).encode() + b'\xff"}',
	    text.replace("{", '{"big":"' + "y" * 9000000 + '",', 1).encode(),
	][n])
	P
	hook < "$T/in"
}

@test "a call that is right but for one thing: keys twice, NUL, depth, batches" {
	local n
	for n in {0..10}; do
		while read -r CLIENT EVENT keys value; do
			case $EVENT in UserPromptSubmit | BeforeAgent | \
			    beforeSubmitPrompt | pre_user_prompt) continue ;; esac
			echo "# $n $CLIENT $EVENT" >&2
			twist "$n"
			refused "$keys" "$value"
		done <<< "$EVENTS"
	done
}
