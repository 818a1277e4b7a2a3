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

# A request whose asker gave up: $id.
one_waits()
{
	sandbox init --claude
	echo '{"version":1,"limits":{"wait_alone_s":1}}' > .sandbox/policy.json
	sandbox policy accept --digest "$(sandbox policy diff |
	    grep -o -- '--digest [0-9a-f]*' | cut -d' ' -f2)"
	hook_call Bash 'unheard-of-program x' > /dev/null
	id=$(sandbox pending --json | grep -o '"id":"[^"]*"' | cut -d'"' -f4)
	[ -n "$id" ]
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
	one_waits
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

# typed SHELL SOURCE KEYS WANT: in a shell on a terminal of its own that ran
# SOURCE, KEYS and a tab are typed; waits until WANT is on its screen.
typed()
{
	python3 - "$STAGE" "$@" <<'P'
import os, pty, select, sys, time
stage, shell, source, keys, want = sys.argv[1:]
argv = {"bash": ["bash", "--norc", "--noprofile", "-i"],
        "zsh": ["zsh", "-f", "-i"]}[shell]
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(PS1="@@ ", TERM="dumb", ZDOTDIR=stage)
    os.execvp(argv[0], argv)
seen = b""


def until(word):
    global seen
    end = time.monotonic() + 30
    while word.encode() not in seen:
        if time.monotonic() > end or not select.select([fd], [], [], 31)[0]:
            sys.exit("never seen: %r in %r" % (word, seen))
        seen += os.read(fd, 4096)
    seen = seen.split(word.encode(), 1)[1]


os.write(fd, source.encode() + b"; echo loa''ded\n")
until("loaded")
until("@@ " if shell == "bash" else "\n")
os.write(fd, keys.encode() + b"\t")
until(want)
os.kill(pid, 9)
P
}

@test "bash: loaded as a person does, a tab completes" {
	typed bash '. <(sandbox completion bash)' 'sandbox docto' 'sandbox doctor'
	typed bash '. <(sandbox completion bash)' 'sandbox init --gem' \
	    'sandbox init --gemini'
}

@test "zsh: loaded as a person does, and as a function of its own" {
	zsh -n <(sandbox completion zsh)
	load='autoload -U compinit; compinit -u -D; . <(sandbox completion zsh)'
	typed zsh "$load" 'sandbox docto' 'r'
	typed zsh "$load" 'sandbox init --wind' 'surf'
	mkdir "$STAGE/functions"
	sandbox completion zsh > "$STAGE/functions/_sandbox"
	typed zsh "fpath=($STAGE/functions \$fpath); autoload -U compinit; compinit -u -D" \
	    'sandbox audit chec' 'kpoint'
}

@test "fish: loaded as a person does" {
	fish --no-config -n <(sandbox completion fish)
	asked() { fish --no-config -c "sandbox completion fish | source
	    complete -C '$1'"; }
	asked 'sandbox docto' | grep -q '^doctor'
	asked 'sandbox init --gem' | grep -q -- '^--gemini'
	asked 'sandbox policy acc' | grep -q '^accept'
	one_waits
	asked "sandbox show ${id:0:6}" | grep -q "^$id"
}
