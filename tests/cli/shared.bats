#!/usr/bin/env bats
# Committed registrations (init --shared) and a machine's (init --managed):
# no path of one machine, nobody locked out, a project that is set up is gated.

load helper

# The rest runs in a mount namespace with an /etc and programs of its own; our
# home is where its passwd says.
setup() { project_setup; }
teardown() { project_teardown; }

# inside LINES: as a shell script; the first failing line fails it
inside()
{
	local map=-rm
	[ "$(id -u)" -ne 0 ] || map=-m
	cat > "$STAGE/preamble" <<-'E'
	set -eu
	mount --make-rprivate /
	mkdir -p "$STAGE/etc" "$STAGE/lib" "$STAGE/local" "$HOME"
	cp -a /etc/passwd /etc/group /etc/nsswitch.conf /etc/ld.so.cache \
	    "$STAGE/etc/" 2>/dev/null || :
	sed -i "s#^root:\(.*\):[^:]*:\([^:]*\)\$#root:\1:$HOME:\2#" \
	    "$STAGE/etc/passwd"
	mount --bind "$STAGE/etc" /etc
	mkdir -p "$STAGE/local/libexec/sandbox" "$STAGE/local/bin"
	cp "$BUILD/sandbox" "$STAGE/local/bin/"
	for p in pretooluse posttooluse sessionstart configchange \
	    sandbox-gate sandbox-runner; do
		cp "$BUILD/$p" "$STAGE/local/libexec/sandbox/"
	done
	install_programs() { mount --bind "$STAGE/local" /usr/local; }
	unset XDG_STATE_HOME XDG_DATA_HOME
	PATH=$STAGE/local/bin:/usr/local/bin:$PATH
	export PATH
	cd "$STAGE/proj"
	command_of() # FILE EVENT
	{
		python3 -c "import json, sys; \
		    e = json.load(open(sys.argv[1]))['hooks'][sys.argv[2]][0]; \
		    print(e.get('hooks', [e])[0]['command'])" "$1" "$2"
	}
	call() # DIR COMMAND
	{
		printf '{"session_id":"s","cwd":"%s","hook_event_name":"PreToolUse","tool_use_id":"t","tool_name":"Bash","tool_input":{"command":"%s"}}' "$1" "$2"
	}
	E
	cat > "$STAGE/script"
	export STAGE BUILD HOME
	unshare $map bash -c '. "$STAGE/preamble"; . "$STAGE/script"'
}

@test "shared: no path of this machine, there and back, found where installed" {
	inside <<-'E'
	install_programs
	echo '{"model": "x"}' > settings.before
	mkdir .claude
	cp settings.before .claude/settings.json
	sandbox init --shared --claude --codex --gemini --cursor
	for f in .claude/settings.json .codex/hooks.json \
	    .gemini/settings.json .cursor/hooks.json; do
		[ -s $f ]
		if grep -q "$STAGE\|$HOME" $f; then exit 1; fi
	done
	[ ! -e .claude/settings.local.json ]
	cp -a .codex/hooks.json first
	sandbox init --shared --claude --codex --gemini --cursor
	cmp first .codex/hooks.json
	sandbox status | grep -q "^claude *hooks registered"
	sandbox doctor > report || :
	cat report
	[ "$(grep -c '^ok .*refuses ' report)" -eq 8 ]
	sandbox uninstall
	cmp .claude/settings.json settings.before
	[ ! -e .codex ] && [ ! -e .gemini ] && [ ! -e .cursor ]
	E
}

@test "shared: gated from anywhere once set up, also when the agent is elsewhere" {
	inside <<-'E'
	install_programs
	sandbox init --shared --codex --claude
	line=$(command_of .codex/hooks.json PreToolUse)
	mkdir -p "$STAGE/elsewhere"
	for dir in "$PWD" "$STAGE/elsewhere"; do
		call "$dir" "sandbox approve x" | sh -c "$line" > out
		grep -q '"permissionDecision":"deny"' out
	done
	line=$(command_of .claude/settings.json PreToolUse)
	root=$PWD
	cd "$STAGE/elsewhere"
	call "$PWD" "sandbox approve x" |
	    CLAUDE_PROJECT_DIR=$root sh -c "$line" > out
	grep -q '"permissionDecision":"deny"' out
	E
}

