#!/usr/bin/env bats
# `init --mcp`: the right file, the right root key, nothing else changed; away
# again byte for byte.

load helper

setup() { project_setup; }
teardown() { project_teardown; }

ALL='--mcp --claude --codex --gemini --cursor --windsurf --opencode
    --claude-desktop --vscode --zed'

# entry FILE KEY - the sandbox entry below KEY, as a word list.
entry()
{
	python3 - "$1" "$2" <<'P'
import json, sys
e = json.load(open(sys.argv[1]))[sys.argv[2]]["sandbox"]
c = e["command"]
print(*(c if isinstance(c, list) else [c] + e["args"]))
P
}

@test "alone it is for Claude Code, and what it starts answers" {
	sandbox init --mcp
	words=$(entry .mcp.json mcpServers)
	[ "$words" = "$BUILD/sandbox mcp -C $PWD --state $XDG_STATE_HOME" ]
	[ ! -e .claude ]
	cd /
	out=$(printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sandbox_status"}}\n' |
	    env -i $words)
	[[ $out == *'"status":"ok"'* ]]
	[[ $out == *"$STAGE/proj"* ]]
}

@test "every client: its file and its root key" {
	# shellcheck disable=SC2086
	sandbox init $ALL
	want="$BUILD/sandbox mcp -C $PWD --state $XDG_STATE_HOME"
	[ "$(entry .mcp.json mcpServers)" = "$want" ]
	[ "$(entry .gemini/settings.json mcpServers)" = "$want" ]
	[ "$(entry .cursor/mcp.json mcpServers)" = "$want" ]
	[ "$(entry .vscode/mcp.json servers)" = "$want" ]
	[ "$(entry .zed/settings.json context_servers)" = "$want" ]
	[ "$(entry opencode.json mcp)" = "$want" ]
	[ "$(entry "$HOME/.codeium/windsurf/mcp_config.json" mcpServers)" = \
	    "$want" ]
	[ "$(entry "$HOME/.config/Claude/claude_desktop_config.json" \
	    mcpServers)" = "$want" ]
	python3 -c '
import sys, tomllib
t = tomllib.load(open(".codex/config.toml", "rb"))["mcp_servers"]["sandbox"]
assert [t["command"]] + t["args"] == sys.argv[1].split(), t
assert t["tool_timeout_sec"] == 3600' "$want"
	# Gemini's hooks and its server live in one file.
	grep -q BeforeTool .gemini/settings.json
}

@test "uninstall takes all of it out; what was not there is gone" {
	# shellcheck disable=SC2086
	sandbox init $ALL
	sandbox uninstall
	find . "$HOME" -type f > "$STAGE/left"
	[ ! -s "$STAGE/left" ]
}

@test "foreign bytes stay, and come back exactly" {
	mkdir -p .codex .gemini .vscode .zed .cursor
	printf '{ "mcpServers": { "other": { "command": "x" } } }' > .mcp.json
	printf '// mine\n{\n\t"servers": {\n\t\t"o": {"command": "x"} // y\n\t}\n}\n' \
	    > .vscode/mcp.json
	printf '{\r\n  "context_servers": {},\r\n  "tab_size": 4\r\n}\r\n' \
	    > .zed/settings.json
	printf '# mine\nmodel = "x"\n[mcp_servers.other]\ncommand = "y"' \
	    > .codex/config.toml
	printf '{"theme":"dark"}' > .gemini/settings.json
	printf '{}' > .cursor/mcp.json
	cp -r . "$STAGE/before"
	# shellcheck disable=SC2086
	sandbox init $ALL
	grep -q '// y' .vscode/mcp.json
	grep -q '# mine' .codex/config.toml
	python3 -c '
import tomllib
t = tomllib.load(open(".codex/config.toml", "rb"))["mcp_servers"]
assert set(t) == {"other", "sandbox"}, t'
	# shellcheck disable=SC2086
	sandbox init $ALL > "$STAGE/again"
	sandbox uninstall
	diff -r . "$STAGE/before"
}

@test "twice is once" {
	# shellcheck disable=SC2086
	sandbox init $ALL
	find . "$HOME" -name '*.json' -o -name '*.toml' | grep -v .sandbox |
	    sort | xargs sha256sum > "$STAGE/a"
	# shellcheck disable=SC2086
	sandbox init $ALL
	sha256sum -c --quiet "$STAGE/a"
}

@test "changed since: exactly our entry goes" {
	sandbox init --mcp --codex --gemini
	printf '\n[features]\nhooks = true\n' >> .codex/config.toml
	python3 - <<'P'
import json
s = json.load(open(".gemini/settings.json"))
s["mcpServers"]["mine"] = {"command": "z"}
json.dump(s, open(".gemini/settings.json", "w"))
P
	sandbox uninstall
	[ "$(cat .codex/config.toml)" = "$(printf '\n[features]\nhooks = true')" ]
	python3 -c '
import json
assert json.load(open(".gemini/settings.json")) == {
    "mcpServers": {"mine": {"command": "z"}}}'
}

@test "another server named sandbox, or a file nobody can edit: refused" {
	i=0
	for text in '{"mcpServers":{"sandbox":{"command":"evil"}}}' \
	    '{"mcpServers":[]}' '[]' '{' '{"a":1,"a":2}' \
	    '{"mcpServers":{"sandbox":{"command":"/x/sandbox","args":["run"]}}}'; do
		printf '%s' "$text" > .mcp.json
		run ! sandbox init --mcp
		[[ $output == *"'.mcp.json' is left alone"* ]]
		[ "$(cat .mcp.json)" = "$text" ]
		i=$((i + 1))
	done
	rm .mcp.json
	mkdir -p .codex
	for text in '[mcp_servers.sandbox]' 'mcp_servers = { a = 1 }' \
	    'x = """' 'mcp_servers.sandbox.command = "x"'; do
		printf '%s\n' "$text" > .codex/config.toml
		run ! sandbox init --mcp --codex
		[[ $output == *'to connect Codex (MCP) by hand'* ]]
		[ "$(cat .codex/config.toml)" = "$text" ]
	done
	[ ! -e .sandbox ]
}

@test "an entry of an older place is replaced" {
	sandbox init --mcp
	want=$(entry .mcp.json mcpServers)
	sed -i 's|"-C","[^"]*"|"-C","/old/place"|' .mcp.json
	sandbox init --mcp
	[ "$(entry .mcp.json mcpServers)" = "$want" ]
	[ "$(grep -o '"sandbox"' .mcp.json | wc -l)" -eq 1 ]
}

@test "--dry-run shows it and writes nothing" {
	run -0 sandbox init --mcp --vscode --dry-run
	[[ $output == *'"servers"'* ]]
	[ ! -e .vscode ]
}

@test "doctor starts each server as it is configured, and lists its tools" {
	# shellcheck disable=SC2086
	sandbox init $ALL > "$STAGE/init"
	sandbox doctor > "$STAGE/doctor" || :
	for c in mcp-claude mcp-codex mcp-gemini mcp-cursor mcp-windsurf \
	    mcp-opencode claude-desktop vscode zed; do
		grep -qE "ok +$c: MCP server.*lists its tools" "$STAGE/doctor"
	done
	sed -i 's|"--state"|"--stata"|' .mcp.json
	run ! sandbox doctor
	[[ $output == *'mcp-claude: MCP server'*'not there as it should be'* ]]
}
