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
