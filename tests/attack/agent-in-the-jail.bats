#!/usr/bin/env bats
# `sandbox run --agent`: trust grade B.  What runs inside, with every right of
# its user, cannot forge, approve, read keys, change its own settings or those
# of other agents, and its hooks work all the same.  Root cannot be jailed, so
# started by root this becomes nobody.

bats_require_minimum_version 1.5.0

setup() {
	umask 022
	T=$(mktemp -d)
	chmod 755 "$T"
	mkdir "$T/bin" "$T/w" "$T/w/home" "$T/w/home/.claude" "$T/w/home/.codex"
	cp "$BUILD"/{sandbox,sandbox-gate,sandbox-mcp,sandbox-proxy,sandbox-runner,pretooluse} \
	    "$BUILD/tests/tools/project" "$T/bin"
	ln "$T/bin/pretooluse" "$T/bin/posttooluse"
	chmod 755 "$T"/bin/*
	echo '{"permissions":{"deny":["Read(x)"]}}' >"$T/w/home/.claude/settings.json"
	echo 'model = "x"' >"$T/w/home/.codex/config.toml"
	echo 'login' >"$T/w/home/.claude/.credentials.json"
	[ "$(id -u)" -ne 0 ] || chown -R nobody "$T/w"
	echo '{"version":1,"limits":{"wait_alone_s":0}}' >"$T/policy.json"
	as_user "$T/bin/project" "$T/w" "$T/policy.json" >"$T/place"
	{ read -r ROOT; read -r STATE; } <"$T/place"
	BASE=${STATE%/sandbox/*}
	as_user mkdir -p "$ROOT/.claude" "$ROOT/.git/hooks"
	as_user tee "$ROOT/.claude/settings.local.json" >/dev/null <<<'{}'
}

teardown() {
	chmod -R u+rwx "$T"
	rm -rf "$T"
}

as_user() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid nobody --regid nogroup --clear-groups \
		    env HOME="$T/w/home" "$@"
	else
		env HOME="$T/w/home" "$@"
	fi
}

# jailed COMMAND...: in the place of the agent
jailed() {
	cd "$ROOT"
	as_user env XDG_DATA_HOME="$T/w/data" "$T/bin/sandbox" run \
	    --state "$BASE" --agent claude -- "$@"
}

# call TOOL FIELD VALUE: what a hook is told
call() {
	python3 -c 'import json, sys
cwd, use, tool, field, value = sys.argv[1:]
print(json.dumps({"session_id": "s", "cwd": cwd,
    "hook_event_name": "PreToolUse", "tool_use_id": use, "tool_name": tool,
    "tool_input": {field: value}}))' "$ROOT" "$@"
}

# A script that the agent inside runs: its hook, with the call of file $1.
hook_inside() {
	printf '%s/pretooluse --client claude --event PreToolUse --root %s --state %s <%s' \
	    "$T/bin" "$ROOT" "$STATE" "$1"
}

log_has() {
	as_user grep -q "$1" "$STATE/audit/audit.jsonl"
}

@test "outside the same attacks work: they prove something" {
	as_user cat "$STATE/log.key" >/dev/null
	as_user touch "$STATE/ledger/x" "$ROOT/.claude/settings.local.json" \
	    "$ROOT/.git/hooks/pre-commit"
	as_user rm "$STATE/ledger/x"
}

@test "the private directory and the keys are not there" {
	run jailed bash -c "ls '$STATE'"
	[ "$status" -eq 0 ]
	[ "$output" = $'record.json\nview' ]
	for f in log.key audit.head audit/audit.jsonl call.key ledger run originals; do
		run jailed bash -c "ls -d '$STATE/$f'"
		[ "$status" -ne 0 ]
	done
	as_user mkdir -p "$T/w/data/sandbox/keys"
	as_user tee "$T/w/data/sandbox/keys/approver.key" >/dev/null <<<secret
	run jailed bash -c "cat '$T/w/data/sandbox/keys/approver.key'"
	[ "$status" -ne 0 ]
	[[ $output != *secret* ]]
}

@test "what decides cannot be changed: policy, approvers, record" {
	for f in view/policy.accepted view/approvers view/new record.json new; do
		run jailed bash -c "echo x >'$STATE/$f'"
		[ "$status" -ne 0 ]
	done
	run jailed bash -c "mv '$STATE/view' '$STATE/gone' || rm -rf '$STATE/view'"
	[ "$status" -ne 0 ]
	as_user test -s "$STATE/view/approvers"
}

@test "the folder of requests is there, and nothing else of .sandbox" {
	jailed bash -c 'echo x >.sandbox/escalations/tmp/x &&
	    mv .sandbox/escalations/tmp/x .sandbox/escalations/pending/x &&
	    rm .sandbox/escalations/pending/x'
	run jailed bash -c 'cat .sandbox/policy.json'
	[ "$status" -ne 0 ]
	run jailed bash -c 'echo x >.sandbox/policy.json'
	[ "$status" -ne 0 ]
	run jailed bash -c 'mv .sandbox/escalations .sandbox/other'
	[ "$status" -ne 0 ]
}

@test "its settings, those of others, hooks and start files stay" {
	for f in .claude/settings.local.json .claude/settings.json .git/hooks/post-checkout; do
		run jailed bash -c "echo x >>'$f'"
		[ "$status" -ne 0 ]
	done
	run jailed bash -c 'echo x >>"$CLAUDE_CONFIG_DIR/settings.json"'
	[ "$status" -ne 0 ]
	run jailed bash -c 'mv "$CLAUDE_CONFIG_DIR/settings.json" "$CLAUDE_CONFIG_DIR/y"'
	[ "$status" -ne 0 ]
	for f in .claude/settings.json .codex/config.toml .bashrc .claude.json; do
		run jailed bash -c "echo PLANTED >>~/$f"
		run ! grep -s PLANTED "$T/w/home/$f"
	done
	# A new one is set aside behind it.
	run jailed bash -c 'echo x >.mcp.json; mkdir -p .gemini; echo {} >.gemini/settings.json'
	[ ! -e "$ROOT/.mcp.json" ]
	[ ! -e "$ROOT/.gemini/settings.json" ]
}

@test "its own place can be written, holds the user's settings, and stays" {
	run jailed bash -c 'cat "$CLAUDE_CONFIG_DIR/settings.json" "$CLAUDE_CONFIG_DIR/.credentials.json"
	    echo kept >"$CLAUDE_CONFIG_DIR/.claude.json"'
	[ "$status" -eq 0 ]
	[[ $output == *'Read(x)'*login* ]]
	run jailed bash -c 'cat "$CLAUDE_CONFIG_DIR/.claude.json"'
	[[ $output == kept* ]]
}

@test "nothing outside leads into what it can write and nobody looks at" {
	jailed bash -c 'mkdir -p s1 s2 s3 .sandbox/escalations/g/{objects,refs}
	    echo "ref: refs/heads/x" >.sandbox/escalations/g/HEAD
	    printf "[core]\n\tfsmonitor = touch pwned\n" >.sandbox/escalations/g/config
	    echo "gitdir: ../.sandbox/escalations/g" >s1/.git
	    ln -s ../.sandbox/escalations/g s2/.git
	    mkdir "$CLAUDE_CONFIG_DIR/c"
	    echo "[build]" >"$CLAUDE_CONFIG_DIR/c/config.toml"
	    ln -s "$CLAUDE_CONFIG_DIR/c" s3/.cargo'
	[ ! -e "$ROOT/s1/.git" ]
	[ ! -e "$ROOT/s2/.git" ]
	[ ! -e "$ROOT/s3/.cargo" ]
}

@test "a link the agent left in its place is not written through" {
	jailed true
	place=$BASE/sandbox-agents/${STATE##*/}/claude
	as_user ln -sf "$T/w/home/.codex/config.toml" "$place/settings.json"
	run jailed true
	[ "$status" -eq 0 ]
	grep -q 'model' "$T/w/home/.codex/config.toml"
	as_user rm -rf "$place"
	as_user ln -s "$T/w/home/.codex" "$place"
	run jailed true
	[ "$status" -eq 125 ]
	[ ! -e "$T/w/home/.codex/settings.json" ]
}

