# A jail of one's own for each test: $top/p is the working directory, its
# settings are $top/s.json.  As root the jail belongs to nobody.
bats_require_minimum_version 1.5.0

jail_setup()
{
	umask 022	# what nobody is to run, nobody must reach
	top=$(cd "$(mktemp -d)" && pwd -P)
	mkdir "$top/p" "$top/home"
	user=()
	if [ "$(id -u)" -eq 0 ]; then
		chmod 755 "$top"
		chown nobody "$top/p" "$top/home"
		user=(--user nobody)
	fi
	export HOME=$top/home
	cd "$top/p"
	settings '{"filesystem":{"allowWrite":["."]}}'
}

jail_teardown()
{
	local p
	# What a failed test left behind would hold the runner's pipe.
	for p in ${pid-} ${server-}; do
		kill -KILL "$p" 2>/dev/null || true
	done
	cd /
	chmod -R u+rwX "$top" 2>/dev/null || true
	rm -rf "$top"
}

settings()
{
	printf '%s\n' "$1" >"$top/s.json"
	chmod 644 "$top/s.json"
}

jail()
{
	"$BUILD/sandbox" run "${user[@]}" --settings "$top/s.json" "$@"
}

# In the background, where its pid must be the jail's own.
jail_exec()
{
	exec "$BUILD/sandbox" run "${user[@]}" --settings "$top/s.json" "$@"
}

# A python program of tests/jail that prints its port: $server and $port.
jail_server()
{
	install -m 644 "$SRC/tests/jail/$1" "$top/$1"
	python3 "$top/$1" "${@:2}" >"$top/port" 3>&- &
	server=$!
	wait_for test -s "$top/port"
	port=$(cat "$top/port")
}

# A fact that becomes true, or not within ten seconds.
wait_for()
{
	for _ in $(seq 500); do
		if "$@"; then return 0; fi
		sleep 0.02
	done
	return 1
}
