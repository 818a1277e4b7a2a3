#!/usr/bin/env bats
# init where a project or a home is not as in a text book: linked work trees,
# folders nobody may write in, a project that was moved, teammates.

load helper

setup() { project_setup; }
teardown() { project_teardown; }

all_of() { find "$@" -printf '%p %y %m %l\n' | sort; }

# read_only DIR: run the script on stdin where DIR cannot be written
read_only()
{
	local map=-rm
	[ "$(id -u)" -ne 0 ] || map=-m
	cat > "$STAGE/script"
	export STAGE BUILD DIR="$1"
	unshare $map bash -c 'set -eu
		mount --make-rprivate /
		mount --bind "$DIR" "$DIR"
		mount -o remount,bind,ro "$DIR"
		cd "$STAGE/proj"
		sandbox() { "$BUILD/sandbox" "$@"; }
		. "$STAGE/script"'
}

# Nothing but the refusal: its words, its code, no file anywhere.
refuses() # DIR
{
	all_of "$STAGE/proj" "$HOME" "$STAGE/state" "$STAGE/data" > "$STAGE/before"
	read_only "$1" <<-'E'
	status=0
	sandbox init --claude --mcp --windsurf > out 2> "$STAGE/said" ||
	    status=$?
	echo "$status" > "$STAGE/status"
	E
	all_of "$STAGE/proj" "$HOME" "$STAGE/state" "$STAGE/data" > "$STAGE/after"
	cat "$STAGE/said"
	diff "$STAGE/before" "$STAGE/after"
	[ "$(cat "$STAGE/status")" -eq 8 ]
	grep -qF "cannot write in '$1': Read-only file system" "$STAGE/said"
}

@test "read-only: the private data, the key's place, a client's folder" {
	mkdir "$STAGE/state" "$STAGE/data" "$HOME/.codeium"
	: > out
	refuses "$STAGE/state"
	refuses "$STAGE/data"
	refuses "$HOME/.codeium"
}

@test "read-only: the project" {
	mkdir "$STAGE/state" "$STAGE/data"
	all_of "$STAGE" > "$STAGE.before"
	read_only "$STAGE/proj" <<-'E' || :
	sandbox init --claude 2> "$STAGE/said" && exit 1
	cat "$STAGE/said"
	E
	grep -qF "cannot write in '$STAGE/proj': Read-only file system" \
	    "$STAGE/said"
	rm "$STAGE/said" "$STAGE/script"
	all_of "$STAGE" | diff "$STAGE.before" -
	rm "$STAGE.before"
}

