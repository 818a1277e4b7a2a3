#!/usr/bin/env bats
# init and uninstall: idempotent, and every byte comes back.

load helper

setup() { project_setup; }
teardown() { project_teardown; }

@test "init twice is init once" {
	sandbox init --claude
	cp -a .claude/settings.local.json "$STAGE/first"
	sandbox init --claude
	cmp .claude/settings.local.json "$STAGE/first"
}

@test "the first two init of a person may run at once: one key, both work" {
	local i n a b
	for i in {1..40}; do
		rm -rf "$XDG_STATE_HOME" "$XDG_DATA_HOME" a b
		mkdir a b
		(cd a && exec "$BUILD/sandbox" init --claude) > a.txt 2>&1 & a=$!
		(cd b && exec "$BUILD/sandbox" init --claude) > b.txt 2>&1 & b=$!
		wait "$a" || { cat a.txt; return 1; }
		wait "$b" || { cat b.txt; return 1; }
		n=$(cat a.txt b.txt | grep -c 'key  *new: ') || :
		[ "$n" = 1 ] || { cat a.txt b.txt; return 1; }
		n=$(sort -u "$XDG_STATE_HOME"/sandbox/*/view/approvers | wc -l)
		[ "$n" = 1 ]
	done
}

@test "several init in one folder at once: one project, one log" {
	for i in 1 2 3 4 5 6 7 8; do
		mkdir "p$i"
		pids=
		for k in 1 2 3 4; do
			(cd "p$i" && exec "$BUILD/sandbox" init) \
			    > "out.$k" 2>&1 &
			pids="$pids $!"
		done
		for p in $pids; do
			wait "$p" || { cat out.*; return 1; }
		done
		sandbox audit verify -C "p$i" > verified || {
			cat verified
			return 1
		}
	done
}

@test "uninstall gives back every byte of an existing file" {
	mkdir .claude
	printf '{\r\n\t"model": "opus",   "permissions": {"allow": []}\r\n}' \
		> .claude/settings.local.json
	chmod 640 .claude/settings.local.json
	cp -a .claude/settings.local.json "$STAGE/before"
	sandbox init --claude
	run ! cmp -s .claude/settings.local.json "$STAGE/before"
	sandbox uninstall
	cmp .claude/settings.local.json "$STAGE/before"
	[ "$(stat -c %a .claude/settings.local.json)" = 640 ]
	[ ! -e .sandbox ]
}

@test "uninstall removes what was not there, the folder too" {
	sandbox init --claude
	sandbox uninstall
	[ ! -e .claude ]
}

@test "uninstall removes what agents in the jail had, a login among it" {
	sandbox init --claude
	key=$(basename "$(ls -d "$XDG_STATE_HOME"/sandbox/*)")
	places=$XDG_STATE_HOME/sandbox-agents
	mkdir -p "$places/$key/claude/deep" "$places/other"
	echo token >"$places/$key/claude/.credentials.json"
	ln -s "$STAGE" "$places/$key/claude/deep/link"
	sandbox uninstall --keep-data
	[ -e "$places/$key/claude/.credentials.json" ]
	sandbox init --claude
	sandbox uninstall
	[ ! -e "$places/$key" ]
	[ -d "$places/other" ]
	[ -d "$STAGE" ]
}

@test "uninstall of a file changed since takes exactly our entries" {
	mkdir .claude
	echo '{"model": "opus"}' > .claude/settings.local.json
	sandbox init --claude
	sed -i 's/opus/haiku/' .claude/settings.local.json
	sandbox uninstall
	[ "$(cat .claude/settings.local.json)" = '{"model": "haiku"}' ]
}

@test "dry run changes nothing" {
	mkdir .claude
	echo '{"model": "opus"}' > .claude/settings.local.json
	run -0 sandbox init --claude --dry-run
	[[ $output == *'-{"model": "opus"}'*'+{"model": "opus", '*pretooluse* ]]
	[ "$(cat .claude/settings.local.json)" = '{"model": "opus"}' ]
	[ ! -e .sandbox ] && [ ! -e "$XDG_STATE_HOME" ] && [ ! -e "$XDG_DATA_HOME" ]
}

@test "a file the client would drop is refused, untouched, with the place" {
	mkdir .claude
	printf '{\n  "model": "opus", // fast\n}\n' > .claude/settings.local.json
	cp .claude/settings.local.json "$STAGE/before"
	run -8 sandbox init --claude
	[[ $output == *"settings.local.json"*"line 2"* ]]
	cmp .claude/settings.local.json "$STAGE/before"
	[ ! -e .sandbox ]
}

@test "settings that change what hooks do are named and refused" {
	mkdir .claude
	echo '{"env": {"LD_PRELOAD": "/tmp/x.so"}}' > .claude/settings.json
	run -6 sandbox init --claude
	[[ $output == *LD_PRELOAD* ]]
	echo '{"env": {"GIT_CONFIG_COUNT": "1"}}' > .claude/settings.json
	run -6 sandbox init --claude
	[[ $output == *GIT_CONFIG_COUNT* ]]
	echo '{"disableAllHooks": true}' > .claude/settings.json
	run -6 sandbox init --claude
	[ ! -e .sandbox ]
}

@test "env files that bend the shell of a hook are named and refused" {
	mkdir .gemini
	for line in LD_PRELOAD=/x.so 'export LD_AUDIT = y' ' BASH_ENV=x' \
	    'PATH: /tmp' $'A=1\rENV=x' 'BASH_FUNC_a%%=x' \
	    $'\xef\xbb\xbfLD_PRELOAD=x' $'\xc2\xa0ENV=x' \
	    $'# a\xe2\x80\xa8LD_AUDIT=x' $'export\xc2\xa0LD_PRELOAD=x'; do
		printf 'A=1\n%s\n' "$line" > .gemini/.env
		run -6 sandbox init --gemini
		[[ $output == *".gemini/.env' sets "* ]]
		[ ! -e .sandbox ]
	done
	printf '# LD_PRELOAD=x\nLDFLAGS=x\nMYPATH=y\nPYTHONPATH=.\nA=\xc3\xa9 b\n' \
	    > .gemini/.env
	echo LD_PRELOAD=x > .env
	run -6 sandbox init --gemini
	run -0 sandbox init --codex
	rm .env
	run -0 sandbox init --gemini
}

@test "a cloned .sandbox without our private record is never adopted" {
	mkdir -m 700 .sandbox
	echo '{"version": 1, "mode": "observe"}' > .sandbox/policy.json
	run -7 sandbox init --claude
	[[ $output == *"remove it"* ]]
	run -7 sandbox status
}

@test "an agent may not init or uninstall" {
	CLAUDECODE=1 run -6 sandbox init --claude
	[ ! -e .sandbox ]
	sandbox init --claude
	AI_AGENT=x run -6 sandbox uninstall
	[ -e .sandbox ]
}

@test "the private data never lies inside the project" {
	run -7 sandbox init --claude --state "$PWD/state"
	[[ $output == *inside* ]]
	[ ! -e .sandbox ]
}

@test "a linked settings file is followed and named" {
	mkdir .claude "$STAGE/dot"
	echo '{"model": "opus"}' > "$STAGE/dot/claude.json"
	ln -s "$STAGE/dot/claude.json" .claude/settings.local.json
	run -0 sandbox init --claude
	[[ $output == *"$STAGE/dot/claude.json"* ]]
	[ -L .claude/settings.local.json ]
	grep -q pretooluse "$STAGE/dot/claude.json"
	sandbox uninstall
	[ "$(cat "$STAGE/dot/claude.json")" = '{"model": "opus"}' ]
}

@test "auto-allow is part of the accepted policy" {
	sandbox init --claude --auto-allow
	sandbox policy show | grep -q '"auto_allow": true'
}

@test "an older installation's entries are replaced, not doubled" {
	sandbox init --claude
	sed -i "s#\"command\":\"[^\"]*/pretooluse\"#\"command\":\"/old/pretooluse\"#" \
		.claude/settings.local.json
	grep -q /old/ .claude/settings.local.json
	sandbox init --claude
	run ! grep -q /old/ .claude/settings.local.json
}

@test "every command prints its help and refuses what it does not know" {
	for c in init uninstall watch pending show approve deny output stop \
	    explain judge policy status doctor log trace audit key; do
		run -0 sandbox "$c" --help
		[[ $output == "usage: sandbox $c"* ]]
		# approve ends with the command's code, ours come on top of 120.
		want=2
		[ "$c" = approve ] && want=122
		run -$want sandbox "$c" --no-such-option
	done
	run -2 sandbox no-such-command
}
