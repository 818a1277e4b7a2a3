#!/usr/bin/env bats
# A human decides from a shell: pending, show, approve, deny.

load ../approver

setup() { approver_setup; }
teardown() { approver_teardown; }

@test "pending, show, approve: it runs once and the agent reads the output" {
	frob 'echo out; echo err >&2; exit 3'
	run -0 "$SANDBOX" pending
	[[ $output == *"! ${ID:0:8} claude/s1 "*" waits frob "* ]]
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *"\$ frob 'echo out; echo err >&2; exit 3'"* ]]
	[[ $output == *"sandbox approve $ID --digest $DIGEST"* ]]
	run --separate-stderr -3 approve
	[ "$output" = out ]
	[ "${stderr_lines[0]}" = err ]
	[[ ${stderr_lines[1]} == "sandbox: exit 3 after "*" s" ]]
	run -0 answer
	[[ $output == *'"permissionDecision":"deny"'* ]]
	[[ $output == *'APPROVED and already executed once'* ]]
	[[ $output == *'exit 3 after'*'>>>\nout\nerr\n<<<'* ]]
	[[ $(kinds) == 'genesis policy.accept policy.accept tool.request approval sandbox.started tool.result '* ]]
	run -0 "$SANDBOX" audit verify --full
	run -124 approve
	[[ $output == *'already decided'* ]]
}

@test "the line that show prints can be pasted, from another directory" {
	frob 'pwd'
	cd /
	line=$("$SANDBOX" show -C "$ROOT" "$ID" | grep '^sandbox approve')
	sandbox() { "$SANDBOX" "$@"; }
	run -0 --separate-stderr eval "$line"
	[ "$output" = "$ROOT" ]
}

@test "ids by unique prefix; none and several are 3" {
	frob 'echo a'
	run -0 "$SANDBOX" show "${ID:0:6}"
	run -3 "$SANDBOX" show ffffffffffffffff-
	frob 'echo b'
	# An empty prefix is no prefix.
	run -3 "$SANDBOX" show ''
}

@test "a digest that differs: nothing runs, exit 125" {
	frob "touch $T/ran"
	wrong=$(printf '%s' "$DIGEST" | tr '0-9a-f' '1-9a-f0')
	run -125 "$SANDBOX" approve "$ID" --digest "$wrong"
	[[ $output == *'is not what was shown'* ]]
	[ ! -e "$T/ran" ]
	[ -z "$(ls "$STATE/ledger")" ]
	run -0 approve
	[ -e "$T/ran" ]
}

@test "a shortened digest, none, or a longer one is refused" {
	frob "touch $T/ran"
	for d in "${DIGEST:0:12}" "${DIGEST:0:63}" "${DIGEST}0" ''; do
		run -125 "$SANDBOX" approve "$ID" --digest "$d"
		[[ $output == *'64 digits'* ]]
	done
	run -125 "$SANDBOX" approve "$ID" --digest "${DIGEST^^}"
	run -122 "$SANDBOX" approve "$ID"
	[ ! -e "$T/ran" ]
}

@test "deny with words: nothing runs, the agent reads them" {
	frob "touch $T/ran"
	run -0 "$SANDBOX" deny "$ID" -m 'use staging'
	run -0 answer
	[[ $output == *'DENIED by a human approver'*'use staging'* ]]
	[ ! -e "$T/ran" ]
	[[ $(kinds) == 'genesis policy.accept policy.accept tool.request deny '* ]]
	run -4 "$SANDBOX" deny "$ID"
	run -1 "$SANDBOX" output "$ID"
	[[ $output == *'never ran here'* ]]
	run -0 "$SANDBOX" audit verify --full
}

@test "a third party's MCP tool is allowed once, nothing runs here" {
	ask mcp__db__drop '{"table":"users"}'
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *'the agent itself may do exactly this, once'* ]]
	run -0 approve
	[[ $output == *'the agent itself may do exactly this, once'* ]]
	run -0 answer
	[[ $output == *'"permissionDecision":"allow"'* ]]
	[ ! -e "$STATE/ledger/$ID.started" ]
}

@test "a script changed between show and approve" {
	printf 'echo one\n' > "$T/do.sh"
	ask Bash "{\"command\":\"sh $T/do.sh\"}"
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *"script "*" $T/do.sh"* ]]
	printf 'touch %s/ran\n' "$T" > "$T/do.sh"
	run -125 approve
	[[ $output == *'is not what was shown'* ]]
	[ ! -e "$T/ran" ]
	# Looked at again, it is another digest.
	[ "$(digest_of)" != "$DIGEST" ]
}

@test "the directory was replaced: critical, and it does not run" {
	mkdir sub
	CWD=$ROOT/sub frob "touch $T/ran"
	mv sub gone
	mkdir sub
	run -0 "$SANDBOX" show "$ID"
	[[ $output == '!!! CRITICAL'* ]]
	[[ $output == *'misdescribes itself'*'is another directory'* ]]
	run -125 approve
	[ ! -e "$T/ran" ]
}

@test "pending: --json, --wait, --all" {
	run -0 "$SANDBOX" pending --json
	[ "$output" = '{"pending":[],"more":0}' ]
	run -1 "$SANDBOX" pending --wait 0
	("$SANDBOX" pending --wait 30 > "$T/waited" 3>&-; echo done >> "$T/waited") 3>&- &
	waiting=$!
	frob 'echo x'
	wait "$waiting"
	grep -q "${ID:0:8}" "$T/waited"
	run -0 "$SANDBOX" pending --json
	[[ $output == '{"pending":[{"id":"'$ID'","digest":"'$DIGEST'","tier":"medium","tool":"Bash","summary":"frob'* ]]
	[[ $output == *'"waiter":true'* ]]
	run -0 approve
	run -0 answer
	run -0 "$SANDBOX" pending
	[ -z "$output" ]
	run -0 "$SANDBOX" pending --all
	[[ $output == *"${ID:0:8}"*"(closed)"* ]]
}