@test "a hook inside lets pass what policy lets pass, and leaves a claim" {
	call t1 Write file_path "$ROOT/new.txt" >"$T/w/call"
	python3 - "$T/w/call" <<-'P'
	import json, sys
	c = json.load(open(sys.argv[1])); c["tool_input"]["content"] = "x"
	json.dump(c, open(sys.argv[1], "w"))
	P
	chmod 644 "$T/w/call"
	cp "$T/w/call" "$ROOT/call"
	run jailed bash -c "$(hook_inside call); echo status \$?"
	[ "$output" = "status 0" ]
	log_has '"kind":"claim"'
	log_has '"claimed":"\(observe\|allow\)"'
	log_has '"kind":"sandbox.started"'
	log_has '"kind":"sandbox.completed".*"status":0'
}

@test "what would be contained runs: it is inside already, and nobody is asked" {
	call t1 Bash command 'make test' >"$ROOT/call"
	run jailed bash -c "$(hook_inside call)"
	[[ $output == *'"permissionDecision":"allow"'* ]]
	[[ $output != *updatedInput* ]]
	[ -z "$(as_user ls "$ROOT/.sandbox/escalations/pending")" ]
}

@test "what must be asked becomes a request in the folder, for the human outside" {
	call t1 Bash command 'sudo id' >"$ROOT/call"
	run jailed bash -c "$(hook_inside call)"
	[[ $output == *'"permissionDecision":"deny"'*PENDING* ]]
	[ "$(as_user ls "$ROOT/.sandbox/escalations/pending" | wc -l)" -eq 1 ]
	# The same again joins it.
	run jailed bash -c "$(hook_inside call)"
	[ "$(as_user ls "$ROOT/.sandbox/escalations/pending" | wc -l)" -eq 1 ]
}

