#!/usr/bin/env bats
# Being called: the bytes for a terminal, raw, and a notify-send of our own.

load screen

setup()
{
	approver_setup
	cat > "$T/bin/notify-send" <<END
#!/bin/sh
{ for a; do printf '%s\0' "\$a"; done; echo; } >> "$T/sent"
END
	chmod 755 "$T/bin/notify-send"
}
teardown() { screen_close; asker_end; approver_teardown; }

raw_has() { LC_ALL=C grep -aqF -- "$1" "$T/raw"; }
calls() { if [ -e "$T/sent" ]; then wc -l < "$T/sent"; else echo 0; fi; }
called() { [ "$(calls)" -eq "$1" ]; }

@test "notify-send gets how many, how grave and the tool, once for all that wait" {
	policy "$LOOSE"
	WATCH_ARGS='--notify desktop --notify-after 1' screen_open 80x24 DISPLAY=:9
	see 'nothing waits'
	asker 7 flood 'frob secret-words'
	see '7 waiting'
	until_true called 1
	printf '%s\0' --app-name=sandbox -- 'sandbox: 7 wait, MEDIUM, Bash' > "$T/want"
	echo >> "$T/want"
	cmp "$T/sent" "$T/want"
	# More of the same wait is no other call.
	frob 'echo more'
	see '8 waiting'
	"$SANDBOX" deny "$ID" > "$T/deny.log"
	see '7 waiting'
	called 1
	# Nothing waits, then something does: that is one.
	press X
	see 'type yes'
	tm send-keys -l yes
	tm send-keys Enter
	see 'nothing waits'
	frob 'echo again'
	until_true called 2
}

@test "notify-send: a hostile tool's name is ASCII text" {
	WATCH_ARGS='--notify desktop --notify-after 0' screen_open 80x24 WAYLAND_DISPLAY=w
	see 'nothing waits'
	ask 'mcp__x\u001b]0;\u0007\u202e-b' '{}'
	until_true called 1
	LC_ALL=C run -1 grep -aqP '[^\x00\x0a\x20-\x7e]' "$T/sent"
	grep -aqF 'mcp__x^[]0<;>^G<U+202E>-b' "$T/sent"
	tr '\0' '\n' < "$T/sent" | sed -n 2p | grep -qx -- --
}

@test "notify-send: none without a desktop, none that an agent could have put there" {
	mkdir bin
	printf '#!/bin/sh\necho x > %s/stolen\n' "$T" > bin/notify-send
	chmod 755 bin/notify-send
	ln -s "$ROOT/bin" "$T/link"
	WATCH_ARGS="--notify desktop --notify-cmd $T/bin/call --notify-after 0"
	printf '#!/bin/sh\necho x >> %s/second\n' "$T" > "$T/bin/call"
	chmod 755 "$T/bin/call"
	PATH=$ROOT/bin:$T/link:bin:$PATH screen_open 80x24 DISPLAY=:9
	frob 'echo x'
	until_true test -s "$T/second"
	until_true called 1
	[ ! -e "$T/stolen" ]
	screen_close
	rm "$T/sent" "$T/second"
	screen_open 80x24 -u DISPLAY -u WAYLAND_DISPLAY
	see '1 waiting'
	until_true test -s "$T/second"
	called 0
}

@test "BEL, OSC 9 and OSC 777, wrapped for tmux, and what comes out of it" {
	WATCH_ARGS='--notify bell,osc' screen_open 80x24
	tm set-option -g allow-passthrough on
	# A terminal around this tmux, every byte of it kept.
	script -qfc "env -u TMUX TERM=xterm-256color TMUX_TMPDIR=$T tmux -L t$SCREENS attach" \
	    "$T/outer" < /dev/null > "$T/outer.log" 2>&1 3>&- &
	ASKERS+=($!)
	until_true test -s "$T/outer"
	see 'nothing waits'
	frob 'echo x'
	see "$DIGEST"
	until_true raw_has $'\a'
	until_true raw_has $'\ePtmux;\e\e]9;sandbox: 1 waits, MEDIUM, Bash\a\e\e]777;notify;sandbox;sandbox: 1 waits, MEDIUM, Bash\a\e\\'
	outer_has() { LC_ALL=C grep -aqF -- "$1" "$T/outer"; }
	until_true outer_has $'\e]9;sandbox: 1 waits, MEDIUM, Bash\a'
	until_true outer_has $'\e]777;notify;sandbox;sandbox: 1 waits, MEDIUM, Bash\a'
	run -1 outer_has tmux\;
}

@test "outside tmux nothing is wrapped; one sound for what comes together" {
	policy "$LOOSE"
	local began=$SECONDS
	WATCH_ARGS='--notify bell,osc' screen_open 80x24 -u TMUX
	see 'nothing waits'
	asker 5 flood 'frob x'
	see '5 waiting'
	frob 'echo x'
	see '6 waiting'
	until_true raw_has $'\e]9;sandbox: '
	run -1 raw_has Ptmux
	# One sound in ten seconds, however long this took.
	[ "$(LC_ALL=C grep -aoF $'\e]9;' "$T/raw" | wc -l)" -le $((1 + (SECONDS - began) / 10)) ]
}
