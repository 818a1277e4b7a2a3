#!/usr/bin/env bats
# DESIGN: "an approval is used for something else", "the screen lies": what a
# person saw is what runs, where they saw it, by the rules that hold then.

load ../approver

setup() { approver_setup; }
teardown() { approver_teardown; }

# A watch that answers what comes through descriptor 9.
watch_start()
{
	mkfifo "$T/keys"
	"$SANDBOX" watch --line < "$T/keys" > "$T/watch" 2>&1 3>&- &
	WATCH=$!
	exec 9> "$T/keys"
}
watch_end()
{
	echo q >&9
	exec 9>&-
	wait "$WATCH"
}
says() { grep -qF -- "$1" "$T/watch"; }

@test "a script that the command names by a relative path is bound" {
	mkdir sub
	for command in ./run.sh 'sh run.sh' 'bash < run.sh' 'cat run.sh | sh' \
	    '. ./run.sh' 'env ./run.sh' 'python3 run.sh' \
	    'cd sub && sh ../run.sh' 'ls && timeout 5 ./run.sh x'; do
		printf 'exit 0\n' > run.sh
		chmod 755 run.sh
		ask Bash "{\"command\":\"$command\"}"
		run -0 "$SANDBOX" show "$ID"
		[[ $output == *"script "*" $ROOT/run.sh"* ]] ||
		    { echo "$command: $output"; return 1; }
		printf 'touch %s/ran\n' "$T" > run.sh
		run -125 approve
		[ ! -e "$T/ran" ]
		run -0 "$SANDBOX" deny "$ID"
	done
}

@test "a script too large to be read each time is bound as well" {
	truncate -s 70M big.sh
	ask Bash '{"command":"sh big.sh"}'
	printf 'touch %s/ran\n' "$T" |
	    dd of=big.sh conv=notrunc status=none
	run -125 approve
	[ ! -e "$T/ran" ]
}

@test "a script that is a FIFO is named as one that nobody can know" {
	mkfifo run.sh
	ask Bash '{"command":"sh run.sh"}'
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *"script   (! no readable file) $ROOT/run.sh"* ]]
}

@test "a directory that only looks as if it were in the project" {
	mkdir "$T/out" in
	ln -s "$T/out" link
	for dir in "$ROOT/../out" "$ROOT/link" "$ROOT/in/../../out"; do
		CWD=$dir frob "touch ran"
		run -0 "$SANDBOX" show "$ID"
		[[ $output == *$'\nin (!)   '"$T/out"$'\n'* ]]
		[[ $output == *$'\ncalled   '"$dir"$'\n'* ]]
		run -0 "$SANDBOX" pending
		[[ $output == *"[in (!) $T/out]"* ]]
		run -0 "$SANDBOX" deny "$ID"
	done
	CWD=$ROOT/in frob "touch ran"
	run -0 "$SANDBOX" pending
	[[ $output == *"[in $ROOT/in]"* ]]
}

@test "watch: one line is not enough for a call outside or in the background" {
	mkdir "$T/out"
	watch_start
	CWD=$T/out frob "touch $T/ran"
	until_true says '[1]'
	echo 'a 1' >&9
	until_true says 'look at all of it first'
	frob "touch $T/ran; sleep 60" ',"run_in_background":true'
	until_true says '[in the background]'
	echo 'a 2' >&9
	until_true says '[2] look at all of it first'
	watch_end
	[ ! -e "$T/ran" ]
}

@test "watch: the rules that hold now, not those of when it began" {
	frob "touch $T/ran"
	watch_start
	until_true says '[1]'
	policy '{"version":1,"rules":[{"id":"no-frob","match":{"program":"frob"},"verdict":"deny","why":"no"}]}'
	echo 'a 1' >&9
	until_true says 'policy denies this'
	echo broken >> "$STATE/view/policy.accepted"
	echo 'a 1' >&9
	until_true says 'the accepted policy'
	watch_end
	[ ! -e "$T/ran" ]
	[ -z "$(ls "$STATE/ledger")" ]
}

@test "watch: a request swapped after its line was shown does not run" {
	frob "echo good >> $T/ran"
	watch_start
	until_true says '[1]'
	sed "s/echo good/echo evil/" ".sandbox/escalations/pending/$ID" > "$T/new"
	cat "$T/new" > ".sandbox/escalations/pending/$ID"
	echo 'a 1' >&9
	until_true says 'is not what was shown'
	watch_end
	[ ! -e "$T/ran" ]
}

@test "a link to a script turned while the passphrase is typed" {
	echo secret > "$T/pass"
	"$SANDBOX" key passphrase --new-passphrase-fd 8 8< "$T/pass" > "$T/key"
	echo 'echo good' > good.sh
	echo "touch $T/ran" > evil.sh
	ln -s good.sh run.sh
	ask Bash '{"command":"sh run.sh"}'
	mkfifo "$T/typing"
	"$SANDBOX" approve "$ID" --digest "$DIGEST" --passphrase-fd 8 \
	    8< "$T/typing" > "$T/said" 2>&1 3>&- &
	exec 9> "$T/typing"
	held() { ! flock -n "$STATE/run/$ID/lock" true; }
	until_true [ -e "$STATE/run/$ID/lock" ]
	until_true held
	# It waits for us now, behind its first look.
	looked() { [[ $(cat "/proc/$!/stat") == *') S '* ]]; }
	until_true looked
	ln -sf evil.sh run.sh
	echo secret >&9
	exec 9>&-
	code=0
	wait $! || code=$?
	[ "$code" -eq 125 ]
	grep -q 'is not what was shown' "$T/said"
	[ ! -e "$T/ran" ]
	[ -z "$(ls "$STATE/ledger")" ]
}

