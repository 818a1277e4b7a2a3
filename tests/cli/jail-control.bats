#!/usr/bin/env bats
# --control-fd: other network rules while the command runs.

load ../jail

setup() {
	jail_setup
	jail_server server.py "$top/log"
	here=127.0.0.1:$port
	mkfifo "$top/control"
}

teardown() { jail_teardown; }

# In the background; what it prints on $top/out.
start() {
	"$BUILD/sandbox" run "${user[@]}" --report --settings "$top/s.json" \
	    --control-fd 7 -- "$@" >"$top/out" 2>&1 7<"$top/control" 3>&- &
	pid=$!
	exec 8>"$top/control"
}

rules() {
	printf '{"network":{"allowedDomains":[%s]}}\n' "$1" >&8
}

# A command that asks once for each file named go-1, go-2, ... that appears.
asker='for i in 1 2 3; do
	until [ -e go-$i ]; do sleep 0.02; done
	curl -sS -o /dev/null -w "%{http_code}\n" --noproxy "" "http://$1/"
    done'

go() {
	touch "$top/p/go-$1"
	wait_for answered "$1"
}

answered() {
	[ "$(grep -cE '^[0-9]{3}$' "$top/out")" -eq "$1" ]
}

replaced() {
	[ "$(grep -c 'rules were replaced' "$top/out")" -eq "$1" ]
}

@test "rules come, change, and act on the next request" {
	start bash -c "$asker" _ "$here"
	go 1
	rules "\"$here\""
	wait_for replaced 1
	go 2
	rules ''
	wait_for replaced 2
	go 3
	wait "$pid"
	[ "$(grep -E '^[0-9]{3}$' "$top/out" | tr '\n' ' ')" = "403 200 403 " ]
}

@test "a line that is no settings is said, and changes nothing" {
	start bash -c "$asker" _ "$here"
	rules "\"$here\""
	wait_for replaced 1
	echo '{"network":{"allowedDomainz":[]}}' >&8
	echo 'nonsense' >&8
	echo '{"filesystem":{"allowWrite":["/"]},"network":{"allowedDomains":["'"$here"'"]}}' >&8
	wait_for replaced 2
	go 1
	touch "$top/p/go-2" "$top/p/go-3"
	wait "$pid"
	[ "$(grep -c 'control line .* is ignored' "$top/out")" -eq 2 ]
	grep -q '^200$' "$top/out"
}

@test "a writer that is gone too early ends the command; later it does not" {
	start sleep 60
	exec 8>&-
	s=0
	wait "$pid" || s=$?
	[ "$s" -ne 0 ]
	grep -q "control-fd is gone" "$top/out"
	# What the command has left by then is said.
	start bash -c 'echo evil >.envrc; touch up; sleep 60'
	wait_for test -e "$top/p/up"
	exec 8>&-
	s=0
	wait "$pid" || s=$?
	[ "$s" -ne 0 ]
	grep -q "it is now '.envrc.set-aside'" "$top/out"
	[ ! -e "$top/p/.envrc" ]
	start bash -c 'until [ -e end ]; do sleep 0.02; done; exit 5'
	rules ''
	wait_for replaced 1
	exec 8>&-
	touch end
	s=0
	wait "$pid" || s=$?
	[ "$s" -eq 5 ]
}

@test "the command finds /dev/null there, and its end is not held up" {
	start bash -c 'readlink /proc/self/fd/7; cat <&7; echo x >&7; echo done'
	wait "$pid"
	grep -q '^/dev/null$' "$top/out"
	grep -q '^done$' "$top/out"
}

@test "a descriptor that is none runs nothing" {
	run "$BUILD/sandbox" run "${user[@]}" --control-fd 1 -- touch ran
	[ "$status" -eq 125 ]
	run "$BUILD/sandbox" run "${user[@]}" --control-fd 77 -- touch ran
	[ "$status" -eq 125 ]
	[ ! -e ran ]
}
