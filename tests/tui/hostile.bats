#!/usr/bin/env bats
# "The screen lies": what reaches the terminal, byte by byte.

load screen

# The bell is ours; without it no BEL may come.
setup() { approver_setup; WATCH_ARGS='--notify none'; }
teardown() { screen_close; approver_teardown; }

# No OSC, DCS, APC, PM or SOS, no C1, no bidi, zero width or tag character; of
# CSI only what ncurses itself has to say.
clean()
{
	local bad
	[ -s "$T/raw" ]
	for bad in $'\e]' $'\eP' $'\e_' $'\e^' $'\eX' $'\xc2\x9b' $'\xc2\x9d' \
	    $'\xe2\x80\xae' $'\xe2\x81\xa6' $'\xe2\x80\x8b' $'\xe2\x80\x8d' \
	    $'\xef\xbb\xbf' $'\xf3\xa0\x81\x81' $'\x9b' $'\x07' $'\e[31;5m' \
	    $'\e[6n' $'\e[8m'; do
		if LC_ALL=C grep -aqF -- "$bad" "$T/raw"; then
			printf 'raw: '; printf '%s' "$bad" | od -An -tx1
			return 1
		fi
	done
}

HOSTILE='\u001b[31;5m\u001b[6n\u001b[8m\u001b]0;t\u0007\u001bPq\u001b_x\u202e\u2066\u200b\u200d\u009b\u009d\udb40\udc41\ufeff\r\b'

@test "command, tool, path, directory, session and output" {
	dir=$ROOT/$'d\e[31;5m\u202e'
	mkdir "$dir"
	screen_open 130x40
	ask Bash "{\"command\":\"frob x $HOSTILE\"}"
	see '!! HIGH'
	see 'hidden characters'
	see '<U+202E>'
	"$SANDBOX" deny "$ID" -m no > "$T/log"
	see 'nothing waits'
	CWD=$ROOT/'d\u001b[31;5m\u202e' ask "mcp__x__\\u001b[6n\\u202e" "{\"a\":\"$HOSTILE\"}"
	see 'mcp__x__^[[6n<U+202E>'
	"$SANDBOX" deny "$ID" -m no > "$T/log"
	see 'nothing waits'
	printf '\033[31;5m\033]52;c;eA==\a\xe2\x80\xae\xe2\x80\x8b\x9b\xff\x00\rX\b\n' > "$T/evil"
	frob "cat $T/evil; cat $T/evil >&2; sleep 4331.8"
	see "$DIGEST"
	press a
	see '^[]52;c;eA==^G<U+202E><U+200B>'
	press x
	see 'nothing waits'
	press v
	see 'stopped by a human'
	clean
}

@test "a terminal without UTF-8 gets ASCII" {
	screen_open 80x24 LC_ALL=C
	ask Bash '{"command":"frob gr\u00fc\u00dfe \u65e5\u672c"}'
	see 'frob gr<U+00FC><U+00DF>e <U+65E5><U+672C>'
	run -1 env LC_ALL=C grep -aq $'[\x80-\xff]' "$T/raw"
}

@test "a line padded to the edge cannot begin another one" {
	screen_open 80x24
	ask Bash "{\"command\":\"frob a$(printf '%78s' '')digest   0000\\n! LOW: harmless\"}"
	see '$ frob a'
	screen > "$T/now"
	grep -q '^\$ ! LOW: harmless' "$T/now"
	grep -q '^~ .*digest   0000' "$T/now"
	run -1 grep -qE '^(digest   0000|! LOW)' "$T/now"
}
