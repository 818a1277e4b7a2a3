#!/usr/bin/env bats
# Completion is made from the command table; what a shell offers is there.

load helper

setup()
{
	project_setup
	mkdir "$STAGE/bin"
	ln -s "$BUILD/sandbox" "$STAGE/bin/sandbox"
	PATH="$STAGE/bin:$PATH"
}
teardown() { project_teardown; }

# offered WORD...: what bash would complete behind them
offered()
{
	bash -c '
		source /dev/stdin <<< "$("$BUILD/sandbox" completion bash)"
		COMP_WORDS=("$@")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_sandbox
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$@"
}

commands()
{
	"$BUILD/sandbox" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'
}

@test "bash: commands, options, verbs" {
	[ "$(offered sandbox doc)" = doctor ]
	[ "$(offered sandbox '' | sort)" = "$( (commands; echo --help
	    echo --version) | sort)" ]
	[ "$(offered sandbox init --ge)" = --gemini ]
	[ "$(offered sandbox policy acc)" = accept ]
	[ "$(offered sandbox deny -m)" = -m ]
	[ "$(offered sandbox status --js)" = --json ]
	[ -z "$(offered sandbox init --js)" ]
}

@test "bash: the ids that wait" {
	sandbox init --claude
	echo '{"version":1,"limits":{"wait_alone_s":1}}' > .sandbox/policy.json
	sandbox policy accept --digest "$(sandbox policy diff |
	    grep -o -- '--digest [0-9a-f]*' | cut -d' ' -f2)"
	hook_call Bash 'unheard-of-program x' > /dev/null
	id=$(sandbox pending --json | grep -o '"id":"[^"]*"' | cut -d'"' -f4)
	[ -n "$id" ]
	[ "$(offered sandbox show "${id:0:6}")" = "$id" ]
}

@test "every command, its options and its words are in all three" {
	for shell in bash zsh fish; do
		sandbox completion $shell > "$STAGE/$shell"
		for c in $(commands); do
			grep -q -w -- "$c" "$STAGE/$shell"
		done
		for word in gemini digest passphrase checkpoint; do
			grep -q -w -- "$word" "$STAGE/$shell"
		done
	done
	bash -n "$STAGE/bash"
	# An apostrophe in what a command is about must not end a word.
	grep -q "approver'\\\\''s key" "$STAGE/zsh"
	grep -q "approver'\\\\''s key" "$STAGE/fish"
	run -2 sandbox completion
	run -2 sandbox completion tcsh
}
