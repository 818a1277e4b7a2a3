#!/usr/bin/env bats
# "The screen lies": what reaches the terminal, byte by byte.

load screen
load ../originals

# The bell is ours; without it no BEL may come.
setup() { originals_setup; WATCH_ARGS='--notify none'; }
teardown() { screen_close; asker_end; approver_teardown; }

hostile() { python3 "$SRC/tests/tui/hostile.py" "$@"; }

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

# --- the corpus, on every surface -------------------------------------------

corpus()
{
	policy "$LOOSE"
	hostile requests "$T/lines"
	COUNT=$(wc -l < "$T/lines")
	asker lines "$T/lines"
}

changed() { screen > "$T/now"; if cmp -s "$T/now" "$T/last"; then return 1; fi; }
# Every page of every request, as it was on the screen, into $T/seen.
leaf_through()
{
	local i
	see "$COUNT waiting"
	: > "$T/last"
	for i in $(seq "$COUNT"); do
		for _ in $(seq 100); do
			until_true changed
			cp "$T/now" "$T/last"
			cut -c54- "$T/now" >> "$T/seen"	# the detail
			grep -qF -- '-- lines to' "$T/now" || break
			tm send-keys Space
		done
		tm send-keys j
	done
}

@test "corpus: the screen, every page of every request" {
	[ "$(grep -cv '^#' "$SRC/tests/tui/hostile.tsv")" -ge 120 ]
	corpus
	screen_open 130x40
	leaf_through
	fence
	hostile clean "$T/raw" curses
}

@test "corpus: the screen without UTF-8 has all of it, in ASCII" {
	corpus
	screen_open 130x150 LC_ALL=C	# no string goes over a page's end
	leaf_through
	run -1 env LC_ALL=C grep -aq $'[\x80-\xff]' "$T/raw"
	hostile all_in "$T/seen"
}

@test "corpus: line mode on a terminal" {
	corpus
	WATCH_ARGS='--line --notify none' screen_open 80x24
	see "[$COUNT]"
	for i in $(seq "$COUNT"); do
		tm send-keys -l "s $i"
		tm send-keys Enter
	done
	tm send-keys -l '?'
	tm send-keys Enter
	see 'give it this'
	hostile clean "$T/raw"
	until_true hostile all_in "$T/raw"
}

@test "corpus: pending, show, log, trace, status, deny, explain, judge" {
	corpus
	"$SANDBOX" pending > "$T/1"
	"$SANDBOX" pending --json > "$T/2"
	while read -r id; do
		"$SANDBOX" show "$id" >> "$T/3"
		"$SANDBOX" show --json "$id" >> "$T/4"
	done < "$T/asker.ids"
	script -qec "$SANDBOX pending" "$T/5" > "$T/5.out"
	sed -i '1d;$d' "$T/5"
	python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import hostile
sys.stdout.write("\0".join(s for _, s in hostile.texts() if hostile.is_short(s)))' \
	    "$SRC/tests/tui" > "$T/args"
	xargs -0 -n1 "$SANDBOX" explain -- < "$T/args" > "$T/6" || :
	id=$(sed -n 1p "$T/asker.ids")
	"$SANDBOX" deny "$id" -m "$(printf 'no \e[31m\u202e')" > "$T/7"
	"$SANDBOX" log -n 1000 > "$T/8"
	"$SANDBOX" log --json -n 1000 > "$T/9"
	"$SANDBOX" trace "$id" > "$T/10"
	"$SANDBOX" status > "$T/11"
	for f in "$T"/[1-9] "$T"/1[01]; do
		hostile clean "$f" || { echo "$f"; return 1; }
	done
	hostile all_in "$T/3"
}

@test "corpus: output, live and later, attached, and told to the model" {
	hostile bytes "$T/evil"
	frob "cat $T/evil"
	approve > "$T/1" 2> "$T/2"
	"$SANDBOX" output "$ID" > "$T/3"
	answer > "$T/answer"
	hostile clean "$T/1"
	hostile clean "$T/2"
	hostile clean "$T/3"
	# Live each bad byte is shown; what is kept is UTF-8 and says U+FFFD.
	hostile all_in "$T/1"
	grep -qE $'\ufffd|<.x80>' "$T/1"
	hostile all_in "$T/3"
	grep -q $'\ufffd' "$T/3"
	python3 -c 'import json,sys
print(json.load(open(sys.argv[1]))["hookSpecificOutput"]["permissionDecisionReason"])' \
	    "$T/answer" > "$T/4"
	hostile clean "$T/4"
	screen_open 130x40
	press v
	see '> exit 0'
	press Enter
	top() { tm send-keys b; on_screen 'bytes before: sandbox output'; }
	until_true top
	press h
	press 1
	frob "cat $T/evil "
	see "$DIGEST"
	press t
	see 'exit 0 after'
	tm send-keys Enter
	see 'nothing waits'
	hostile clean "$T/raw" curses
}

@test "corpus: a call that a terminal passes on holds ASCII and no command" {
	corpus
	WATCH_ARGS='--notify bell,osc' screen_open 130x40
	see "$COUNT waiting"
	called() { LC_ALL=C grep -aqF $'\e]9;sandbox: ' "$T/raw"; }
	until_true called
	hostile clean "$T/raw" calls
	run -1 env LC_ALL=C grep -aqP '\x1b\](9|777);[^\x07]*frob' "$T/raw"
}

@test "corpus: files that agents changed, and the log, in both twins" {
	hostile bytes "$T/bytes"
	# A file with NUL is no text; it is shown as these two.
	sed 's/\x0/^@/g' "$T/bytes" > "$T/evil"
	echo before > file
	edit_tool file "cat $T/evil > file"
	frob 'echo x'
	"$SANDBOX" deny "$ID" -m "$(head -c 2000 "$T/evil" | tr -d '\0\n' | iconv -c -f UTF-8 -t UTF-8)" > "$T/deny.log"
	run -0 answer
	screen_open 130x40
	press 4
	see 'changed      file'
	press Enter
	see '+++ file'
	top() { tm send-keys Space; screen > "$T/now"; if cmp -s "$T/now" "$T/last"; then return 0; fi; cp "$T/now" "$T/last"; return 1; }
	: > "$T/last"
	until_true top
	press Escape
	press 6
	see 'chain ok: '
	press j
	press j
	press Enter
	see 'kind  '
	hostile clean "$T/raw" curses
	screen_close
	WATCH_ARGS='--line --notify none' screen_open 80x24
	see 'watching; ? helps'
	tm send-keys -l f
	tm send-keys Enter
	see 'file 1'
	tm send-keys -l 'f 1'
	tm send-keys Enter
	# The echo of a key would stand in the middle of a long line.
	until_true hostile all_in "$T/raw" bytes
	tm send-keys -l g
	tm send-keys Enter
	see 'chain ok: '
	hostile clean "$T/raw"
}
