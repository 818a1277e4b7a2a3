#!/usr/bin/env bats
# Every `$ sandbox ...` line of README.md is run, in order, in a fresh project;
# the manual names every command the program has.

load helper

setup() { project_setup; }
teardown() { project_teardown; }

# A hook call in the background; prints the request's id once it waits.
ask()
{
	local before count
	before=$(sandbox pending --json | grep -o '"id"' | wc -l)
	hook_call Bash "$1" >"$STAGE/answer.$RANDOM" 3>&- &
	for _ in $(seq 200); do
		count=$(sandbox pending --json | grep -o '"id"' | wc -l)
		[ "$count" -gt "$before" ] && break
		sleep 0.05
	done
	sandbox pending --json | grep -o '"id":"[^"]*"' | tail -1 | cut -d'"' -f4
}

digest_of() { sandbox show "$1" --json | grep -o '"digest":"[^"]*"' | cut -d'"' -f4; }

@test "README: every line runs" {
	local id digest line ran=0
	while IFS= read -r line; do
		line=${line#\$ }
		line=${line%%#*}
		case $line in
		"sandbox pending"*) id=$(ask "touch $STAGE/one") ;;
		"sandbox deny"*) id=$(ask "touch $STAGE/two") ;;
		esac
		case $line in *5be0*) digest=$(digest_of "$id") ;; esac
		line=${line//41c9/$id}
		line=${line//5be0…/$digest}
		echo "running: $line"
		eval "$line" <<<q
		ran=$((ran + 1))
	done < <(sed -n '/^```console/,/^```$/p' "$SRC/README.md" | grep '^\$ sandbox')
	[ "$ran" -ge 10 ]
	[ -e "$STAGE/one" ] && [ ! -e "$STAGE/two" ]
	[ ! -e .sandbox ]
}

@test "sandbox(1) names every command, and no other" {
	diff <(sandbox --help | awk '/^  [a-z]/ { print $1 }' | sort) \
	    <(awk '$1 == ".It" && $2 == "Nm" && $3 == "Cm" { print $4 }' \
	    "$SRC/docs/man/sandbox.1" | sort)
}