@test "shared: a project of ours that is broken is refused, not taken for none" {
	inside <<-'E'
	install_programs
	sandbox init --shared --codex
	state=$(sandbox status --json | grep -o '"state":"[^"]*' | cut -d'"' -f4)
	line=$(command_of .codex/hooks.json PreToolUse)
	refused() # in DIR
	{
		call "$1" ls | (cd "$1"; sh -c "$line") > out
		grep -q '"permissionDecision":"deny"' out
	}
	mkdir -p sub "$STAGE/elsewhere"
	call "$PWD" ls | sh -c "$line" > out
	[ ! -s out ]
	mv .sandbox away
	refused "$PWD"
	refused "$PWD/sub"
	echo text > .sandbox
	refused "$PWD"
	rm .sandbox
	mv away .sandbox
	chmod 755 .sandbox
	refused "$PWD"
	chmod 700 .sandbox
	mv "$state/record.json" "$state/away"
	refused "$PWD"
	mv "$state/away" "$state/record.json"
	mv "$state/view" "$state/away"
	refused "$PWD"
	mv "$state/away" "$state/view"
	call "$PWD" ls | sh -c "$line" > out
	[ ! -s out ]
	E
}

@test "shared: a teammate without it is told, not locked out" {
	inside <<-'E'
	install_programs
	sandbox init --shared --codex
	pre=$(command_of .codex/hooks.json PreToolUse)
	start=$(command_of .codex/hooks.json SessionStart)
	# A clone: the files, but nobody ran init.
	mkdir "$STAGE/clone"
	cp -a .codex "$STAGE/clone/"
	cd "$STAGE/clone"
	call "$PWD" "sandbox approve x" | sh -c "$pre" > out
	[ ! -s out ]
	# A machine without our programs.
	umount /usr/local
	call "$PWD" "sandbox approve x" | sh -c "$pre" > out
	[ ! -s out ]
	sh -c "$start" < /dev/null > out
	grep -q 'not installed here' out
	python3 -c 'import json; json.load(open("out"))'
	# In /usr, and in the home.
	mkdir -p "$HOME/.local/libexec"
	cp -a "$STAGE/local/libexec/sandbox" "$HOME/.local/libexec/"
	cd "$STAGE/proj"
	call "$PWD" "sandbox approve x" | sh -c "$pre" > out
	grep -q '"permissionDecision":"deny"' out
	# Killed: refused, not passed.
	printf '#!/bin/sh\nkill -KILL $$\n' \
	    > "$HOME/.local/libexec/sandbox/pretooluse"
	status=0
	call "$PWD" "ls" | sh -c "$pre" > out 2> err || status=$?
	[ $status -eq 2 ] && [ -s err ]
	E
}

@test "shared: only where it can be, and only with data where hooks look" {
	inside <<-'E'
	status=0
	sandbox init --shared --windsurf 2> err || status=$?
	[ $status -eq 2 ]
	grep -q 'no shared form for Windsurf' err
	# A server's entry has a path of this machine, whatever is done.
	status=0
	sandbox init --shared --mcp --claude 2> err || status=$?
	[ $status -eq 2 ]
	grep -q 'no shared form for Claude Code (MCP)' err
	[ ! -e .mcp.json ] && [ ! -e .claude ]
	E
	run -7 sandbox init --shared --codex
	[[ $output == *"leave --state"* ]]
	[ ! -e .sandbox ] && [ ! -e .codex ]
}

