#!/usr/bin/env bats
# policy, status, doctor, log, trace, audit, explain as a person meets them.

load helper

setup()
{
	project_setup
	sandbox init --claude >/dev/null
}
teardown() { project_teardown; }

field() { grep -o "\"$1\":\"[^\"]*\"" | head -1 | cut -d'"' -f4; }
state() { sandbox status --json | field state; }

@test "an edited policy changes nothing until a human accepts its bytes" {
	[ -z "$(hook_call Bash 'cat a')" ]
	sed -i 's/"rules": \[\]/"rules": [{"id":"no-cat","match":{"program":"cat"},"verdict":"deny"}]/' \
		.sandbox/policy.json
	[ -z "$(hook_call Bash 'cat a')" ]
	run -1 sandbox policy diff
	[[ $output == *"no-cat"* ]]
	digest=$(echo "$output" | grep -o '[0-9a-f]\{64\}')
	run -5 sandbox policy accept --digest "${digest%??}00"
	CLAUDECODE=1 run -6 sandbox policy accept --digest "$digest"
	[ -z "$(hook_call Bash 'cat a')" ]
	sandbox policy accept --digest "$digest"
	[[ $(hook_call Bash 'cat a') == *'"permissionDecision":"deny"'* ]]
	run -0 sandbox policy diff
	sandbox policy show | grep -q no-cat
	[ "$(sandbox log --kind policy.accept | wc -l)" -eq 2 ]
	sandbox audit verify --full
}

@test "without a terminal and without a digest nothing is accepted" {
	echo '{"version": 1, "preset": "default"}' > .sandbox/policy.json
	run -6 setsid "$BUILD/sandbox" policy accept
	[[ $output == *--digest* ]]
}

@test "a wrong policy is refused with line and column" {
	for verb in check diff try accept; do
		run -2 sandbox policy "$verb" --json
		[[ $output == *'--json goes with show'* ]]
	done
	printf '{\n  "version": 1,\n  "rulez": []\n}\n' > .sandbox/policy.json
	run -8 sandbox policy check
	[[ $output == *"policy.json:3:"*rulez* ]]
	run -8 sandbox policy accept --digest "$(printf '0%.0s' {1..64})"
}

@test "a policy's rules that cannot do anything are named" {
	echo '{"version": 1, "rules": [
		{"id": "a", "match": {"program": "git", "args": ["push"]},
		 "verdict": "allow"},
		{"id": "b", "match": {"program": "git"}, "verdict": "deny"}]}' \
		> .sandbox/policy.json
	run -1 sandbox policy check
	[[ $output == *"'a' never decides: 'b'"* ]]
}

@test "another policy is tried on what was recorded" {
	hook_call Bash 'ls'
	hook_call Bash 'git log'
	echo '{"version": 1, "preset": "strict", "rules": [
		{"id": "no-log", "match": {"program": "git", "args": ["log"]},
		 "verdict": "deny"}]}' > strict.json
	run -1 sandbox policy try -n 10 strict.json
	[[ $output == *"-> deny      git log  (no-log)"* ]]
	[[ $output == *" calls, "*" otherwise; asked or denied: "* ]]
	run -2 sandbox policy try -n 0
	run ! sandbox policy try nosuchfile
}

@test "status says what is so" {
	run -0 sandbox status
	[[ $output == *"hooks registered"* && $output == *"nobody is watching"* ]]
	echo '{"version": 1}' > .sandbox/policy.json
	run -0 sandbox status
	[[ $output == *"differs from it and is not in force"* ]]
	rm .claude/settings.local.json
	run -0 sandbox status --line
	[[ $output == *"NOT connected"* ]]
	mkdir sub
	run -0 sandbox status -C sub --line
	[[ $output == "sandbox: 0 waiting, 0 running, grade D, audit ok, NOT connected" ]]
	cd /
	run -7 sandbox status
	[[ $output == *"sandbox init"* ]]
}

@test "doctor fires the hooks and is content" {
	run -0 sandbox doctor
	[[ $output == *"ok    PreToolUse denies"* ]]
	[[ $output == *"trust grade D"* ]]
}

