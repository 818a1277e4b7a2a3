#!/usr/bin/env bats
# doctor proves every connected agent's door: it runs what is registered, and
# finds what somebody broke.

load helper

OTHERS='codex gemini cursor windsurf copilot cline opencode'

setup()
{
	project_setup
	mkdir "$STAGE/bin"
	cp "$BUILD/sandbox" "$BUILD/pretooluse" "$BUILD/sandbox-gate" \
	    "$BUILD"/sandbox-{runner,mcp,fetch,proxy} "$STAGE/bin/"
	for p in posttooluse sessionstart configchange; do
		ln "$STAGE/bin/pretooluse" "$STAGE/bin/$p"
	done
	export PATH="$STAGE/clients:/usr/bin:/bin"
	mkdir "$STAGE/clients"
}
teardown() { project_teardown; }

sandbox() { "$STAGE/bin/sandbox" "$@"; }

flags() { for a in $OTHERS; do printf -- '--%s ' "$a"; done; }

# What a person's "trust all" in Codex's /hooks leaves behind.
trust()
{
	mkdir -p "$HOME/.codex"
	python3 - "$PWD" > "$HOME/.codex/config.toml" <<-'E'
	import hashlib, json, re, sys
	root = sys.argv[1]
	file = root + "/.codex/hooks.json"
	print('model = "x" # mine\n[projects."%s"]\ntrust_level = "trusted"'
	      % root)
	for event, groups in json.load(open(file))["hooks"].items():
	    for i, group in enumerate(groups):
	        name = re.sub("(?<!^)([A-Z])", r"_\1", event).lower()
	        entry = {"async": False, **group["hooks"][0]}
	        text = json.dumps({"event_name": name, "hooks": [entry]},
	                          sort_keys=True, separators=(",", ":"))
	        print('[hooks.state."%s:%s:%d:0"]\ntrusted_hash = "sha256:%s"' %
	              (file, name, i, hashlib.sha256(text.encode()).hexdigest()))
	E
}

@test "nothing is connected" {
	sandbox init
	run -1 sandbox doctor
	[[ $output == *"no agent is connected"*"repair: sandbox init --claude"* ]]
}

@test "all doors at once, and every one refuses" {
	# shellcheck disable=SC2046
	sandbox init --claude $(flags)
	trust
	run -0 sandbox doctor
	for a in $OTHERS; do
		[[ $output == *"ok    $a: registered"* ]]
		[ "$(grep -c "^ok .*$a: .* refuses" <<< "$output")" -eq 2 ]
		[[ $output == *"$a: not covered"* ]]
	done
	[[ $output == *"codex: trust"*"folder and hooks are trusted"* ]]
	[[ $output != *FAIL* ]]
	run -0 sandbox doctor --json
	python3 -c 'import json,sys
for f in json.loads(sys.argv[1]):
    assert set(f) == {"check", "result", "text", "repair"}, f
    assert f["result"] != "FAIL", f' "$output"
}

@test "a worker that says nothing, a hook that is gone: every door says FAIL" {
	# shellcheck disable=SC2046
	sandbox init $(flags)
	trust
	# A gate that lets everything pass.
	printf '#!/bin/sh\nprintf "A 0 0 0\\nE\\n"\n' > "$STAGE/gate"
	chmod +x "$STAGE/gate"
	mv "$STAGE/gate" "$STAGE/bin/sandbox-gate"
	run -1 sandbox doctor
	for a in $OTHERS; do
		grep -q "^FAIL  $a: .* refuses  *the hook did not refuse" \
		    <<< "$output"
		[[ $output == *"repair: make install"* ]]
	done
}

@test "a registration that somebody edited, and one that is gone" {
	sandbox init --gemini --cursor --opencode --cline
	sed -i 's/86400000/1/' .gemini/settings.json
	sed -i 's/"failClosed":true/"failClosed":false/' .cursor/hooks.json
	sed -i 's/"none"/"deny"/' .opencode/plugin/sandbox.js
	rm .clinerules/hooks/PreToolUse
	run -1 sandbox doctor
	for a in gemini cursor opencode cline; do
		[[ $output == *"FAIL  $a: registered"* ]]
	done
	sandbox init --gemini --cursor --opencode --cline
	run -0 sandbox doctor
}

@test "what switches hooks off is found" {
	sandbox init --gemini
	sed -i 's/^{/{"hooksConfig":{"enabled":false},/' .gemini/settings.json
	run -1 sandbox doctor
	[[ $output == *"hooksConfig.enabled"* ]]
	sed -i 's/"enabled":false/"enabled":true/' .gemini/settings.json
	run -0 sandbox doctor
	python3 - <<-'E'
	import json
	v = json.load(open(".gemini/settings.json"))
	mine = v["hooks"]["BeforeTool"][0]["hooks"][0]["command"]
	v["hooksConfig"]["disabled"] = ["somebody's", mine]
	json.dump(v, open(".gemini/settings.json", "w"))
	E
	run -1 sandbox doctor
	[[ $output == *"'hooksConfig.disabled' names a hook of ours"* ]]
	run -6 sandbox init --gemini
	sed -i 's/"disabled"/"nobody"/' .gemini/settings.json
	run -0 sandbox doctor
	# The user's own settings hold for every project.
	mkdir -p .gemini "$HOME/.gemini"
	echo '{"hooksConfig": {"enabled": false}}' > "$HOME/.gemini/settings.json"
	run -1 sandbox doctor
	[[ $output == *"$HOME/.gemini/settings.json"*"hooksConfig.enabled"* ]]
	echo '{"theme": "x" /* mine */}' > "$HOME/.gemini/settings.json"
	run -0 sandbox doctor
	echo LD_PRELOAD=/x.so > .gemini/.env
	run -1 sandbox doctor
	[[ $output == *LD_PRELOAD* ]]
}

