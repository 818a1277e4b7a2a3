#!/usr/bin/env bats
# The full-screen watch, driven as a person drives it.

load screen

setup() { approver_setup; }
teardown() { screen_close; approver_teardown; }

nothing_decided() { [ -z "$(ls "$STATE/ledger")" ]; }

@test "80x24: list, detail in the order of deciding, a approves" {
	screen_open 80x24
	see 'nothing waits'
	frob "echo hello > $T/ran"
	see "$ frob 'echo hello > $T/ran'"
	screen > "$T/now"
	order=$(grep -noE '^(>  !|! MEDIUM|\$ frob|in  |by  |rule  |before  |runs  |digest  )' "$T/now" |
	    cut -d: -f2 | cut -c1-3 | tr '\n' ' ')
	[ "$order" = '>   ! M $ f in  by  rul bef run dig ' ]
	grep -q "^digest   $DIGEST" "$T/now"
	press a
	see 'approved, running'
	see 'nothing waits'
	[ "$(cat "$T/ran")" = hello ]
	run -0 answer
	[[ $output == *APPROVED* ]]
	press v
	see '> exit 0 after'
	press q
	see 'left with 0'
	until_true is_restored
}

@test "40x10: all of it is read before it can be approved" {
	screen_open 40x10
	frob 'echo small'
	see "frob 'echo small'"
	press a
	see 'look at all of it first'
	nothing_decided
	press Enter
	see 'space goes on'
	# One key, and what it did: two in one burst would not decide.
	moved() { screen > "$T/now"; if cmp -s "$T/now" "$T/was"; then return 1; fi; }
	while on_screen 'space goes on'; do
		cp "$T/now" "$T/was"
		tm send-keys Space
		until_true moved
	done
	on_screen digest
	press a
	run -0 answer
	[[ $output == *small* ]]
}

@test "40x10: what is typed can be seen" {
	screen_open 40x10
	frob 'echo hello'
	see 'echo hel'
	press r
	see 'remember: _'
	tm send-keys -l call:20m
	see 'remember: call:20m_'
	tm send-keys Escape
	see 'nothing changed'
	press D
	see 'deny, because: _'
	tm send-keys -l 'a reason that is longer than the line has room for'
	see ' has room for_'
	tm send-keys Escape
	see 'nothing was denied'
}

@test "130x40: the detail is on the right" {
	screen_open 130x40
	frob 'echo wide'
	until_true grep_screen '^>  ! .*claude/s1.*│! MEDIUM'
	press a
	see 'approved, running'
}
grep_screen() { screen > "$T/now"; grep -q "$1" "$T/now"; }

@test "resized again and again, down to nothing and back" {
	screen_open 80x24
	frob 'echo x'
	see 'digest'
	for size in 20x5 200x50 40x10 130x40 31x7 1x1 80x24; do
		tm resize-window -x "${size%x*}" -y "${size#*x}"
	done
	see "$DIGEST"
	nothing_decided
	tm resize-window -x 20 -y 5
	see 'too small'
	tm send-keys a
	tm resize-window -x 80 -y 24
	see "$DIGEST"
	fence
	nothing_decided
}

@test "d denies, D denies with words" {
	screen_open 80x24
	frob 'echo one'
	see 'echo one'
	press D
	see 'deny, because: _'
	tm send-keys -l 'use staging'
	see 'deny, because: use staging_'
	tm send-keys Enter
	run -0 answer
	[[ $output == *'use staging'* ]]
	frob 'echo two'
	see 'echo two'
	press D
	see 'deny, because: _'
	tm send-keys Escape
	see 'nothing was denied'
	press d
	run -0 answer
	[[ $output == *denied* || $output == *DENIED* ]]
	press v
	see '> denied'
}

@test "pasted, typed ahead, Enter, Space, y: nothing is decided" {
	screen_open 80x24
	frob "touch $T/ran"
	see "$DIGEST"
	tm set-buffer $'a\nA\nd\n'
	tm paste-buffer -p
	see 'pasted text is never a key'
	# A terminal without bracketed paste.
	tm paste-buffer
	see 'nothing done: typed ahead or pasted'
	for key in Escape Enter Escape Space y Y Tab; do
		tm send-keys "$key"
	done
	fence
	see "$DIGEST"
	nothing_decided
	[ ! -e "$T/ran" ]
	press a
	see 'approved, running'
}

# 256 keys are read at once: the rest of the paste is still to come.
@test "the request changes amid a paste: the paste still has its end" {
	printf 'echo one\n' > "$T/script"
	screen_open 100x30
	ask Bash "{\"command\":\"sh $T/script\"}"
	see "$DIGEST"
	kill -STOP "$(watcher)"
	tm send-keys -H 1b 5b 32 30 30 7e
	tm send-keys -l "$(printf 'x%.0s' $(seq 400))"
	tm send-keys -H 1b 5b 32 30 31 7e
	printf 'echo two\n' > "$T/script"
	kill -CONT "$(watcher)"
	until_true off_screen "$DIGEST"
	fence
	# Ctrl-Z drops what was typed, and with it this end.
	tm send-keys -H 1b 5b 32 30 30 7e
	see 'pasted text is never a key'
	kill -TSTP "$(watcher)"
	until_true stopped
	tm send-keys -H 1b 5b 32 30 31 7e
	kill -CONT "$(watcher)"
	see "digest   "
	fence
	press a
	run -0 answer
	[[ $output == *two* ]]
}

