#!/usr/bin/env bats
# The full-screen watch at work: a terminal for a command, edited commands,
# ticked ones, several folders, floods, two people at once.

load screen

setup() { approver_setup; }
teardown() { screen_close; asker_end; approver_teardown; }

nothing_decided() { [ -z "$(ls "$STATE/ledger")" ]; }
grep_screen() { screen > "$T/now"; grep -qE -- "$1" "$T/now"; }
see_re() { until_true grep_screen "$1" || { cat "$T/now"; return 1; }; }

@test "t: the command gets the terminal, reads a password, the output is kept" {
	cat > "$T/bin/askpw" <<'END'
#!/bin/bash
[ -t 0 ] && [ -t 1 ] && [ -t 2 ] || exit 9
stty -echo < /dev/tty
printf 'Password: ' > /dev/tty
read -r pw < /dev/tty
stty echo < /dev/tty
printf '\nlength %s\n' "${#pw}"
[ "$pw" = 'sesame a' ]
END
	chmod 755 "$T/bin/askpw"
	screen_open 80x24
	frob askpw
	see "$DIGEST"
	press t
	see "this terminal is the command's now"
	see 'Password:'
	tm send-keys -l 'sesame a'
	tm send-keys Enter
	see 'length 8'
	see 'exit 0 after'
	off_screen sesame
	tm send-keys Enter
	see 'nothing waits'
	run -0 answer
	[[ $output == *APPROVED* && $output == *'length 8'* ]]
	[[ $output != *sesame* ]]
	run -1 grep -rq sesame "$STATE" "$ROOT/.sandbox" "$T/raw"
	grep -q '"attached":true' "$STATE/audit/audit.jsonl"
	press q
	see 'left with 0'
	until_true is_restored
}

@test "t: Ctrl-C reaches the command, Ctrl-] leaves it running, a resize arrives" {
	screen_open 80x24
	cat > "$T/bin/tty1" <<'END'
#!/bin/bash
trap 'echo caught; exit 3' INT
trap 'stty size' WINCH
echo "ready $1"
while :; do sleep 0.1; done
END
	chmod 755 "$T/bin/tty1"
	frob tty1
	see "$DIGEST"
	press t
	see 'ready'
	tm send-keys C-c
	see 'caught'
	see 'exit 3 after'
	tm send-keys Enter
	see 'nothing waits'
	frob 'tty1 again'
	see "$DIGEST"
	press t
	see 'ready again'
	tm resize-window -x 90 -y 30
	see_re '^(29|30) 90'
	tm send-keys C-]
	see '1 running'
	press x
	see 'nothing waits'
	press v
	see 'stopped by a human'
}

@test "t: what the command says is text, and a dead terminal ends nothing" {
	printf 'a\e[31;5mb\e]0;t\a\xc2\x9bc\xff\rover\n' > "$T/evil"
	screen_open 80x24
	frob "cat $T/evil; read x; echo got \$x > $T/got"
	see "$DIGEST"
	press t
	see 'a^[[31;5mb^[]0;t^G<U+009B>c<\xff>^Mover'
	pid=$(watcher)
	screen_close
	gone() { [ ! -d "/proc/$pid" ]; }
	until_true gone
	run -0 "$SANDBOX" pending --all --json
	[[ $output == *'"state":"running"'* || $output == *running* ]]
	"$SANDBOX" stop "$ID"
	run -0 answer
	[[ $output == *stopped* ]]
}

@test "e: the edited command is judged, shown, run, recorded and told" {
	screen_open 100x30
	frob "echo asked > $T/ran"
	see "$DIGEST"
	press e
	see 'run instead: frob'
	for i in $(seq 60); do tm send-keys BSpace; done
	tm send-keys C-u
	tm send-keys -l "frob 'echo changed > $T/ran'"
	tm send-keys Enter
	see 'EDITED by you'
	see "$ frob 'echo changed"
	see "asked - frob 'echo asked"
	off_screen "$DIGEST"
	press a
	see 'approved, running'
	run -0 answer
	[[ $output == *'EDITED the command'* && $output == *'echo changed'* ]]
	[ "$(cat "$T/ran")" = changed ]
	grep '"kind":"approval"' "$STATE/audit/audit.jsonl" | grep -q '"edited":"frob .echo changed'
	"$SANDBOX" audit verify
}