@test "Codex: hooks that its settings switch off" {
	mkdir .codex
	for off in '[features]\nhooks = false' 'features.hooks = false' \
	    'features = { web = true, hooks = false }'; do
		printf "$off\n" > .codex/config.toml
		run -6 sandbox init --codex
		[[ $output == *"'.codex/config.toml'"*"features.hooks"* ]]
		[ ! -e .sandbox ]
	done
	printf '[features]\nhooks = true\n' > .codex/config.toml
	sandbox init --codex
	trust
	run -0 sandbox doctor
	printf '\n[features]\nhooks = false\n' >> "$HOME/.codex/config.toml"
	run -1 sandbox doctor
	[[ $output == *"FAIL  codex: settings"*"$HOME/.codex/config.toml"*"features.hooks"* ]]
	trust
	# One hook, as `/hooks` does it.
	sed -i '/pre_tool_use:0:0/a enabled = true' "$HOME/.codex/config.toml"
	run -0 sandbox doctor
	sed -i 's/^enabled = true/enabled = false/' "$HOME/.codex/config.toml"
	run -1 sandbox doctor
	[[ $output == *"FAIL  codex: trust"*"PreToolUse"*"is switched off"* ]]
	trust
	printf '[features]\nhooks = false\n' > .codex/config.toml
	run -1 sandbox doctor
	[[ $output == *"FAIL  codex: settings"*"$PWD/.codex/config.toml"* ]]
}

@test "Codex: the folder, each hook, and an edit behind the trust" {
	sandbox init --codex
	run -1 sandbox doctor
	[[ $output == *"does not trust this folder"* ]]
	trust
	run -0 sandbox doctor
	sed -i 's/user_prompt_submit:0:0/user_prompt_submit:1:0/' \
	    "$HOME/.codex/config.toml"
	run -1 sandbox doctor
	[[ $output == *"nobody trusted our hook for UserPromptSubmit"* ]]
	trust
	# Somebody's own hook in front: ours is the second, trusted or not.
	sed -i 's/"PreToolUse": \[/&{"hooks":[{"type":"command","command":"x"}]},/' \
	    .codex/hooks.json
	run -1 sandbox doctor
	[[ $output == *"nobody trusted our hook for PreToolUse"* ]]
	trust
	run -0 sandbox doctor
	echo 'x = [' >> "$HOME/.codex/config.toml"
	run -1 sandbox doctor
	[[ $output == *config.toml*line* ]]
}

@test "versions: older is a warning, newer is said, a project's own is not asked" {
	sandbox init --gemini
	client()
	{
		printf '#!/bin/sh\necho "gemini-cli %s (x)"\n' "$1" \
		    > "$STAGE/clients/gemini"
		chmod +x "$STAGE/clients/gemini"
	}
	client 0.60.9
	run -0 sandbox doctor
	[[ $output == *"warn  gemini: version"*"0.60.9, measured with 0.61.0"* ]]
	client 0.61.0
	run -0 sandbox doctor
	[[ $output == *"ok    gemini: version"* ]]
	client 1.0.0
	run -0 sandbox doctor
	[[ $output == *"note  gemini: version"* ]]
	mkdir evil
	printf '#!/bin/sh\ntouch %s/ran\necho 9.9.9\n' "$STAGE" > evil/gemini
	chmod +x evil/gemini
	rm "$STAGE/clients/gemini"
	PATH="$PWD/evil:evil:$PATH" run -0 sandbox doctor
	[ ! -e "$STAGE/ran" ]
	# A neighbour whose name begins alike is no part of the project.
	mkdir "$PWD-clients"
	printf '#!/bin/sh\necho 1.2.3\n' > "$PWD-clients/gemini"
	chmod +x "$PWD-clients/gemini"
	PATH="$PWD-clients:$PATH" run -0 sandbox doctor
	[[ $output == *"note  gemini: version"*"1.2.3, measured with"* ]]
}

@test "below an agent, no program of it is started: not for another project" {
	sandbox init --gemini
	mkdir "$STAGE/other"
	(cd "$STAGE/other" && sandbox init --gemini)
	mkdir evil
	printf '#!/bin/sh\ntouch %s/ran\necho 9.9.9\n' "$STAGE" > evil/gemini
	chmod +x evil/gemini
	PATH="$PATH:$PWD/evil" CLAUDECODE=1 run -0 sandbox doctor -C "$STAGE/other"
	[[ $output == *"note  gemini: version"*"is not asked: an agent started this"* ]]
	[ ! -e "$STAGE/ran" ]
}
