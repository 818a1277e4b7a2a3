#!/usr/bin/env bats
# watch over several folders: what is broken in one is said, the others go on.

load ../approver
load ../line

setup()
{
	approver_setup
	OTHER=$T/other
	mkdir "$OTHER"
	(cd "$OTHER" && "$SANDBOX" init --claude) > "$T/init.log"
}
teardown() { line_teardown; }

watch_both()
{
	mkfifo "$T/keys"
	"$SANDBOX" watch --line "$ROOT" "$OTHER" < "$T/keys" > "$T/screen" \
	    2>&1 3>&- &
	WATCH=$!
	exec 7> "$T/keys"
	until_true shown 'watching; ? helps'
}
times_shown() { [ "$(grep -cF -- "$2" "$T/screen")" -eq "$1" ]; }
ends_with()
{
	local rc=0
	wait "$WATCH" || rc=$?
	WATCH=
	[ "$rc" -eq "$1" ]
}

@test "a queue that is gone ends the watch of its folder alone" {
	watch_both
	frob "echo one >> $T/ran"
	until_true shown '[1] '
	rm -r "$OTHER/.sandbox/escalations"
	until_true shown "not watched, 'escalations' was moved, removed or replaced while it was open: $OTHER"
	type_in 'a 1'
	until_true shown '[1] exit 0'
	frob "echo two >> $T/ran"
	until_true shown '[2] '
	times_shown 1 'not watched'
	# All of them: over.
	rm -r "$ROOT/.sandbox/escalations"
	ends_with 7
}

@test "a folder that was moved away is missed, and nothing of it is called gone" {
	watch_both
	frob "echo one >> $T/ran"
	until_true shown '[1] '
	mv .sandbox "$T/away"
	until_true shown "not watched, '.sandbox' was moved, removed or replaced while it was open: $ROOT"
	mv "$T/away" .sandbox
	frob "echo two >> $T/ran"
	until_true shown '[2] '
	run -1 shown '[1] gone'
	type_in 'a 1'
	until_true shown '[1] exit 0'
	# Another one under its name is another one.
	mv .sandbox "$T/away"
	cp -r "$T/away" .sandbox
	until_true times_shown 2 "'.sandbox' was moved"
	mv "$OTHER" "$T/elsewhere"
	ends_with 7
}
