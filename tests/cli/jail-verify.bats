#!/usr/bin/env bats
# sandbox verify proves each claim, and says FAIL when its wall is not there.

load ../jail

setup() {
	jail_setup
	mkdir "$top/bin"
	install -m 755 "$BUILD"/{sandbox,sandbox-gate,sandbox-proxy} "$top/bin"
}

teardown() { jail_teardown; }

verify() {
	"$top/bin/sandbox" verify "${user[@]}" "$@"
}

claims() {
	verify --json | python3 -c 'import json, sys
for c in json.load(sys.stdin)["claims"]: print(c["claim"])'
}

@test "every claim is proven here, or said to be unavailable" {
	run verify
	[ "$status" -eq 0 ]
	[[ $output != *FAIL* ]]
	[ "$(grep -c '^PASS' <<<"$output")" -ge 16 ]
	[ -z "$(compgen -G "${TMPDIR:-/tmp}/sandbox-verify*")" ]
	[ -z "$(ls -A "$HOME")" ]
}

@test "without its wall each claim fails, and no other" {
	n=0
	for claim in $(claims); do
		run verify --without "$claim"
		if grep -q "^UNAVAILABLE *$claim " <<<"$output"; then continue; fi
		echo "$output"
		[ "$status" -eq 1 ]
		[[ $(grep '^FAIL' <<<"$output") == "FAIL "*" $claim "*"the attack works inside" ]]
		[ "$(grep -c '^FAIL' <<<"$output")" -eq 1 ]
		n=$((n + 1))
	done
	[ "$n" -ge 16 ]
}

@test "root needs to become somebody, and claims have names" {
	run "$top/bin/sandbox" verify --without nothing
	[ "$status" -eq 2 ]
	if [ "$(id -u)" -eq 0 ]; then
		run env -u SUDO_UID "$top/bin/sandbox" verify
		[ "$status" -eq 6 ]
	fi
}

@test "doctor says whether a jail can be built, by building one" {
	export XDG_STATE_HOME=$top/state XDG_DATA_HOME=$top/data
	"$BUILD/sandbox" init --claude >/dev/null
	run "$BUILD/sandbox" doctor
	if [ "$(id -u)" -eq 0 ]; then
		[[ $output == *"not tried as root"* ]]
	else
		[[ $output == *"can be built here"* ]]
	fi
	[[ $output == *"user.max_user_namespaces = "*"Landlock ABI "* ]]
}
