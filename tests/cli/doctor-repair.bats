#!/usr/bin/env bats
# What doctor says is to be typed: somebody breaks a thing, doctor finds it,
# its words are pasted into a shell, and doctor is content.

load helper

setup()
{
	project_setup
	mkdir -p "$STAGE/prefix/bin" "$STAGE/prefix/libexec/sandbox" \
	    "$STAGE/clients"
	export PATH="$STAGE/prefix/bin:$STAGE/clients:/usr/bin:/bin"
	make install PREFIX="$STAGE/prefix"
	unset CLAUDE_CONFIG_DIR CLAUDE_CODE_SIMPLE CODEX_HOME XDG_CONFIG_HOME
}
teardown() { project_teardown; }

sandbox() { "$STAGE/prefix/bin/sandbox" "$@"; }

# The real one builds; what it installs is what was built.
make()
{
	[ "$1 $2" = "install PREFIX=$STAGE/prefix" ]
	cp "$BUILD/sandbox" "$STAGE/prefix/bin/"
	for p in pretooluse posttooluse sessionstart configchange \
	    sandbox-gate sandbox-runner sandbox-mcp sandbox-fetch \
	    sandbox-proxy; do
		cp --remove-destination "$BUILD/$p" \
		    "$STAGE/prefix/libexec/sandbox/"
	done
}

facts() # EXPRESSION over each finding f
{
	python3 -c "import json, sys
for f in json.load(open(sys.argv[1])):
    $1" "$STAGE/doctor"
}

# broken WORD: doctor fails, and some finding that fails says WORD.
# Every finding that warns or fails says what to type.
broken()
{
	run -1 sandbox doctor --json
	printf '%s\n' "$output" > "$STAGE/doctor"
	facts 'assert set(f) == {"check", "result", "text", "repair"}, f
    assert f["result"] in ("ok", "note", "warn", "FAIL"), f
    assert f["repair"] or f["result"] in ("ok", "note"), f'
	facts 'if f["result"] == "FAIL": print(f["check"], f["text"])' \
	    > "$STAGE/words"
	grep -qF -- "$1" "$STAGE/words" || { cat "$STAGE/words"; return 1; }
}

# Type the first thing that is said; a person would look again then.  What
# Codex is told on its own screen is not for a shell.
paste()
{
	facts 'if f["result"] == "FAIL" and f["check"] != "codex: trust":
        print(f["repair"]); break' \
	    > "$STAGE/line"
	cat "$STAGE/line"
	eval "$(cat "$STAGE/line")"
}

# mended WORD: broken WORD, then paste until doctor is content.
mended()
{
	local i
	broken "$1"
	for i in 1 2 3; do
		paste
		sandbox doctor --json > "$STAGE/doctor" && return 0
	done
	cat "$STAGE/doctor"
	return 1
}

