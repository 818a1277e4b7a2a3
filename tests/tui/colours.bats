#!/usr/bin/env bats
# Terminals of every kind: which bytes each gets, raw, and the same words.

load screen

setup()
{
	approver_setup
	WATCH_ARGS='--notify none'
	policy '{"version":1,"rules":[
	    {"id":"crit","match":{"program":"frob"},"verdict":"escalate","tier":"critical","why":"frob is grave"},
	    {"id":"hi","match":{"program":"blub"},"verdict":"escalate","tier":"high","why":"blub is high"}]}'
	ask Bash '{"command":"zork one"}'
	ask Bash '{"command":"blub two"}'
	ask Bash '{"command":"frob three"}'
}
teardown() { screen_close; approver_teardown; }

# sgr - every number in a "CSI ... m" that was sent, sorted; "38;5;1" stays one.
sgr()
{
	python3 - "$T/raw" <<'END'
import re, sys
raw = open(sys.argv[1], 'rb').read()
out = set()
for m in re.finditer(rb'\x1b\[([0-9;:]*)m', raw):
    s = m.group(1).decode().replace(':', ';')
    s = re.sub(r'[34]8;(5;\d+|2;;?\d+;\d+;\d+)',
               lambda m: out.add(m.group(0)) or '', s)
    out.update(p for p in s.split(';') if p != '')
print(' '.join(sorted(out)))
END
}
# Nothing but what a terminal of this kind is told by ncurses.
only_curses()
{
	python3 - "$T/raw" "$1" <<'END'
import re, sys
raw = open(sys.argv[1], 'rb').read()
own = rb'\x1b\[[0-9;:?]*[A-Za-z@]|\x1b[=>78M]|\x1b[()][A-Z0-9]|[\r\n\t\x08\x0e\x0f]'
if sys.argv[2]:
    own += b'|' + sys.argv[2].encode().decode('unicode_escape').encode()
left = re.sub(own, b'', raw).decode('utf-8')
bad = [c for c in left if ord(c) < 32 or 127 <= ord(c) < 160]
assert not bad, bad
END
}
is_colour() { sgr | tr ' ' '\n' | grep -qE '^(3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;.*)$'; }

# The same words, whatever the colours: mark and tier of each.
words()
{
	see '0 running'
	see 'zork one'
	see '! MEDIUM'
	press j
	see '!! HIGH'
	press j
	see '!!! CRITICAL'
	see "frob three"
	# Row by row, as a person without colours reads them.
	screen > "$T/now"
	grep -qE '^ +! .*zork one' "$T/now"
	grep -qE '^ +!! .*blub two' "$T/now"
	grep -qE '^>!!! .*frob three' "$T/now"
	press q
	see 'left with 0'
	until_true is_restored
}

@test "8, 16 and 256 colours: the three tiers, and no other colour" {
	local term
	for term in linux screen xterm xterm-256color screen-256color tmux-256color; do
		echo "$term"
		screen_open 90x24 "TERM=$term"
		words
		only_curses '\x1b\\]R'
		sgr > "$T/sgr"
		cat "$T/sgr"
		for n in 31 33 36; do grep -qw "$n" "$T/sgr"; done
		run -1 grep -qE '(^| )(3[0247]|35|4[0-7]|9[0-7]|10[0-7]|[34]8;[^ ]*)( |$)' "$T/sgr"
		screen_close
	done
}

# Every terminal of this kind takes the first eight as what they always were;
# a program that mistook them for red, green and blue would draw black on black.
@test "true colour: the same three, as the terminal's own" {
	cat > "$T/direct.src" <<'END'
sandbox-direct|a terminal with true colour,
	RGB, colors#0x1000000, pairs#0x7FFF,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e38\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e48\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
	use=tmux-256color,
END
	tic -x -o "$T/terminfo" "$T/direct.src"
	screen_open 90x24 TERM=sandbox-direct TERMINFO="$T/terminfo" COLORTERM=truecolor
	words
	only_curses ''
	sgr > "$T/sgr"
	for n in 31 33 36; do grep -qw "$n" "$T/sgr"; done
	run -1 grep -qE '[34]8;|(^| )4[0-7]( |$)' "$T/sgr"
	screen_close
	# COLORTERM alone changes nothing that is sent.
	screen_open 90x24 TERM=xterm-256color COLORTERM=truecolor
	words
	sgr > "$T/sgr"
	run -1 grep -qE '[34]8;' "$T/sgr"
}

@test "no colours: vt100, NO_COLOR with any terminal; bold and reverse carry it" {
	local how env
	for how in TERM=vt100 'TERM=vt220' 'TERM=xterm-mono' \
	    'TERM=xterm-256color NO_COLOR=1' 'TERM=linux NO_COLOR=yes' \
	    'TERM=screen NO_COLOR=0'; do
		case $how in
		*vt220|*xterm-mono) infocmp "${how#TERM=}" > "$T/info" 2>&1 || continue ;;
		esac
		echo "$how"
		read -ra env <<< "$how"
		screen_open 90x24 "${env[@]}"
		words
		only_curses '\x1b\\]R'
		run -1 is_colour
		sgr > "$T/sgr"
		grep -qw 1 "$T/sgr" && grep -qw 7 "$T/sgr"
		screen_close
	done
	# The convention: an empty one means nothing.
	screen_open 90x24 TERM=xterm-256color NO_COLOR=
	words
	is_colour
}

@test "a terminal that cannot move its cursor, or is not known, is the line mode" {
	local term
	for term in dumb unknown no-such-terminal ''; do
		screen_open 90x24 "TERM=$term"
		see 'watching; ? helps'
		see '[3]'
		LC_ALL=C run -1 grep -aq $'\e' "$T/raw"
		screen_close
	done
}