@test "critical: a says A, A asks for a code" {
	policy '{"version":1,"rules":[{"id":"crit","match":{"program":"frob"},"verdict":"escalate","tier":"critical","why":"frob is grave"}]}'
	screen_open 80x24
	frob 'echo grave'
	see '!!! CRITICAL'
	press a
	see 'critical: A approves'
	nothing_decided
	press A
	see 'to approve:'
	tm send-keys -l 'a'
	tm send-keys Enter
	see 'the code was not typed'
	nothing_decided
	press A
	asked_twice() { [ "$(screen | grep -c 'to approve:')" -eq 2 ]; }
	until_true asked_twice
	tm send-keys -l "$(screen | sed -n 's/.*Type \([0-9]*\) to approve.*/\1/p' | tail -1)"
	tm send-keys Enter
	run -0 answer
	[[ $output == *grave* ]]
}

@test "output live, x stops it" {
	screen_open 80x24
	frob 'echo one; echo two >&2; sleep 4331.7'
	see "$DIGEST"
	press a
	until_true grep_screen '^two'
	until_true grep_screen '^one'
	press x
	see 'nothing waits'
	press v
	see '> stopped by a human'
}

@test "order is that of arrival, the focus stays; decided elsewhere is gone" {
	screen_open 80x24
	frob 'echo first'
	first=$ID
	see '$ frob '"'echo first"
	frob 'echo second'
	second=$ID
	see '2 waiting'
	see '$ frob '"'echo first"
	press j
	see '$ frob '"'echo second"
	"$SANDBOX" deny "$second" > "$T/deny.log"
	see '1 waiting'
	see '$ frob '"'echo first"
	"$SANDBOX" deny "$first" > "$T/deny.log"
	see 'nothing waits'
	press v
	see 'gone: '
}

@test "filter, pause, help" {
	screen_open 80x24
	frob 'echo first'
	frob 'echo second'
	see '2 waiting'
	press /
	tm send-keys -l second
	see 'only with: second_'
	tm send-keys Enter
	see '$ frob '"'echo second"
	off_screen "s1  frob 'echo first"
	press Escape
	see "s1  frob 'echo first"
	press z
	see 'PAUSED: 0 put off'
	frob 'echo third'
	see 'PAUSED: 1 put off'
	off_screen 'echo third'
	press z
	see 'echo third'
	press '?'
	see 'approve what is CRITICAL'
	press q
	see '3 waiting'
}

@test "six of one session are called a flood" {
	screen_open 80x24
	for n in 1 2 3 4 5 6; do frob "echo $n"; done
	see 'FLOOD: 6 requests wait from session s1'
}

@test "Ctrl-Z gives the terminal back, and takes it again" {
	screen_open 80x24
	see 'nothing waits'
	tm send-keys C-z
	until_true stopped
	[ "$(tm display-message -p '#{alternate_on}')" = 0 ]
	kill -CONT "$(watcher)"
	see 'nothing waits'
	[ "$(tm display-message -p '#{alternate_on}')" = 1 ]
	press q
	see 'left with 0'
	until_true is_restored
}
stopped() { grep -q '^State:.*T' "/proc/$(watcher)/status"; }

@test "restored on every way out; what runs goes on" {
	for how in SEGV:139 ABRT:134 BUS:135 HUP:0 TERM:0 INT:0; do
		screen_open 80x24
		see 'nothing waits'
		kill -s "${how%:*}" "$(watcher)"
		see "left with ${how#*:}"
		until_true is_restored
		screen_close
	done
	screen_open 80x24
	frob "sleep 0.5; echo late > $T/late"
	see "$DIGEST"
	press a
	until_true started
	kill -SEGV "$(watcher)"
	see 'left with 139'
	until_true test -s "$T/late"
}

@test "the terminal goes away: it ends, and does not spin" {
	screen_open 80x24
	see 'nothing waits'
	pid=$(watcher)
	screen_close
	gone() { [ ! -d "/proc/$pid" ]; }
	until_true gone
}

@test "TERM=dumb, no TERM and --line are the line mode" {
	screen_open 80x24 TERM=dumb
	see 'watching; ? helps'
	screen_close
	screen_open 80x24 -u TERM
	see 'watching; ? helps'
	screen_close
	WATCH_ARGS=--line screen_open 80x24
	see 'watching; ? helps'
}

@test "NO_COLOR: no colour, the same words" {
	colours() { LC_ALL=C grep -aqE $'\e\\[([0-9]+;)*3[0-7](;[0-9]+)*m' "$T/raw"; }
	screen_open 80x24
	frob 'echo x'
	see '! MEDIUM'
	until_true colours
	screen_close
	screen_open 80x24 NO_COLOR=1
	see '! MEDIUM'
	fence
	run -1 colours
}
