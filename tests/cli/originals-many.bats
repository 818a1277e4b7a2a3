#!/usr/bin/env bats
# Many files at once, as several threads give them back.

load ../originals

setup() { originals_setup; }
teardown() { approver_teardown; }

# Whatever can happen to a file, to 700 of them in 7 folders.
disturb()
{
	local i f
	for i in $(seq 700); do
		f=d$((i % 7))/f$i
		case $((i % 6)) in
		0) rm "$f" ;;
		1) ln -sf elsewhere "$f" ;;
		2) echo other > "$f" ;;
		3) chmod 600 "$f" ;;
		4) rm "$f" && mkdir "$f" && echo in > "$f/in" ;;
		5) mkdir -p "new/$i" && echo new > "new/$i/file" ;;
		esac
	done
	rm -rf d3
}

make_them()
{
	local i
	mkdir d0 d1 d2 d3 d4 d5 d6
	for i in $(seq 700); do
		echo "line $i" > "d$((i % 7))/f$i"
	done
	ln -s d1/f1 d2/link
	chmod 500 d5
}

@test "a session that disturbed 700 files: every byte, mode and link back" {
	make_them
	start_session s1
	fingerprint > "$T/was"
	chmod 700 d5
	disturb
	# What no call is known to have made stays, folders' places too.
	find d? -name in -delete
	rm -rf new
	run -0 "$SANDBOX" restore --session last
	fingerprint > "$T/is"
	diff "$T/was" "$T/is"
	[ -z "$(find . -name '.sandbox-restore.*')" ]
	"$SANDBOX" audit verify --full
	# And that taken back, and again.
	run -0 "$SANDBOX" restore --session last
	[[ $output == *'nothing to do'* ]]
}

@test "a restore of many that is killed goes on where it was" {
	make_them
	start_session s1
	fingerprint > "$T/was"
	chmod 700 d5
	disturb
	find d? -name in -delete
	rm -rf new
	# Killed at some rename in the middle: of a thread, so of all.
	run strace -f -qq -o "$T/trace" -e trace=renameat2 \
	    -e inject=renameat2:signal=KILL:when=40 \
	    "$SANDBOX" restore --session last
	[ "$status" -ne 0 ]
	fingerprint > "$T/half"
	if cmp -s "$T/was" "$T/half"; then false; fi
	run -0 "$SANDBOX" restore --session last
	fingerprint > "$T/is"
	diff "$T/was" "$T/is"
	[ -z "$(find . -name '.sandbox-restore.*')" ]
}