priv() { echo "$XDG_STATE_HOME"/sandbox/*; }

@test "nothing is connected" {
	sandbox init
	mended 'no agent is connected'
	grep -q pretooluse .claude/settings.local.json
}

@test "Claude Code: our settings are gone, edited, unreadable, switched off" {
	sandbox init --claude
	rm .claude/settings.local.json
	mended 'settings'
	sed -i 's/86400/1/' .claude/settings.local.json
	mended 'PreToolUse is not registered'
	echo '{"model": "x",' > .claude/settings.local.json
	mended 'settings.local.json'
	[ "$(cat .claude/settings.local.json.bad)" = '{"model": "x",' ]
	sed -i 's/"disableAllHooks": *false/"disableAllHooks":true/' \
	    .claude/settings.local.json
	mended 'disableAllHooks'
	rm -rf .claude/settings.local.json .claude/settings.local.json.bad
	mkdir .claude/settings.local.json
	mended 'settings.local.json'
}

@test "Claude Code: the committed and the user's settings undo us" {
	sandbox init --claude
	echo '{"disableAllHooks": true}' > .claude/settings.json
	mended 'disableAllHooks'
	mkdir "$STAGE/other dir"
	export CLAUDE_CONFIG_DIR="$STAGE/other dir"
	echo '{"env": {"LD_PRELOAD": "x"}}' > "$CLAUDE_CONFIG_DIR/settings.json"
	mended 'LD_PRELOAD'
	[ -e "$CLAUDE_CONFIG_DIR/settings.json.bad" ]
	export CLAUDE_CODE_SIMPLE=1
	mended 'CLAUDE_CODE_SIMPLE'
}

@test "programs that are gone, or let everything pass" {
	sandbox init --claude --mcp --codex --cursor
	rm "$STAGE/prefix/libexec/sandbox/pretooluse"
	broken 'PreToolUse denies'
	paste
	printf '#!/bin/sh\nprintf "A 0 0 0\\nE\\n"\n' \
	    > "$STAGE/prefix/libexec/sandbox/sandbox-gate"
	broken 'do not let an agent work here'
	broken 'cursor: preToolUse refuses'
	paste
	rm "$STAGE/prefix/libexec/sandbox/sandbox-mcp"
	broken 'mcp-claude: MCP server'
	paste
	cp --remove-destination /bin/true \
	    "$STAGE/prefix/libexec/sandbox/configchange"
	broken 'ConfigChange, no input'
	paste
	for p in posttooluse configchange sandbox-runner sandbox-fetch \
	    sandbox-proxy sandbox-mcp; do
		rm "$STAGE/prefix/libexec/sandbox/$p"
		broken "$p"
		paste
	done
	sandbox doctor > "$STAGE/said" || :
	[ "$(grep -c '^FAIL' "$STAGE/said")" -eq 1 ]
	grep -q '^FAIL  codex: trust' "$STAGE/said"
}

@test "every other agent: edited, not to be edited, a file of one's own" {
	all='--gemini --cursor --windsurf --copilot --cline --opencode'
	# shellcheck disable=SC2086
	sandbox init $all
	run -0 sandbox doctor
	sed -i 's/86400000/1/' .gemini/settings.json
	mended 'gemini: registered'
	echo '{' > .gemini/settings.json
	mended 'gemini: registered'
	sed -i 's/^{/{"hooksConfig":{"enabled":false},/' .gemini/settings.json
	mended 'hooksConfig.enabled'
	for f in .cursor/hooks.json .windsurf/hooks.json \
	    .github/hooks/sandbox.json .clinerules/hooks/PreToolUse \
	    .clinerules/hooks/UserPromptSubmit .opencode/plugin/sandbox.js; do
		echo mine > $f
		mended 'registered'
		[ "$(cat $f.bad)" = mine ]
		rm $f
		mended 'registered'
	done
	printf 'A=1\nB=2\nLD_PRELOAD=/x.so\nPATH=/y\n' > .gemini/.env
	mended 'LD_PRELOAD'
	[ "$(cat .gemini/.env)" = "$(printf 'A=1\nB=2')" ]
}

@test "MCP servers: edited, and in files nobody can edit" {
	export XDG_CONFIG_HOME="$STAGE/conf ig"
	sandbox init --mcp --claude --vscode --zed --windsurf --claude-desktop
	run -0 sandbox doctor
	for f in .mcp.json .vscode/mcp.json .zed/settings.json \
	    "$HOME/.codeium/windsurf/mcp_config.json" \
	    "$XDG_CONFIG_HOME/Claude/claude_desktop_config.json"; do
		sed -i 's/"--state"/"--stata"/' "$f"
		mended 'MCP server'
	done
	sandbox uninstall
	[ ! -e "$XDG_CONFIG_HOME" ]
}

@test "a server of somebody else with our name, whoever is connected" {
	sandbox init --gemini
	mkdir .codex .vscode
	for f in .mcp.json .vscode/mcp.json .codex/config.toml; do
		case $f in
		*.toml) printf '[mcp_servers.sandbox]\ncommand = "evil"\n' ;;
		.v*) echo '{"servers": {"sandbox": {"command": "evil"}}}' ;;
		*) echo '{"mcpServers": {"sandbox": {"command": "evil"}}}' ;;
		esac > $f
		EDITOR='rm' mended "is called 'sandbox'"
		[ ! -e $f ]
	done
	# What it names is not one of our tools, either.
	echo '{"id":1,"tool":"mcp__sandbox__evil","input":{},"cwd":"/"}' |
	    sandbox judge | grep -q '"decision":"escalate"'
}

@test "Codex: its home elsewhere; what is edited is trusted anew by a human" {
	export CODEX_HOME="$STAGE/codex"
	mkdir "$CODEX_HOME"
	sandbox init --codex
	broken 'codex: trust'
	grep -q "does not trust this folder" "$STAGE/words"
	facts 'f["result"] == "FAIL" and print(f["repair"])' > "$STAGE/line"
	grep -q '^codex  *# .*/hooks' "$STAGE/line"
	bash -n "$STAGE/line"
	printf 'x = [' > "$CODEX_HOME/config.toml"
	broken "$CODEX_HOME/config.toml: line 1"
}