@test "e: what the policy denies stays denied, Esc leaves it as it was" {
	screen_open 100x30
	frob "echo asked > $T/ran"
	see "$DIGEST"
	press e
	see 'run instead: frob'
	tm send-keys C-u
	tm send-keys -l 'sandbox approve x'
	tm send-keys Enter
	see 'EDITED by you'
	press A
	see 'policy denies this'
	nothing_decided
	press e
	see 'run instead: sandbox'
	tm send-keys -l 'zzz'
	tm send-keys Escape
	see 'nothing was edited'
	press e
	see 'run instead: sandbox'
	tm send-keys C-u
	tm send-keys Enter
	see "$DIGEST"
	nothing_decided
}

@test "s: each similar one is read and ticked, then a approves them" {
	screen_open 100x40
	for n in 1 2 3; do ask Bash "{\"command\":\"frob \\\"echo $n >> $T/ran\\\" \"}"; done
	see '3 waiting'
	press s
	see 'SIMILAR'
	press a
	see 'nothing is ticked'
	press Space
	see_re '^>\[x\]'
	press j
	see_re '^>\[ \]'
	press Space
	see_re '^>\[x\]'
	nothing_decided
	press a
	see 'approved 2'
	see '1 waiting'
	two() { [ -e "$T/ran" ] && [ "$(wc -l < "$T/ran")" -eq 2 ]; }
	until_true two
	[ "$(find "$STATE/ledger" -name '*.used' | wc -l)" -eq 2 ]
}