@test "a home that is another user's: the same, and the key is not made" {
	chmod 755 "$STAGE"
	mkdir "$STAGE/state" "$STAGE/data" "$STAGE/mine"
	cp "$BUILD/sandbox" "$BUILD/sandbox-gate" "$STAGE/mine/"
	chmod 755 "$STAGE/mine" "$STAGE"/mine/*
	as=()
	if [ "$(id -u)" -eq 0 ]; then
		as=(setpriv --reuid nobody --regid nogroup --clear-groups)
		chown nobody "$STAGE/proj"
	fi
	chmod 777 "$STAGE/data"
	chmod 555 "$STAGE/state"
	run -8 "${as[@]}" "$STAGE/mine/sandbox" init --claude
	[[ $output == *"cannot write in '$STAGE/state': Permission denied"* ]]
	[ -z "$(find "$STAGE"/{data,proj,state} -mindepth 1)" ]
	chmod 777 "$STAGE/state"
	chmod 555 "$STAGE/data"
	run -8 "${as[@]}" "$STAGE/mine/sandbox" init --claude
	[[ $output == *"cannot write in '$STAGE/data': Permission denied"* ]]
	[ -z "$(find "$STAGE"/{data,proj,state} -mindepth 1)" ]
}

@test "a linked work tree is a project of its own; both are gated" {
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
	git init -q -b main .
	git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x
	git worktree add -q "$STAGE/linked" -b other
	sandbox init --claude
	# The main tree's hook also judges what happens in the other tree.
	root=$PWD
	state=$(sandbox status --json | grep -o '"state":"[^"]*"' |
	    cut -d'"' -f4)
	cd "$STAGE/linked"
	# Whoever starts a hook is an agent, here as in the next project: the
	# second command keeps the subshell.
	(
		printf '{"session_id":"t","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"1","tool_input":{"command":"sandbox approve x"}}' \
		    "$PWD" | "$BUILD/pretooluse" --client claude \
		    --event PreToolUse --root "$root" --state "$state"
		:
	) > "$STAGE/out"
	grep -q '"permissionDecision":"deny"' "$STAGE/out"
	run -7 sandbox status
	sandbox init --claude
	sandbox doctor
	[[ $(hook_call Bash 'sandbox approve x') == *'"deny"'* ]]
	# git sees nothing of it but the settings, which are this machine's.
	[ "$(git status --porcelain --untracked-files=all)" = \
	    '?? .claude/settings.local.json' ]
	# The hooks of git lie in the main tree's .git: as closed from here.
	[[ $(hook_call Bash "echo x > $root/.git/hooks/pre-commit") == \
	    *'"deny"'* ]]
	[[ $(hook_call Bash "git config core.hooksPath /tmp/x") == *'"deny"'* ]]
	sandbox uninstall
	[ -z "$(git status --porcelain --untracked-files=all)" ]
	cd "$root"
	sandbox doctor
	git worktree remove "$STAGE/linked"
}

@test "several in one folder tree: each place has its own, the inner one counts" {
	mkdir -p inner/deep
	sandbox init --claude
	cd inner
	sandbox init --claude
	outer=$(sandbox status -C .. --json | grep -o '"state":"[^"]*"')
	[ "$(sandbox status --json | grep -o '"state":"[^"]*"')" != "$outer" ]
	[ "$(sandbox status -C deep --json | grep -o '"state":"[^"]*"')" != \
	    "$outer" ]
	sandbox uninstall
	[ "$(sandbox status --json | grep -o '"state":"[^"]*"')" = "$outer" ]
}

@test "what holds paths of this machine is named; the local file is not" {
	run -0 sandbox init --claude
	[[ $output != *'keep them out of commits'* ]]
	run -0 sandbox init --mcp
	[[ $output == *'keep them out of commits'* ]]
}

@test "an upgrade, and a project that moved: MCP entries follow too" {
	mkdir "$STAGE/old"
	cp "$BUILD"/sandbox* "$BUILD"/pretooluse "$STAGE/old/" 2>/dev/null || :
	"$STAGE/old/sandbox" init --mcp --claude --codex --vscode
	grep -q "$STAGE/old/sandbox" .mcp.json .codex/config.toml
	sandbox init --mcp --claude --codex --vscode
	if grep -r "$STAGE/old" .claude .codex .mcp.json .vscode; then false; fi
	cd ..
	mv proj moved
	cd moved
	run -7 sandbox doctor
	run -7 sandbox init --mcp --claude --codex --vscode
	[[ $output == *'remove it'* ]]
	rm -r .sandbox
	sandbox init --mcp --claude --codex --vscode
	if grep -r "$STAGE/proj" .claude .codex .mcp.json .vscode; then false; fi
	[ "$(grep -c '^\[mcp_servers.sandbox\]' .codex/config.toml)" -eq 1 ]
	sandbox doctor > "$STAGE/said" || :
	[ "$(grep -c 'lists its tools' "$STAGE/said")" -eq 3 ]
	# Who made the files is in the record of the old place: what could be a
	# person's braces stays, and nothing else.
	sandbox uninstall
	[ "$(cat $(find . -type f) | tr -d ' \n{}')" = "" ]
}

# init reads the plan, then waits for the passphrase of a locked key: the
# moment in which somebody edits, or puts a link where a folder was.
meanwhile() # COMMAND
{
	echo 'long enough a passphrase' > "$STAGE/pass"
	"$BUILD/sandbox" key new --passphrase-fd 8 8< "$STAGE/pass"
	mkfifo "$STAGE/late"
	mkdir .gemini
	echo '{"theme": "dark"}' > .gemini/settings.json
	"$BUILD/sandbox" init --claude --gemini --mcp --passphrase-fd 8 \
	    8< "$STAGE/late" > "$STAGE/out" 2> "$STAGE/err" 3>&- &
	exec 7> "$STAGE/late"
	# Who reads the first byte has made its plan.
	printf l >&7
	python3 - <<-'P'
	import array, fcntl, termios, time
	end, left = time.monotonic() + 30, array.array("i", [1])
	while left[0] and time.monotonic() < end:
	    fcntl.ioctl(7, termios.FIONREAD, left)
	    time.sleep(0.01)
	assert left[0] == 0
	P
	eval "$1"
	echo 'ong enough a passphrase' >&7
	exec 7>&-
	status=0
	wait $! || status=$?
	cat "$STAGE/out" "$STAGE/err"
}

@test "edited between plan and write: the edit stays, nothing else is written" {
	meanwhile 'echo "{\"theme\": \"light\"}" > .gemini/settings.json'
	[ "$status" -eq 4 ]
	grep -q 'changed in the meantime' "$STAGE/err"
	[ "$(cat .gemini/settings.json)" = '{"theme": "light"}' ]
	[ ! -e .claude ]
	sandbox init --claude --gemini --passphrase-fd 8 8< "$STAGE/pass"
	grep -q '"light"' .gemini/settings.json
}

@test "a link put there between plan and write leads nowhere" {
	mkdir "$STAGE/other"
	cp -p /dev/null "$STAGE/other/x"
	meanwhile 'mkdir "$STAGE/other/.gemini"
	    cp .gemini/settings.json "$STAGE/other/.gemini/"
	    rm -r .gemini && ln -s "$STAGE/other/.gemini" .gemini'
	[ "$status" -eq 4 ]
	[ "$(cat "$STAGE/other/.gemini/settings.json")" = '{"theme": "dark"}' ]
	[ ! -e .claude ]
}
