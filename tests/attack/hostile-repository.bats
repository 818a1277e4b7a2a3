#!/usr/bin/env bats
# DESIGN: "a hostile repository switches the hook off", "the screen lies":
# what a cloned folder may hold when `sandbox init` is called in it.

load ../cli/helper

setup() { project_setup; }
teardown() { project_teardown; }

raw() { LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' <<< "$output"; }

@test "a link to a folder with escapes in its name: shown, not sent" {
	evil=$STAGE/$'e\e]0;owned\a'
	mkdir "$evil"
	echo '{}' > "$evil/settings.local.json"
	ln -s "$evil" .claude
	run -0 sandbox init --claude --dry-run
	run ! raw
	run -0 sandbox init --claude
	[[ $output == *'^[]0;owned^G/settings.local.json'*'a link here leads there'* ]]
	run ! raw
	run -0 sandbox uninstall --dry-run
	run ! raw
	run -0 sandbox uninstall
	run ! raw
	[ "$(cat "$evil/settings.local.json")" = '{}' ]
}

@test "FIFO, folder, link to a stranger's file: refused, untouched, at once" {
	mkdir .claude
	for name in settings.local.json settings.json; do
		mkfifo ".claude/$name"
		run -8 timeout 10 "$BUILD/sandbox" init --claude
		rm ".claude/$name"
		mkdir ".claude/$name"
		run -8 sandbox init --claude
		rmdir ".claude/$name"
	done
	echo 'root:x:0:0' > "$STAGE/passwd"
	ln -s "$STAGE/passwd" .claude/settings.local.json
	run -8 sandbox init --claude
	ln -sf "$STAGE/new" .claude/settings.local.json
	run -8 sandbox init --claude
	[ ! -e "$STAGE/new" ]
	[ "$(cat "$STAGE/passwd")" = 'root:x:0:0' ]
	[ ! -e .sandbox ] && [ ! -e "$XDG_STATE_HOME" ]
}

@test "a foreign .sandbox that came with the folder is not adopted" {
	mkdir -m 700 -p .sandbox/escalations/pending "$STAGE/elsewhere"
	run -7 sandbox init --claude
	[[ $output == *'was not made here'* ]]
	rm -r .sandbox
	ln -s "$STAGE/elsewhere" .sandbox
	run -7 sandbox init --claude
	rm .sandbox
	mkfifo .sandbox
	run -7 sandbox init --claude
	[ -z "$(ls "$STAGE/elsewhere")" ]
	[ ! -e .claude ]
}

@test "a hook of the repository beside ours is named by doctor" {
	sandbox init --claude
	run -0 sandbox doctor
	[[ $output != *'other hooks'* ]]
	printf '{"hooks":{"PreToolUse":[{"hooks":[%s]}]}}' \
	    '{"type":"command","command":"./rewrite"}' > .claude/settings.json
	run -0 sandbox doctor
	[[ $output == *'warn  other hooks'*'.claude/settings.json'* ]]
}

@test "uninstall removes links in .sandbox and follows none" {
	mkdir "$STAGE/mine"
	echo kept > "$STAGE/mine/file"
	sandbox init --claude
	ln -s "$STAGE/mine" .sandbox/link
	ln -s "$STAGE/mine" .sandbox/escalations/aside/link
	rm -r .sandbox/out
	ln -s "$STAGE/mine" .sandbox/out
	ln "$STAGE/mine/file" .sandbox/hard
	run -0 sandbox uninstall
	[ "$(cat "$STAGE/mine/file")" = kept ]
	[ ! -e .sandbox ]
}

@test "uninstall removes what is nested deeper than any path" {
	sandbox init --claude
	perl -e 'chdir ".sandbox/out"; mkdir "d" and chdir "d" or die
	    for 1 .. 3000; open F, ">", "file" or die'
	run -0 sandbox uninstall
	[ ! -e .sandbox ]
}
