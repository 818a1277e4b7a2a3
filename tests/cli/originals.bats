#!/usr/bin/env bats
# What an agent changes is kept, listed and given back.

load ../originals

setup() { originals_setup; }
teardown() { approver_teardown; }

changes() { "$SANDBOX" changes "$@"; }
restore() { "$SANDBOX" restore "$@"; }

@test "an edit: listed, shown as lines, given back, and that taken back" {
	seq 100 > a.txt
	cp a.txt "$T/was"
	edit_tool a.txt "sed -i 's/^50\$/fifty/' a.txt"
	cp a.txt "$T/edited"
	run -0 changes
	[[ $output == *"  changed      a.txt  (Edit, session s1)" ]]
	run -0 changes a.txt --diff
	[[ $output == *$'\n-50\n+fifty\n'* ]]
	run -0 restore a.txt --dry-run
	[ "$output" = "write    a.txt" ]
	cmp a.txt "$T/edited"
	run -0 restore a.txt
	cmp a.txt "$T/was"
	[[ $output =~ 'restore --request '([0-9]+) ]]
	run -0 restore --request "${BASH_REMATCH[1]}"
	cmp a.txt "$T/edited"
	"$SANDBOX" audit verify --full
}

@test "a session by tools and by Bash: every byte, mode and link again" {
	mkdir -p src/deep old
	seq 1000 > src/a.c
	seq 2000 > src/deep/b.c
	printf 'x\0y' > old/bin
	echo run > tool.sh
	chmod 751 tool.sh
	chmod 500 old/bin
	ln -s src/a.c link
	ln -s nowhere dangling
	echo gone > gone.txt
	echo one > 'with space'
	start_session s1
	fingerprint > "$T/was"
	edit_tool src/a.c "sed -i s/7/seven/ src/a.c"
	write_tool new/place/n.txt hello
	write_tool tool.sh changed
	bash_tool "chmod 644 tool.sh"
	bash_tool "mv src/deep moved"
	bash_tool "echo more >> src/a.c"
	bash_tool "mkdir -p made/by/hand && touch made/by/hand/t"
	bash_tool "cp src/a.c 'with space'"
	bash_tool "ln -sfn tool.sh link"
	bash_tool "mv dangling dangling2"
	bash_tool "cp -r src copy"
	run -0 changes --session s1
	for p in src/a.c new/place/n.txt tool.sh moved/b.c src/deep/b.c \
	    made/by/hand/t 'with space' link dangling dangling2 copy/a.c; do
		[[ $output == *"  $p  ("* ]]
	done
	run restore --session s1; echo "$output"; [ "$status" -eq 0 ]
	fingerprint > "$T/is"
	diff -u "$T/was" "$T/is"
	"$SANDBOX" audit verify --full
}

@test "what a human approved and we ran comes back too, trees as well" {
	mkdir -p build/x
	seq 500 > build/x/o
	ln -s x build/y
	chmod 700 build/x
	echo f > f
	fingerprint > "$T/was"
	ask Bash '{"command":"rm -rf build f"}'
	run -0 approve
	[ ! -e build ]
	answer > "$T/answered"
	run -0 changes
	[[ $output == *"  deleted      build/x/o  (Bash, "* ]]
	run -0 restore --request "${ID:0:10}"
	fingerprint > "$T/is"
	diff -u "$T/was" "$T/is"
}

@test "to a time, to before a change, one change of many" {
	local i
	for i in 1 2 3 4; do
		echo "$((i - 1))" > f
		edit_tool f "echo $i > f"
		write_tool "made$i" x
	done
	mapfile -t n < <("$SANDBOX" changes f | awk '{ print $2 }')
	[ "${#n[@]}" -eq 4 ]
	run -0 restore --request "${n[2]}"
	[ "$(cat f)" = 2 ]
	[ -e made3 ]
	run -0 restore f --to "${n[1]}"
	[ "$(cat f)" = 1 ]
	run -0 restore --to "${n[1]}"
	[ "$(cat f)" = 1 ]
	[ -e made1 ]
	[ ! -e made2 ] && [ ! -e made4 ]
	run -0 restore f --to 1h
	[ "$(cat f)" = 0 ]
	run -0 restore f --to "$(date -u -d '+1 hour' +%FT%TZ)"
	run -3 restore --to 99999
	run -2 restore
	run -2 restore f --to 1h --session s1
}

@test "a client that gives its calls no names" {
	NAMELESS=1
	echo old > f
	edit_tool f "echo new > f"
	run -0 changes
	[[ $output == *"  changed      f  (Edit, session s1)" ]]
	run -0 restore f
	[ "$(cat f)" = old ]
}

@test "names in folders, other places and as JSON" {
	mkdir -p 'd/e f'
	echo old > 'd/e f/x'
	chmod 640 'd/e f/x'
	edit_tool 'd/e f/x' "echo new > 'd/e f/x'"
	(cd d && run -0 changes 'e f/x' && [ -n "$output" ])
	(cd / && run -0 changes -C "$ROOT/d" 'e f' && [ -n "$output" ])
	run -0 changes "$ROOT/d"
	run -1 changes d/other
	run -0 changes --json
	perl -MJSON::PP -e 'my $c = decode_json($ARGV[0])->{changes}[0];
	    die if $c->{path} ne "d/e f/x" or $c->{what} ne "changed" or
	    $c->{before}{mode} ne "0640" or $c->{after}{size} != 4 or
	    $c->{tool} ne "Edit" or $c->{by} ne "call"' "$output"
	run -0 restore --json 'd/e f'
	perl -MJSON::PP -e 'my $p = decode_json($ARGV[0])->{paths}[0];
	    die if $p->{path} ne "d/e f/x" or $p->{step} ne "write" or
	    !$p->{done}' "$output"
}

@test "a session's end lets go of what is too old" {
	echo old > f
	edit_tool f "echo new > f"
	end_session
	[ -e "$STATE/originals/swept" ]
	run -0 changes
	# As if a month had gone by.
	perl -pi -e 's/("kind":"observe","t_wall_ms":|"kind":"allow","t_wall_ms":)\d+/${1}1000000000000/' \
	    "$STATE/audit/audit.jsonl"
	touch -d '2 days ago' "$STATE/originals/swept"
	end_session
	run -1 changes
	[ "$(find "$STATE/originals/objects" -type f | wc -l)" -eq 0 ]
	run -3 restore f
	"$SANDBOX" changes --verify
}

@test "every file tool, and a file that does not fit into memory" {
	local t
	for t in MultiEdit NotebookEdit Write Edit; do
		echo "before $t" > "f.$t"
	done
	head -c 20M /dev/urandom > big
	cp big "$T/big"
	before MultiEdit "{\"file_path\":\"$ROOT/f.MultiEdit\",\"edits\":[]}"
	before NotebookEdit "{\"notebook_path\":\"$ROOT/f.NotebookEdit\",\"new_source\":\"\"}"
	before Write "{\"file_path\":\"$ROOT/f.Write\",\"content\":\"\"}"
	before Edit "{\"file_path\":\"$ROOT/f.Edit\",\"old_string\":\"a\",\"new_string\":\"b\"}"
	bash_tool "echo short > big"
	for t in MultiEdit NotebookEdit Write Edit; do
		echo changed > "f.$t"
	done
	# No hook behind the first four: what they were to do is unconfirmed.
	run -0 changes
	[ "$(grep -c unconfirmed <<< "$output")" -eq 4 ]
	run -0 restore --session last
	for t in MultiEdit NotebookEdit Write Edit; do
		[ "$(cat "f.$t")" = "before $t" ]
	done
	cmp big "$T/big"
}
