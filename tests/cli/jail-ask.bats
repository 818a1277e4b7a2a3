#!/usr/bin/env bats
# `"ask": true`: a host that no rule of the jail knows becomes a request in the
# project's folder.  Root cannot be jailed, so started by root this becomes
# nobody.

bats_require_minimum_version 1.5.0

setup() {
	umask 022
	T=$(mktemp -d)
	chmod 755 "$T"
	mkdir "$T/bin" "$T/w" "$T"/w/{home,p,state,data}
	cp "$BUILD"/{sandbox,sandbox-gate,sandbox-proxy,sandbox-runner,pretooluse,posttooluse,sessionstart,configchange} \
	    "$T/bin"
	chmod 755 "$T"/bin/*
	cp "$SRC"/tests/jail/server.py "$T/w/p"
	[ "$(id -u)" -ne 0 ] || chown -R nobody "$T/w"
	cd "$T/w/p"
	python3 server.py "$T/log" >"$T/port" 3>&- &
	server=$!
	for _ in $(seq 500); do [ -s "$T/port" ] && break; sleep 0.02; done
	port=$(cat "$T/port")
	here=127.0.0.1:$port
	me sandbox init --claude >/dev/null
	policy '"wait_alone_s":60'
	printf '{"network":{"ask":true}}\n' >"$T/s.json"
	chmod 644 "$T/s.json"
}

teardown() {
	kill "$server" 2>/dev/null || true
	[ -z "${runner-}" ] || kill "$runner" 2>/dev/null || true
	cd /
	chmod -R u+rwx "$T"
	rm -rf "$T"
}

me() {
	local program=$1
	shift
	if [ "$(id -u)" -eq 0 ]; then
		set -- setpriv --reuid nobody --regid nogroup --clear-groups \
		    "$T/bin/$program" "$@"
	else
		set -- "$T/bin/$program" "$@"
	fi
	env -i PATH="$PATH" HOME="$T/w/home" LC_ALL=C.UTF-8 \
	    XDG_STATE_HOME="$T/w/state" XDG_DATA_HOME="$T/w/data" "$@"
}

# policy LIMITS: accept one with these limits
policy() {
	printf '{"version":1,"preset":"default","limits":{%s}}\n' "$1" >"$T/policy"
	cp "$T/policy" .sandbox/policy.json
	me sandbox policy accept --digest \
	    "$(me sandbox policy diff | grep -o 'digest [0-9a-f]*' | cut -d' ' -f2)" >/dev/null
}

jail() {
	me sandbox run --settings "$T/s.json" -- "$@"
}

fetch() {
	jail curl -sS -i --noproxy '' "http://$here/$1"
}

waiting() {
	me sandbox pending --json --wait 20 |
	    python3 -c 'import json, sys
for p in json.load(sys.stdin)["pending"]:
    print(p["id"])'
}

decide() { # approve|deny ID ARGS...
	local what=$1 id=$2
	shift 2
	if [ "$what" = deny ]; then
		me sandbox deny "$id" "$@"
		return
	fi
	me sandbox approve "$id" --digest "$(me sandbox show --json "$id" |
	    python3 -c 'import json, sys; print(json.load(sys.stdin)["digest"])')" "$@"
}

arrived() {
	cat "$T/log" 2>/dev/null | wc -l
}

# Many requests at once, one program.
many() {
	jail bash -c 'for i in $(seq "$1"); do
	    curl -sS --noproxy "" "http://$2/m" & done; wait' _ "$1" "$here"
}

@test "approved: the connection that waited goes on, and the request says what it is" {
	fetch one >"$T/out" 2>&1 3>&- &
	runner=$!
	id=$(waiting)
	[ "$(arrived)" -eq 0 ]
	run me sandbox show "$id"
	[[ $output == *jail_host*"http://$here/"* ]]
	[[ $output == *"asked for by a command in the jail"* ]]
	[[ $output == *"reach this host, for what waits now and 60 seconds more"* ]]
	decide approve "$id"
	wait "$runner"
	grep -q '200 OK' "$T/out"
	[ "$(arrived)" -eq 1 ]
	run me sandbox audit verify
	[ "$status" -eq 0 ]
}

@test "denied: refused, in words, and not asked again in this run" {
	jail bash -c 'for i in 1 2; do curl -sS -i --noproxy "" "http://$1/"; done' _ \
	    "$here" >"$T/out" 2>&1 3>&- &
	runner=$!
	decide deny "$(waiting)"
	wait "$runner"
	[ "$(grep -c '403 Denied by sandbox policy' "$T/out")" -eq 2 ]
	grep -q 'a person was asked and said no' "$T/out"
	[ "$(arrived)" -eq 0 ]
	[ "$(me sandbox pending --json | grep -c '"id"')" -eq 0 ]
	# What was held back is in the log, once for the host.
	run me sandbox log --kind jail.violation
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *"refused 127.0.0.1 port $port: a person was asked"* ]]
	# ... and who watches sees it there.
	run me sandbox watch --line --notify none <<<g
	[[ $output == *"jail.violation"*"refused 127.0.0.1 port $port"* ]]
}

@test "nobody there: refused in time, and the request is taken back at the end" {
	policy '"wait_alone_s":1'
	run fetch x
	[[ $output == *"403 Denied"* ]]
	[ "$(arrived)" -eq 0 ]
	[ -z "$(ls .sandbox/escalations/pending)" ]
}

@test "fifty connections at once are one question" {
	many 50 >"$T/out" 2>&1 3>&- &
	runner=$!
	id=$(waiting)
	[ "$(wc -l <<<"$id")" -eq 1 ]
	decide approve "$id"
	wait "$runner"
	[ "$(arrived)" -eq 50 ]
	[ "$(ls .sandbox/escalations/closed | grep -vc -- '-a$')" -eq 1 ]
}

@test "remembered for the run; the next one asks again" {
	fetch one >"$T/out" 2>&1 3>&- &
	runner=$!
	decide approve "$(waiting)" --remember call
	wait "$runner"
	grep -q '200 OK' "$T/out"
	fetch two >"$T/out" 2>&1 3>&- &
	runner=$!
	decide deny "$(waiting)"
	wait "$runner"
	[ "$(arrived)" -eq 1 ]
}

@test "remembered for the project: the next run asks nobody" {
	name() {
		jail curl -sS -i --noproxy '' http://some.invalid/
	}
	name >"$T/out" 2>&1 3>&- &
	runner=$!
	decide approve "$(waiting)" --remember "host:$(date -d '+30 days' +%F)"
	wait "$runner"
	grep -q 'no address is known' "$T/out"	# let through, as far as it goes
	run name
	[[ $output == *"no address is known"* ]]
	[ -z "$(ls .sandbox/escalations/pending)" ]
	run jail curl -sS -i --noproxy '' http://other.invalid/ 3>&- &
	runner=$!
	decide deny "$(waiting)"
	wait "$runner"
}

@test "a contained build reaches the registries that policy names, no other host" {
	fetch_in() { # PROFILE HOST
		me sandbox run --profile "$1" -- curl -sS -o /dev/null \
		    -w '%{http_code}' --noproxy '' "http://$2/" 2>/dev/null
	}
	[ "$(fetch_in project registry.invalid)" = 000 ]	# no proxy at all
	printf '{"version":1,"network":{"registries":["registry.invalid","denied.invalid"],"allow":["other.invalid"],"deny":["denied.invalid"]}}\n' >.sandbox/policy.json
	me sandbox policy accept --digest \
	    "$(me sandbox policy diff | grep -o 'digest [0-9a-f]*' | cut -d' ' -f2)"
	for p in project build; do
		[ "$(fetch_in "$p" registry.invalid)" != 403 ]
		[ "$(fetch_in "$p" registry.invalid)" != 000 ]
		[ "$(fetch_in "$p" other.invalid)" = 403 ]
		[ "$(fetch_in "$p" denied.invalid)" = 403 ]
		[ "$(fetch_in "$p" elsewhere.invalid)" = 403 ]
	done
	[ "$(fetch_in read-only registry.invalid)" = 000 ]
	run me sandbox run --profile project -- bash -c 'echo "$npm_config_cache"'
	[ "$output" = /tmp/.npm ]
}

@test "what lies inside cannot answer" {
	jail bash -c 'ls -A .sandbox; echo x >.sandbox/escalations/answered/x
	    curl -sS -i --noproxy "" "http://$1/"' _ "$here" >"$T/out" 2>&1 3>&- &
	runner=$!
	id=$(waiting)
	# Neither a file of the folder: forged from outside, by the same user.
	printf '{"v":1}' >"$T/forged"
	cp "$T/forged" ".sandbox/escalations/answered/$id-a"
	decide deny "$id" || true
	wait "$runner"
	[ "$(arrived)" -eq 0 ]
	grep -q '403 Denied' "$T/out"
}

@test "without a project, and without ask, an unknown host is refused at once" {
	printf '{}\n' >"$T/s.json"
	run fetch x
	[ "$(arrived)" -eq 0 ]
	printf '{"network":{"ask":true}}\n' >"$T/s.json"
	cd "$T/w/home"
	run fetch x
	[[ $output == *"403 Denied"* ]]
	[ "$(arrived)" -eq 0 ]
}