@test "a Write does not carry setuid over to new bytes" {
	policy '{"version":1,"triggers":{"write_outside":"escalate"}}'
	mkdir "$T/out"
	echo old > "$T/out/f"
	chmod 6755 "$T/out/f"
	ask Write "{\"file_path\":\"$T/out/f\",\"content\":\"new\"}"
	run -0 approve
	[ "$(cat "$T/out/f")" = new ]
	[ "$(stat -c %a "$T/out/f")" = 755 ]
}

@test "a parent swapped for a link, a file for a FIFO, folder or device" {
	policy '{"version":1,"triggers":{"write_outside":"escalate","read_outside":"escalate"}}'
	mkdir -p "$T/out/a" "$T/victim"
	ask Write "{\"file_path\":\"$T/out/a/f\",\"content\":\"new\"}"
	mv "$T/out/a" "$T/out/b"
	ln -s "$T/victim" "$T/out/a"
	run -125 approve
	[ -z "$(ls "$T/victim")" ]
	ask Write "{\"file_path\":\"$T/out/b/f\",\"content\":\"new\"}"
	mkfifo "$T/out/b/f"
	run -1 timeout 20 "$SANDBOX" approve "$ID" --digest "$DIGEST"
	ask Read "{\"file_path\":\"$T/out/b/f\"}"
	run -1 timeout 20 "$SANDBOX" approve "$ID" --digest "$DIGEST"
	ask Write "{\"file_path\":\"$T/out/b/g\",\"content\":\"new\"}"
	mkdir "$T/out/b/g"
	run -1 approve
}

@test "PATH: no entry that depends on the agent's directory, others are named" {
	mkdir bin
	printf '#!/bin/sh\ntouch %s/ran\n' "$T" > ls
	chmod 755 ls
	for path in ".:$PATH" ":$PATH" "$PATH:" "bin:$PATH" '' .; do
		ask Bash '{"command":"ls; frob; true"}'
		PATH=$path run -0 "$SANDBOX" show "$ID"
		[[ $output != *'path (!)'* ]]
		run -0 env PATH="$path" "$SANDBOX" approve "$ID" --digest "$DIGEST"
		[ ! -e "$T/ran" ]
	done
	ask Bash '{"command":"frob x"}'
	PATH=$ROOT/bin:$PATH run -0 "$SANDBOX" show "$ID"
	[[ $output == *$'\npath (!) '"$ROOT/bin"$'\n'* ]]
}

@test "numbers that a double would take for one another are two calls" {
	ask mcp__bank__pay '{"to":12345678901234567891}'
	run -0 "$SANDBOX" show "$ID"
	echo "$output"; 	[[ $output == *12345678901234567891* ]]
	for n in 12345678901234567892 1e999 2e999 9007199254740992 \
	    9007199254740993 0.30000000000000004 0.3; do
		ask mcp__bank__pay "{\"to\":$n}"
		run -0 "$SANDBOX" show "$ID"
		[[ $output == *"$n"* ]]
		"$SANDBOX" deny "$ID"
	done
}

@test "an edit is shown as it is done, whatever stands beside it" {
	policy '{"version":1,"triggers":{"write_outside":"escalate"}}'
	f=$T/home/f
	printf 'x\nx\n' > "$f"
	pair='"old_string":"x","new_string":"evil","replace_all":true'
	decoy='"old_string":"harmless","new_string":"fine"'

	ask Edit "{\"file_path\":\"$f\",$pair,\"edits\":[{$decoy}]}"
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *$'\n- x\n+ evil\ninput    replace_all: true\n'* ]]
	[[ $output == *$'\ninput    edits: [{"old_string":"harmless"'* ]]
	run -0 approve
	[ "$(cat "$f")" = $'evil\nevil' ]

	printf 'x\nx\n' > "$f"
	ask MultiEdit "{\"file_path\":\"$f\",$decoy,\"edits\":[{$pair}]}"
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *$'\n- x\n+ evil\ninput    replace_all: true\n'* ]]
	run -0 approve
	[ "$(cat "$f")" = $'evil\nevil' ]

	ask MultiEdit "{\"file_path\":\"$f\",\"edits\":[7,{$pair}]}"
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *'"edits":[7,'*evil* ]]
}

@test "a field whose name is two known names is shown" {
	ask Bash '{"command":"frob x","command description":"beside"}'
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *$'\ninput    command description: "beside"\n'* ]]
}

@test "a long file is shown to its last line, new, changed and edited" {
	policy '{"version":1,"triggers":{"write_outside":"escalate"}}'
	f=$T/home/f
	text=$(printf 'line %s\\n' $(seq 300))evil
	for tool in Write Edit Write; do
		ask "$tool" "{\"file_path\":\"$f\",\"content\":\"$text\",
		    \"old_string\":\"evil\",\"new_string\":\"$text\"}"
		run -0 "$SANDBOX" show "$ID"
		[[ $output == *$'\n+line 300\n+evil\n'* ||
		    $output == *$'\n+ line 300\n+ evil\n'* ]]
		[ "$tool" != Write ] || echo 'evil' > "$f"
		run -0 "$SANDBOX" deny "$ID"
	done
}

@test "watch: one line is not enough for words of two alphabets" {
	watch_start
	ask Bash "{\"command\":\"frob 'touch $T/r\u0430n'\"}"
	until_true says '[1]'
	echo 'a 1' >&9
	until_true says '[1] look at all of it first'
	echo 's 1' >&9
	until_true says 'mix alphabets'
	watch_end
	[ -z "$(ls "$STATE/ledger")" ]
}
