#!/usr/bin/env bats
# The tabs of what is no request: files that agents changed, given back by a
# key, and the audit log with the state of its chain.

load screen
load ../originals

setup() { originals_setup; WATCH_ARGS='--notify none'; }
teardown() { screen_close; approver_teardown; }

grep_screen() { screen > "$T/now"; grep -qE -- "$1" "$T/now"; }
see_re() { until_true grep_screen "$1" || { cat "$T/now"; return 1; }; }
restores() { grep -c '"kind":"file.restored"' "$STATE/audit/audit.jsonl"; }

@test "4 lists files, newest first; Enter shows lines; u gives back, and that back" {
	seq 100 > a.txt
	cp a.txt "$T/was"
	edit_tool a.txt "sed -i 's/^50\$/fifty/' a.txt"
	cp a.txt "$T/edited"
	write_tool made.txt hello
	screen_open 80x24
	see 'nothing waits'
	press f
	see 'FILES | '
	see_re '^> +[0-9]+  ..:..  created      made.txt  \(Write, s1\)'
	see_re '^  +[0-9]+  ..:..  changed      a.txt  \(Edit, s1\)'
	see_re '^\+hello'
	[ "$(grep -nE 'made.txt|a.txt' "$T/now" | head -2 | sed 's/.*  \(.*\.txt\).*/\1/' | tr '\n' ' ')" = 'made.txt a.txt ' ]
	press j
	see_re '^>.*a.txt'
	see_re '^-50'
	see_re '^\+fifty'
	press Enter
	see 'change   '
	press u
	see 'as before this change? type yes'
	tm send-keys -l no
	tm send-keys Enter
	see 'nothing was restored'
	cmp a.txt "$T/edited"
	press u
	see 'type yes'
	tm send-keys -l yes
	tm send-keys Enter
	see 'restored; change'
	cmp a.txt "$T/was"
	press Escape
	see_re '^[> ] +[0-9]+  ..:..  changed      a.txt  \(restore\)'
	# What a restore did is a change like any other.
	press g
	see_re '^>.*\(restore\)'
	press u
	see 'type yes'
	tm send-keys -l yes
	tm send-keys Enter
	see 'restored; change'
	cmp a.txt "$T/edited"
	[ "$(restores)" -eq 2 ]
	"$SANDBOX" audit verify --full
}

@test "u is dead while the screen has just changed, pasted, or typed ahead" {
	echo old > f
	edit_tool f 'echo new > f'
	screen_open 80x24
	see 'nothing waits'
	press 4
	see_re '^>.* f  \(Edit'
	# A burst never decides.
	press j
	tm send-keys u y e s
	see_re 'nothing done'
	fence
	press 4
	see_re '^>.* f  \(Edit'
	[ "$(cat f)" = new ]
	tm set-buffer 'uyes
'
	tm paste-buffer -p
	see 'pasted text is never a key'
	[ "$(cat f)" = new ]
	# Nor does the word, when it is pasted.
	press u
	see 'type yes'
	tm set-buffer yes
	tm paste-buffer -p
	tm send-keys Enter
	see 'nothing was restored'
	[ "$(cat f)" = new ]
	[ "$(restores || :)" -eq 0 ]
}

@test "a change while one looks: the row under the cursor stays the same" {
	local i
	for i in 1 2 3; do
		echo "$i" > "f$i"
		edit_tool "f$i" "echo new > f$i"
	done
	screen_open 80x24
	press 4
	see_re '^>.* f3  '
	press j
	see_re '^>.* f2  '
	write_tool later x
	see_re '^ .* later  '
	grep_screen '^>.* f2  '
	press u
	see 'type yes'
	tm send-keys -l yes
	tm send-keys Enter
	see 'restored; change'
	[ "$(cat f2)" = 2 ]
	[ "$(cat f3)" = new ]
}

@test "what is not there any more, or in the way, is said" {
	mkdir d
	echo old > d/f
	edit_tool d/f 'echo new > d/f'
	rm -r d
	ln -s "$T/home" d
	screen_open 80x24
	press 4
	see_re '^>.* d/f  '
	press u
	see 'type yes'
	tm send-keys -l yes
	tm send-keys Enter
	see 'NOT restored'
	[ ! -e "$T/home/f" ]
}

@test "6: the end of the log and its chain; a forged record is seen there" {
	frob 'echo one'
	"$SANDBOX" deny "$ID" -m 'not today' > "$T/deny.log"
	screen_open 100x30
	see 'nothing waits'
	press 6
	see 'AUDIT | chain ok | '
	see_re '^>.*answer.collected|^>.*deny|^>.*request.closed'
	see 'chain ok: '
	see_re ' deny  '
	# Each record can be read, the keys that decide mean nothing here.
	press Enter
	see_re '^kind  '
	press G
	see_re '^sig  '
	press u
	press a
	press x
	fence
	press Escape
	press 1
	see 'nothing waits'
	sed -i 's/not today/not todaY/' "$STATE/audit/audit.jsonl"
	press 6
	see 'AUDIT | CHAIN BROKEN | '
	see 'IS NOT WHAT WAS WRITTEN'
	see_re 'audit.jsonl line [0-9]+, record [0-9]+: edited'
}

@test "hostile names and contents of files are shown, not obeyed" {
	local name=$'na\033[31mme\u202e' input
	input='{"file_path":"'$ROOT'/na\u001b[31mme\u202e","old_string":"x","new_string":"y"}'
	printf 'x' > "$name"
	before Edit "$input"
	printf 'a\033]0;t\007b\n' > "$name"
	behind Edit "$input"
	screen_open 100x24
	press 4
	see 'na^[[31mme<U+202E>'
	see '+a^[]0;t^Gb'
}

@test "several folders: a file is given back where it was changed" {
	local first=$ROOT state=$STATE
	echo old > f
	edit_tool f 'echo new > f'
	mkdir "$T/other"
	cd "$T/other"
	"$SANDBOX" init --claude > "$T/init2.log"
	ROOT=$T/other
	for d in "$T"/state/sandbox/*; do
		[ "$d" = "$state" ] || STATE=$d
	done
	echo old > f
	edit_tool f 'echo newer > f'
	WATCH_ARGS="--notify none $first $T/other" screen_open 100x24
	press 4
	see_re '^> .* f  '
	see_re '^\+newer'
	press j
	see_re '^\+new$'
	press u
	see 'type yes'
	tm send-keys -l yes
	tm send-keys Enter
	see 'restored; change'
	[ "$(cat "$first/f")" = old ]
	[ "$(cat f)" = newer ]
}