@test "the MCP server inside asks outside as well" {
	cat >"$ROOT/ask.sh" <<-'E'
	{
		echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
		echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
		echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_privileged","arguments":{"command":"sudo id","reason":"r"}}}'
		for i in $(seq 200); do grep -q '"id":1,' out && break; sleep 0.02; done
	} | "$1" mcp -C . --state "$2" >out
	cat out
	E
	run jailed bash ask.sh "$T/bin/sandbox" "$BASE"
	[[ $output == *PENDING* || $output == *pending* ]]
	[ "$(as_user ls "$ROOT/.sandbox/escalations/pending" | wc -l)" -eq 1 ]
	log_has '"claimed":"tool.request"'
}

@test "inside no command of ours approves" {
	call t1 Bash command 'sudo id' >"$ROOT/call"
	jailed bash -c "$(hook_inside call)"
	id=$(as_user ls "$ROOT/.sandbox/escalations/pending")
	digest=$(as_user env XDG_STATE_HOME="$BASE" "$T/bin/sandbox" show -C "$ROOT" "$id" --json |
	    python3 -c 'import json, sys; print(json.load(sys.stdin)["digest"])')
	for c in "approve $id --digest $digest" "deny $id" 'policy accept' 'key new'; do
		run ! jailed bash -c "'$T/bin/sandbox' ${c%% *} -C '$ROOT' --state '$BASE' ${c#* } || exit 1"
	done
	as_user test -e "$ROOT/.sandbox/escalations/pending/$id"
}

@test "a forged answer is not believed by the hook inside" {
	call t1 Bash command 'sudo id' >"$ROOT/call"
	jailed bash -c "$(hook_inside call)"
	as_user tee "$ROOT/forge.sh" >/dev/null <<-'F'
	cd .sandbox/escalations
	id=$(ls pending)
	printf '{"v":1,"id":"%s","project":"%s","outcome":"allow_once","approval":"","approval_sig":"","result":"","result_sig":"","output":"","truncated":false,"out_path":"","text":"","edited":""}' \
	    "$id" "$1" >"answered/$id-a"
	mv "pending/$id" "closed/$id"
	F
	run jailed bash -c "bash forge.sh $(tail -1 "$T/place"); $(hook_inside call)"
	[[ $output == *'"permissionDecision":"deny"'* ]]
	[[ $output != *APPROVED* ]]
}

@test "no host but the agent's own, and no terminal's or engine's socket" {
	run jailed bash -c 'exec 3<>/dev/tcp/127.0.0.1/22'
	[ "$status" -ne 0 ]
	run jailed curl -sS --max-time 10 http://example.com/
	[ "$status" -eq 0 ]
	[[ $output == *policy* ]]
	run jailed bash -c 'ls /tmp /run | grep -E "tmux|screen|dbus|docker|X11|ssh"'
	[ -z "$(grep -v '^sandbox: ' <<<"$output")" ]
	run jailed bash -c 'env | grep -E "^(TMUX|STY|DISPLAY|WAYLAND_DISPLAY|SSH_AUTH_SOCK|DBUS)"'
	[ -z "$(grep -v '^sandbox: ' <<<"$output")" ]
}

@test "an agent nobody knows, and a folder without a project, run nothing" {
	cd "$ROOT"
	run as_user "$T/bin/sandbox" run --state "$BASE" --agent nobody -- touch ran
	[ "$status" -eq 125 ]
	cd "$T/w/home"
	run as_user "$T/bin/sandbox" run --state "$BASE" --agent claude -- touch ran
	[ "$status" -eq 125 ]
	[[ $output == *"sandbox init"* ]]
	[ ! -e ran ]
}