@test "managed: root's files, there and back" {
	inside <<-'E'
	install_programs
	mkdir -p /etc/codex
	printf '# site\r\nallowed_approval_policies = ["never"]' \
	    > /etc/codex/requirements.toml
	cp -a /etc/codex/requirements.toml before
	sandbox init --managed --claude --codex
	cp /etc/codex/requirements.toml first
	sandbox init --managed --claude --codex
	cmp first /etc/codex/requirements.toml
	python3 - <<-'P'
	import json
	text = open("/etc/codex/requirements.toml").read()
	try:
	    import tomllib
	    t = tomllib.loads(text)
	    assert t["features"]["hooks"] is True
	    hook = t["hooks"]["PreToolUse"][0]["hooks"][0]
	    assert hook["timeout"] == 86400 and "--from" in hook["command"]
	except ImportError:
	    assert "[[hooks.PreToolUse.hooks]]" in text
	j = json.load(open("/etc/claude-code/managed-settings.d/50-sandbox.json"))
	entry = j["hooks"]["PreToolUse"][0]["hooks"][0]
	assert entry["args"][-2:] == ["--from", "${CLAUDE_PROJECT_DIR}"], entry
	P
	if grep -rq "$STAGE/proj" /etc/codex /etc/claude-code; then exit 1; fi
	sandbox uninstall --managed
	cmp before /etc/codex/requirements.toml
	[ ! -e /etc/claude-code ] && [ ! -e /etc/sandbox ]
	E
}

@test "managed: what is taken there is left alone, edits are kept" {
	inside <<-'E'
	install_programs
	mkdir -p /etc/codex
	for line in '[features]' 'hooks = {}' '[[hooks.PreToolUse]]' \
	    'features.x = 1' '[' 'a = "'; do
		echo "$line" > /etc/codex/requirements.toml
		cp /etc/codex/requirements.toml before
		if sandbox init --managed --codex 2> err; then exit 1; fi
		grep -q 'left alone' err
		grep -q 'hooks.PreToolUse.hooks' err
		cmp before /etc/codex/requirements.toml
	done
	echo 'a = 1' > /etc/codex/requirements.toml
	sandbox init --managed --codex
	printf 'b = 2\n' | cat - /etc/codex/requirements.toml > new
	cat new > /etc/codex/requirements.toml
	sandbox uninstall --managed
	printf 'b = 2\na = 1\n' | cmp - /etc/codex/requirements.toml
	if sandbox init --managed --gemini; then exit 1; fi
	if sandbox init --managed; then exit 1; fi
	E
}

@test "an uninstall that was stopped half-way keeps nobody from init" {
	inside <<-'E'
	for held in view ledger run audit; do
		sandbox init
		state=$(sandbox status --json | grep -o '"state":"[^"]*' |
		    cut -d'"' -f4)
		# Like a kill, at a place that can be chosen.
		mount --bind "$state/$held" "$state/$held"
		if sandbox uninstall; then exit 1; fi
		sandbox init
		umount "$state.gone/$held"
		sandbox uninstall
		[ ! -e .sandbox ]
		[ -z "$(ls "${state%/*}")" ]
	done
	E
}

@test "managed: gates what is set up, is silent elsewhere" {
	inside <<-'E'
	install_programs
	sandbox init --managed --claude --codex
	sandbox init
	json=/etc/claude-code/managed-settings.d/50-sandbox.json
	hook=$(command_of $json PreToolUse)
	mkdir "$STAGE/free"
	call "$PWD" "sandbox approve x" | "$hook" --client claude \
	    --event PreToolUse --from "$PWD" > out
	grep -q '"permissionDecision":"deny"' out
	call "$STAGE/free" "sandbox approve x" | "$hook" --client claude \
	    --event PreToolUse --from "$STAGE/free" > out
	[ ! -s out ]
	# The agent went elsewhere; the project is still its own.
	call "$STAGE/free" "sandbox approve x" | "$hook" --client claude \
	    --event PreToolUse --from "$PWD" > out
	grep -q '"permissionDecision":"deny"' out
	E
}