@test "several folders are one queue, oldest first, the project named" {
	mkdir "$T/other"
	(cd "$T/other" && "$SANDBOX" init --claude > "$T/init2.log")
	WATCH_ARGS="$ROOT $T/other" screen_open 130x30
	see 'and 1 more'
	frob 'echo here'
	see '[proj]'
	first=$ID
	second=$(echo "$T"/state/sandbox/*/record.json | tr ' ' '\n' | grep -v "$STATE")
	second=${second%/record.json}
	"$BUILD/tests/tools/asker" "$second" 1 s2 "frob 'touch $T/there'" > "$T/id2" 3>&- < /dev/zero &
	asker_pid=$!
	see '[other]'
	see '2 waiting'
	press j
	see_re "│\\$ frob 'touch"
	press a
	until_true test -e "$T/there"
	see_re "│\\$ frob 'echo here"
	[ -e "$second/ledger/$(cat "$T/id2").used" ]
	nothing_decided
	press a
	see 'nothing waits'
	[ -e "$STATE/ledger/$first.used" ]
	kill "$asker_pid"
}

@test "200 wait: all can be reached, and a flood is called one, and dropped" {
	policy "$LOOSE"
	asker 200 flood 'frob %d'
	screen_open 80x24
	see '200 waiting'
	see 'FLOOD: 200 requests wait from session flood'
	sort -t- -k2,2 -k1,1 "$T/asker.ids" > "$T/sorted"
	press G
	see_re "^> .* $(tail -1 "$T/sorted" | cut -c1-4) claude"
	press g
	see_re "^> .* $(head -1 "$T/sorted" | cut -c1-4) claude"
	press X
	see 'deny all of this session'
	tm send-keys -l no
	tm send-keys Enter
	see 'nothing was denied'
	nothing_decided
	press X
	see 'deny all of this session'
	tm send-keys -l yes
	tm send-keys Enter
	see 'nothing waits'
	[ "$(find "$STATE/ledger" -name '*.used' | wc -l)" -eq 200 ]
}

@test "typed ahead while the item under the cursor changes: nothing is approved" {
	screen_open 80x24
	frob "touch $T/one"
	first=$ID
	see "$DIGEST"
	frob "touch $T/two"
	see '2 waiting'
	see 'touch '"$T"'/one'
	# The screen is stopped, the item goes, the key waits in the terminal.
	kill -STOP "$(watcher)"
	"$SANDBOX" deny "$first" > "$T/deny.log"
	tm send-keys a
	kill -CONT "$(watcher)"
	see '1 waiting'
	see "\$ frob 'touch $T/two'"
	fence
	[ ! -e "$T/two" ]
	[ "$(find "$STATE/ledger" -name '*.used' | wc -l)" -eq 1 ]
	press a
	until_true test -e "$T/two"
}

@test "the request's bytes change under the cursor: the key does nothing" {
	printf 'echo one\n' > "$T/script"
	screen_open 100x30
	ask Bash "{\"command\":\"sh $T/script\"}"
	see "$DIGEST"
	kill -STOP "$(watcher)"
	printf 'echo two > %s/ran\n' "$T" > "$T/script"
	tm send-keys a
	kill -CONT "$(watcher)"
	until_true off_screen "$DIGEST"
	fence
	nothing_decided
	[ ! -e "$T/ran" ]
}

@test "two watchers: one decides, the other is told" {
	screen_open 80x24
	see 'nothing waits'
	first=$SCREENS
	screen_open 80x24
	see 'nothing waits'
	frob "echo x >> $T/ran; sleep 0.3"
	see "$DIGEST"
	SCREENS=$first see "$DIGEST"
	until_true off_screen 'in a moment'
	SCREENS=$first until_true off_screen 'in a moment'
	SCREENS=$first tm send-keys a
	tm send-keys a
	run -0 answer
	see 'nothing waits'
	SCREENS=$first see 'nothing waits'
	[ "$(wc -l < "$T/ran")" -eq 1 ]
	SCREENS=$first screen_close
}

@test "160 columns: what runs is in a column of its own, live" {
	screen_open 170x40
	frob 'echo lives; sleep 4331.9'
	see "$DIGEST"
	press a
	see '1 running'
	frob 'echo next'
	see 'echo next'
	press j
	see_re "│\\$ frob 'echo next'.*│"
	see_re '│lives'
	press k
	see_re '^>run'
	press x
	see '0 running'
}

@test "tabs: waiting, running, over, rules" {
	policy '{"version":1,"rules":[{"id":"crit","match":{"program":"frob"},"verdict":"escalate","tier":"high","why":"frob is grave"}]}'
	screen_open 80x24
	frob 'echo one; sleep 4331.6'
	see "$DIGEST"
	press 2
	see 'nothing runs'
	press 5
	see 'RULES'
	see 'frob is grave'
	press a
	fence
	nothing_decided
	press 1
	see "$DIGEST"
	press a
	see '1 running'
	press 2
	see 'RUNNING'
	press Enter
	until_true off_screen RUNNING
	until_true grep_screen '^one'
	press x
	see 'stopped by a human'
	press 3
	see '> stopped by a human'
}

@test "the age of what waits is in its row" {
	screen_open 80x24
	frob 'echo one'
	see_re '^>  ! +0:0[0-9] [0-9a-f]{4} claude/s1  frob'
}

@test "r: shown before it is done, then remembered and not asked again" {
	screen_open 110x40
	ask Bash '{"command":"cp /etc/hostname /nowhere/h"}'
	see "$DIGEST"
	press r
	see 'remember call, command, host or dir'
	tm send-keys -l nonsense
	tm send-keys Enter
	until_true off_screen 'remember call'
	off_screen REMEMBERS
	nothing_decided
	press r
	see 'remember call'
	tm send-keys C-u
	tm send-keys -l call:today
	tm send-keys Enter
	see 'REMEMBERS call, today'
	nothing_decided
	press a
	run -0 answer
	[[ $output == *APPROVED* ]]
	[ -s "$STATE/view/remembered" ]
	pending_ids > "$T/before"
	N=$((N + 1))
	sed 's/"t[0-9]*"/"t99"/' "$T/in.$((N - 1))" > "$T/in.$N"
	"$BUILD/pretooluse" --client claude --event PreToolUse --root "$ROOT" \
	    --state "$STATE" < "$T/in.$N" > "$T/again"
	[ ! -s "$T/again" ]
}

@test "words of two alphabets are named, and so are files that changed since" {
	printf 'echo one\n' > "$T/script"
	screen_open 110x30
	ask Bash "{\"command\":\"sh $T/script\"}"
	see "$DIGEST"
	press a
	run -0 answer
	printf 'echo two\n' > "$T/script"
	ask Bash "{\"command\":\"sh $T/script\"}"
	see 'ran 1 times'
	see 'the files it runs CHANGED since then'
	"$SANDBOX" deny "$ID" > "$T/deny.log"
	see 'nothing waits'
	ask Bash '{"command":"frob p\u0430ypal"}'
	see '1 words mix alphabets, the first is p<U+0430>ypal'
	see '!! HIGH'
}

@test "the second call comes later, with id and tier, for what still waits" {
	printf '#!/bin/sh\necho "$@" >> %s/called\n' "$T" > "$T/bin/call"
	chmod 755 "$T/bin/call"
	WATCH_ARGS="--notify none --notify-cmd $T/bin/call --notify-after 1" screen_open 80x24
	frob 'echo one'
	see "$DIGEST"
	until_true test -s "$T/called"
	[ "$(cat "$T/called")" = "$ID medium" ]
}

@test "Write over a file is shown as what it changes" {
	printf 'one\ntwo\nthree\n' > "$ROOT/.envrc"
	screen_open 110x30
	ask Write "{\"file_path\":\"$ROOT/.envrc\",\"content\":\"one\\n2\\u001b[31m\\nthree\\n\"}"
	see_re '^-two'
	see_re '^\+2\^\[\[31m'
	see_re '^ three'
	press a
	run -0 answer
	[ "$(sed -n 3p "$ROOT/.envrc")" = three ]
}
