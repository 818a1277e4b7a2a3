#!/usr/bin/env bats
# watch --line: files that agents changed, and the log's end, by words.

load ../originals
load ../line

setup() { originals_setup; }
teardown() { line_teardown; }
shown_re() { grep -qsE -- "$1" "$T/screen"; }

@test "f lists, f N shows lines, u N asks, u N yes gives back" {
	seq 100 > a.txt
	cp a.txt "$T/was"
	edit_tool a.txt "sed -i 's/^50\$/fifty/' a.txt"
	write_tool made.txt hello
	watch
	type_in f
	# The newest stands last, nearest to the hand.
	until_true shown_re 'file 2 +[0-9]+  ..:..  created      made.txt'
	shown_re 'file 1 +[0-9]+  ..:..  changed      a.txt  \(Edit, s1\)'
	type_in 'f 1'
	until_true shown_re '^\+fifty'
	type_in 'u 1'
	until_true shown 'as before this change?'
	[ "$(grep -c fifty a.txt)" -eq 1 ]
	type_in 'u 1 yes'
	until_true shown 'restored; change'
	cmp a.txt "$T/was"
	# A number means the same change for ever.
	type_in f
	until_true shown '(restore)'
	shown_re 'file 3 .*a.txt  \(restore\)'
	[ "$(grep -c 'file 1 .*a.txt  (Edit' "$T/screen")" -eq 2 ]
	type_in 'u 3 yes'
	until_true grep -q fifty a.txt
	type_in 'u 99 yes'
	until_true shown 'no such file'
	type_in u
	until_true shown 'which file?'
	"$SANDBOX" audit verify --full
}

@test "g: the log's end, and whether it is what was written" {
	edit_tool a.txt 'echo x > a.txt'
	watch
	type_in g
	until_true shown 'chain ok: '
	shown_re 'tool.done  Edit|file.snapshot|tool.done'
	sed -i '2s/"kind":"/"kinD":"/' "$STATE/audit/audit.jsonl"
	type_in g
	until_true shown 'chain IS NOT WHAT WAS WRITTEN'
	type_in 'g 1'
	until_true shown 'not understood'
}

@test "nothing was changed yet: said" {
	watch
	type_in f
	until_true shown 'agents changed no file yet'
}