@test "show names the smallest rule that would allow it, to a human only" {
	frob 'echo x'
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *'allow by {"id":"choose-a-name","match":{"program":"frob","args":["echo x"]},"verdict":"allow"}'* ]]
	run -0 env CLAUDECODE=1 "$SANDBOX" show "$ID"
	[[ $output == *'rule     unknown_command'* && $output != *'allow by'* ]]
	# It does.
	policy '{"version":1,"rules":[{"id":"a","match":{"program":"frob","args":["echo x"]},"verdict":"allow"}]}'
	run -0 "$SANDBOX" explain "frob 'echo x'"
	[[ $output == *'verdict  allow'* ]]
}

@test "show --json has every key, and says that the same call ran" {
	frob 'exit 4'
	run -4 approve
	run -0 answer
	frob 'exit 4'
	run -0 "$SANDBOX" show --json "$ID"
	for key in id digest state tier rule why tool input cwd project \
	    session agent agent_says effects misdescribed hidden_chars scripts \
	    executor expires_s waiter same_call similar signals paste; do
		[[ $output == *"\"$key\":"* ]]
	done
	[[ $output == *'"same_call":[{"id":"'*'","ago_s":'*',"exit":"exit:4"}]'* ]]
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *'ran 1 times'* ]]
}

@test "show says what became of similar calls, in words that were signed" {
	local denied
	frob 'exit 4'
	run -4 approve
	run -0 answer
	frob 'exit 5'
	denied=$ID
	run -0 "$SANDBOX" deny "$ID" -m 'use staging'
	run -0 answer
	frob 'echo x'			# not alike
	run -0 "$SANDBOX" show "$ID"
	[[ $output != *similar* ]]
	frob 'exit 6'
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *", session "*", request 3, pending"* ]]
	[[ $output == *'similar  1 ran, last exit 4; 1 denied, last with "use staging"'* ]]
	run -0 "$SANDBOX" show --json "$ID"
	[[ $output == *'"similar":{"session":2,"ran":1,"allowed":0,"denied":1,"outcome":"exit 4","text":"use staging"}'* ]]
	sed -i 's/use staging/all is fine/' .sandbox/escalations/*/"$denied-a"
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *'; 1 denied'* && $output != *'all is fine'* ]]
}

@test "Write and Edit are done as the agent's tools would" {
	policy '{"version":1,"triggers":{"write_outside":"escalate"}}'
	ask Write "{\"file_path\":\"$T/fresh/a.txt\",\"content\":\"one\\ntwo\\n\"}"
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *$'\n+ one\n+ two\n'* ]]
	[ ! -e "$T/fresh" ]
	run -0 approve
	[ "$(cat "$T/fresh/a.txt")" = $'one\ntwo' ]
	run -0 answer
	[[ $output == *"File created successfully at: $T/fresh/a.txt"* ]]

	ask Edit "{\"file_path\":\"$T/fresh/a.txt\",\"old_string\":\"o\",\"new_string\":\"0\"}"
	run -1 approve
	[[ $output == *'Found 2 matches of the string to replace, but replace_all is false'* ]]
	[ "$(cat "$T/fresh/a.txt")" = $'one\ntwo' ]

	ask Edit "{\"file_path\":\"$T/fresh/a.txt\",\"old_string\":\"two\",\"new_string\":\"2\",\"replace_all\":false}"
	run -0 approve
	[ "$(cat "$T/fresh/a.txt")" = $'one\n2' ]
}

@test "Read outside is done here, numbered as the tool does" {
	policy '{"version":1,"triggers":{"read_outside":"escalate"}}'
	printf 'alpha\nbeta\n' > "$T/r.txt"
	ask Read "{\"file_path\":\"$T/r.txt\"}"
	run -0 approve
	[ "${lines[0]}" = $'     1\talpha' ]
	[ "${lines[1]}" = $'     2\tbeta' ]
	run -0 answer
	[[ $output == *'alpha'* ]]
}

@test "a link put in the way after show is not followed" {
	policy '{"version":1,"triggers":{"write_outside":"escalate"}}'
	mkdir "$T/a" "$T/b"
	ask Write "{\"file_path\":\"$T/a/f\",\"content\":\"x\"}"
	rmdir "$T/a"
	ln -s b "$T/a"
	run approve
	[ "$status" -ne 0 ]
	[ ! -e "$T/b/f" ]
}

# A disk of its own that has no byte left, but what its last page has.
on_a_full_disk()
{
	local change
	change="cp '$LOG' '$T/log' && mount -t tmpfs -o size=64k,mode=700 none \
	    '$STATE/audit' && cp '$T/log' '$LOG' && chmod 600 '$LOG' &&
	    { cat /dev/zero > '$STATE/audit/rest' 2> '$T/full'; :; }"
	if [ "$(id -u)" -eq 0 ]; then
		unshare -m sh -c "$change"' && exec "$@"' sh "$@"
	else
		unshare -c --keep-caps -m sh -c "$change"' && exec "$@"' sh "$@"
	fi
}

@test "a decision that the log has no room for is not used up" {
	LOG=$STATE/audit/audit.jsonl
	frob "echo ran >> $T/ran"
	run -128 on_a_full_disk "$SANDBOX" approve "$ID" --digest "$DIGEST"
	[[ $output == *'no room for a decision in the log: No space left'* ]]
	[ ! -e "$T/ran" ]
	[ -e ".sandbox/escalations/pending/$ID" ]
	run -0 approve
	[ "$(cat "$T/ran")" = ran ]
}