@test "doctor finds a hook that does not deny" {
	mkdir "$STAGE/copy"
	cp "$BUILD"/{pretooluse,posttooluse,sessionstart,configchange,sandbox,sandbox-*} "$STAGE/copy"
	"$STAGE/copy/sandbox" init --claude >/dev/null
	"$STAGE/copy/sandbox" doctor >/dev/null
	printf '#!/bin/sh\nexit 0\n' > "$STAGE/copy/new"
	chmod +x "$STAGE/copy/new"
	mv "$STAGE/copy/new" "$STAGE/copy/pretooluse"
	run -1 "$STAGE/copy/sandbox" doctor
	[[ $output == *"FAIL  PreToolUse denies"* ]]
}

@test "doctor finds settings that switch hooks off, in every layer" {
	for layer in .claude/settings.json .claude/settings.local.json; do
		cp -a .claude "$STAGE/keep"
		sed 's/{/{"env":{"LD_PRELOAD":"x"},/' <<<'{"a":1}' > "$layer"
		run -1 sandbox doctor
		[[ $output == *"FAIL  settings"* ]]
		rm -rf .claude
		mv "$STAGE/keep" .claude
	done
}

@test "doctor names a multiplexer, and a variable that ends all hooks" {
	TMUX=/tmp/x run -0 sandbox doctor
	[[ $output == *"warn  terminal"*"tmux or screen"* ]]
	CLAUDE_CODE_SIMPLE=1 run -1 sandbox doctor
	[[ $output == *"FAIL  claude: variables"* ]]
}

@test "a -C that is not there is said by every command, a command by its name" {
	for c in 'key list' 'completion bash' mcp judge status 'log -n 1'; do
		# shellcheck disable=SC2086
		run -8 sandbox $c -C /nonexistent < /dev/null
		[ "$output" = "sandbox: cannot open '/nonexistent': No such file or directory" ]
	done
	run -2 sandbox nosuch
	[ "$output" = "sandbox: no such command: 'nosuch'; \`sandbox --help\` lists them" ]
}

@test "log filters, trace tells one story, a wrong prefix says so" {
	hook_call Bash 'cat a' >/dev/null
	hook_call Bash 'rm -rf .sandbox' >/dev/null
	[ "$(sandbox log --kind allow | wc -l)" -eq 1 ]
	[ "$(sandbox log -n 1 | wc -l)" -eq 1 ]
	sandbox log --json | while IFS= read -r l; do
		[[ $l == '{"v":1,"seq":'* ]]
	done
	run -1 sandbox log --kind no-such-kind
	run -3 sandbox trace 0123
	run -2 sandbox trace 'x y'
	run -2 sandbox log -n 0
}

@test "audit verify: ok, then one flipped bit is found with its place" {
	hook_call Bash 'cat a' >/dev/null
	run -0 sandbox audit verify --full
	log="$(state)/audit/audit.jsonl"
	sed -i '2s/policy.accept/policy.accfpt/' "$log"
	run -1 sandbox audit verify
	[[ $output == *"audit.jsonl:2: edited"* ]]
	run -1 sandbox audit verify --json
	[[ $output == *'"kind":"edited"'* ]]
	rm "$log"
	run sandbox audit verify
	[ "$status" -ne 0 ]
}

@test "explain shows effects, verdict and rule" {
	run -0 sandbox explain 'cat a.txt'
	[[ $output == *"read"*"a.txt"*"verdict  allow"* ]]
	run -0 sandbox explain 'rm -rf .sandbox'
	[[ $output == *"verdict  deny"*"self-protection"* ]]
	[[ $output != *"smallest rule"* ]]
	run -0 sandbox explain 'cat x?y*.c'
	[[ $output == *"/x?y*.c  (and perhaps more)"* ]]
	run -0 sandbox explain --json 'cat x?y*.c'
	[[ $output == *'/x?y*.c","certain":false'* ]]
	run -0 sandbox explain 'ls; git push'
	[[ $output == *$'\n      ^^^^^^^^ history\n'*"smallest rule"*'"push"'* ]]
	[[ $output == *"time "*" us"* ]]
	# an agent is not told what would lift the gate
	run -0 env CLAUDECODE=1 "$BUILD/sandbox" explain 'git push'
	[[ $output == *"verdict  escalate"* && $output != *"smallest rule"* ]]
	run -0 sandbox explain --json $'printf "\e[31m"'
	[[ $output == *'"decision"'* && $output != *$'\e'* ]]
	run -0 sandbox explain $'ls \e[31m\u202e'
	[[ $output != *$'\e'* && $output != *$'\u202e'* ]]
}