@test "the queue, the policy and its signer are gone or bad" {
	sandbox init --claude
	rm -r .sandbox/escalations/pending
	mended 'policy and queue'
	rm "$(priv)/view/approvers"
	mended 'policy and queue'
	cp "$(priv)/view/policy.accepted" "$STAGE/old"
	echo x > "$(priv)/view/policy.accepted"
	mended 'policy and queue'
}

@test "an older policy put back" {
	sandbox init --claude
	cp "$(priv)/view/policy.accepted" "$STAGE/old"
	echo '{"version":1,"limits":{"wait_alone_s":1}}' > .sandbox/policy.json
	sandbox policy accept --digest "$(sandbox policy diff |
	    grep -o -- '--digest [0-9a-f]*' | cut -d' ' -f2)"
	cp "$STAGE/old" "$(priv)/view/policy.accepted"
	broken 'are not the ones that were accepted last'
	facts 'f["result"] == "FAIL" and print(f["repair"])' > "$STAGE/line"
	[ "$(cat "$STAGE/line")" = "sandbox policy accept" ]
	# It asks on a terminal; without one it takes the digest.
	sandbox policy accept --digest "$(sandbox policy diff |
	    grep -o -- '--digest [0-9a-f]*' | cut -d' ' -f2)"
	run -0 sandbox doctor
}

@test "the approver's key is gone, or another one" {
	sandbox init --claude
	mv "$XDG_DATA_HOME/sandbox/keys" "$STAGE/keys"
	mended "approver's key"
	grep -q pretooluse .claude/settings.local.json
	rm -r "$XDG_DATA_HOME/sandbox/keys"
	mv "$STAGE/keys" "$XDG_DATA_HOME/sandbox/keys"
	broken 'trusts another'
	mended "approver's key"
}

@test "a log that was cut is not mended: it is looked at" {
	sandbox init --claude
	sandbox doctor
	truncate -s -20 "$(priv)/audit/audit.jsonl"
	broken 'audit log'
	facts 'f["result"] == "FAIL" and print(f["repair"])' > "$STAGE/line"
	[ "$(cat "$STAGE/line")" = "sandbox audit verify --full" ]
	run ! sandbox audit verify --full
}

@test "warnings say it too, from anywhere: the words name the project" {
	mkdir "$STAGE/a b" && cd "$STAGE/a b"
	sandbox init --claude --gemini --state "$STAGE/st"
	printf '#!/bin/sh\necho 0.1.0\n' > "$STAGE/clients/gemini"
	chmod +x "$STAGE/clients/gemini"
	cp "$STAGE/clients/gemini" "$STAGE/clients/claude"
	mkdir -p "$HOME/.claude"
	echo '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}' \
	    > .claude/settings.json
	sed -i 's/"enforce"/"observe"/' .sandbox/policy.json
	sandbox policy accept --state "$STAGE/st" --digest "$(sandbox \
	    policy diff --state "$STAGE/st" | grep -o -- '--digest [0-9a-f]*' |
	    cut -d' ' -f2)"
	rm .claude/settings.local.json
	cd /
	run -1 sandbox doctor --json -C "$STAGE/a b" --state "$STAGE/st"
	printf '%s\n' "$output" > "$STAGE/doctor"
	facts 'print(f["result"], f["check"], "->", f["repair"])' \
	    > "$STAGE/said"
	cat "$STAGE/said"
	grep -qF "FAIL settings -> sandbox init --claude -C '$STAGE/a b' --state $STAGE/st" \
	    "$STAGE/said"
	grep -q '^warn claude: version -> claude update$' "$STAGE/said"
	grep -q '^warn gemini: version -> npm install -g @google/gemini-cli$' \
	    "$STAGE/said"
	grep -qF "warn other hooks -> \${EDITOR:-vi} '$STAGE/a b/.claude/settings.json'" \
	    "$STAGE/said"
	grep -q '^warn trust grade D -> sandbox key passphrase$' "$STAGE/said"
	grep -qF "warn mode -> sandbox policy accept -C '$STAGE/a b'" \
	    "$STAGE/said"
	facts 'if f["result"] == "FAIL": print(f["repair"]); break' \
	    > "$STAGE/line"
	eval "$(cat "$STAGE/line")"
	run -0 sandbox doctor -C "$STAGE/a b" --state "$STAGE/st"
}
