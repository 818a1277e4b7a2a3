#!/usr/bin/env bats
# Real work in a jail: the programs people use, and what they leave behind.
# What only a developer's machine has (node, npm, pip, java, a browser) is in
# tests/e2e/jail-work.bats.

load ../jail

setup() { jail_setup; }

teardown() {
	[ ! -s "$top/sshd.pid" ] || kill "$(cat "$top/sshd.pid")"
	jail_teardown
}

allow() {
	settings "{\"filesystem\":{\"allowWrite\":[\".\"]},\"network\":{\"allowedDomains\":[\"$1\"]}}"
}

# A bare repository outside, where the jail cannot write.
repository() {
	mkdir "$top/repos"
	git init -q --bare -b main "$top/repos/r.git"
}

# Clone, commit, push and fetch again from $1.
git_round() {
	jail bash -ec 'git clone -q "$1" a
	    cd a
	    git config user.name n
	    git config user.email e@x
	    head -c 300000 /dev/urandom >f
	    git add f
	    git commit -qm "from inside"
	    git push -q origin HEAD:main
	    cd ..
	    git clone -q "$1" b
	    cmp a/f b/f
	    git -C b pull -q
	    git -C b status --short | wc -l' _ "$1"
}

@test "git clones, commits and pushes over http" {
	repository
	jail_server git_http.py "$top/repos"
	allow "127.0.0.1:$port"
	run git_round "http://127.0.0.1:$port/r.git"
	[ "$status" -eq 0 ]
	[[ $output == *0 ]]
	[ "$(git -C "$top/repos/r.git" log --format=%s main)" = "from inside" ]
	# Through the proxy, as a client that asks it for every host does.
	run jail env no_proxy= NO_PROXY= git ls-remote "http://127.0.0.1:$port/r.git"
	[[ $output == *refs/heads/main* ]]
	# What clone wrote works outside.
	[ "$(id -u)" -ne 0 ] || chown -R root a
	git -C a fetch -q
}

@test "git clones, commits and pushes over ssh, and ssh reaches nothing else" {
	repository
	ssh-keygen -q -t ed25519 -N '' -f "$top/hostkey"
	ssh-keygen -q -t ed25519 -N '' -f userkey
	port=$((20000 + $$ % 20000))
	cat >"$top/sshd_config" <<-CONFIG
		Port $port
		ListenAddress 127.0.0.1
		HostKey $top/hostkey
		AuthorizedKeysFile $top/p/userkey.pub
		PidFile $top/sshd.pid
		StrictModes no
		UsePAM no
		PermitRootLogin yes
	CONFIG
	if [ "$(id -u)" -eq 0 ]; then
		mkdir -p /run/sshd
		chown nobody userkey
	fi
	/usr/sbin/sshd -f "$top/sshd_config" -E "$top/sshd.log" 3>&-
	wait_for test -s "$top/sshd.pid"
	allow "127.0.0.1:$port"
	me=$(id -un)
	export GIT_SSH_COMMAND="ssh -F /dev/null -i $top/p/userkey -o BatchMode=yes -o LogLevel=ERROR -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
	settings "{\"filesystem\":{\"allowWrite\":[\".\"]},\"environment\":{\"pass\":[\"GIT_SSH_COMMAND\"]},\"network\":{\"allowedDomains\":[\"127.0.0.1:$port\"]}}"
	run git_round "ssh://$me@127.0.0.1:$port$top/repos/r.git"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(git -C "$top/repos/r.git" log --format=%s main)" = "from inside" ]
	# One character less of the rule, and there is no way.
	allow "127.0.0.1:$((port + 1))"
	run git_round "ssh://$me@127.0.0.1:$port$top/repos/r.git"
	[ "$status" -ne 0 ]
}

@test "gcc and make -j" {
	cat >Makefile <<-'EOF'
		.RECIPEPREFIX = :
		objects := $(foreach i,1 2 3 4 5 6 7 8 9 10 11 12,f$(i).o)
		all: $(objects)
		:$(CC) -o all main.c $(objects)
		f%.o: f%.c
		:$(CC) -c -o $@ $<
		f%.c:
		:echo 'int f$*(void) { return $*; }' >$@
	EOF
	echo 'int f7(void); int main(void) { return f7(); }' >main.c
	run jail make -s -j8 all
	echo "$output"
	[ "$status" -eq 0 ]
	run jail ./all
	[ "$status" -eq 7 ]
}

@test "gdb and strace" {
	echo 'int f(int x) { return x + 1; } int main(void) { return f(2); }' >t.c
	gcc -g -o t t.c
	run jail gdb -q -nx -batch -ex 'break f' -ex run -ex 'print x' \
	    -ex continue ./t
	[[ $output == *"Breakpoint 1, f (x=2)"*'$1 = 2'*"exited with code 03"* ]]
	run jail strace -f -o out sh -c '/bin/true; exit 4'
	[ "$status" -eq 4 ]
	grep -q '"/bin/true"' out
}

@test "python: asyncio, processes, threads and a database" {
	cat >t.py <<-'EOF'
	import asyncio, multiprocessing, sqlite3, sys, threading

	async def main():
	    async def serve(r, w):
	        w.write((await r.readline()).upper())
	        await w.drain()
	        w.close()
	    tcp = await asyncio.start_server(serve, "127.0.0.1", 0)
	    unix = await asyncio.start_unix_server(serve, "sock")
	    r, w = await asyncio.open_connection(*tcp.sockets[0].getsockname())
	    w.write(b"tcp\n")
	    print(await r.readline())
	    r, w = await asyncio.open_unix_connection("sock")
	    w.write(b"unix\n")
	    print(await r.readline())
	    loop, done = asyncio.get_running_loop(), asyncio.Event()
	    threading.Thread(target=lambda: loop.call_soon_threadsafe(
	        done.set)).start()
	    await asyncio.wait_for(done.wait(), 10)
	    p = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
	    print((await p.communicate(b"child\n"))[0])

	def add(n):
	    with sqlite3.connect("db", timeout=20) as db:
	        db.execute("insert into t values (?)", (n,))

	if __name__ == "__main__":
	    asyncio.run(main())
	    with sqlite3.connect("db") as db:
	        db.execute("pragma journal_mode = wal")
	        db.execute("create table t (n)")
	    with multiprocessing.Pool(4) as pool:
	        pool.map(add, range(20))
	    with sqlite3.connect("db") as db:
	        print(*db.execute("select sum(n) from t").fetchone())
	EOF
	run jail python3 t.py
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == *TCP* && ${lines[1]} == *UNIX* && ${lines[2]} == *child* ]]
	[ "${lines[3]}" = 190 ]
}

@test "tmux and vim" {
	# nobody has a login shell that is none.
	run jail env SHELL=/bin/sh bash -ec 'tmux new-session -d -x 80 -y 24 "echo in tmux >t; exec sleep 100"
	    for _ in $(seq 200); do [ -s t ] && break; sleep 0.05; done
	    tmux kill-server; cat t'
	[ "$output" = "in tmux" ]
	echo one >f
	[ "$(id -u)" -ne 0 ] || chown nobody f
	cat >"$top/cmd" <<-END
		#!/bin/bash
		TERM=xterm exec "$BUILD/sandbox" run ${user[@]} --settings "$top/s.json" -- \
		    vim -u NONE -n f
	END
	chmod 755 "$top/cmd"
	mkfifo "$top/keys"
	script -qec "$top/cmd" /dev/null <"$top/keys" >"$top/out" &
	pid=$!
	exec 9>"$top/keys"
	wait_for grep -q one "$top/out"
	printf 'Atwo\033:wq\r' >&9
	wait_for grep -q onetwo f
	exec 9>&-
	wait "$pid"
}

@test "100 MB through standard input and output, and a closed pipe" {
	sum=$(head -c 100000000 /dev/zero | sha256sum)
	[ "$(head -c 100000000 /dev/zero | jail cat | sha256sum)" = "$sum" ]
	[ "$(jail head -c 100000000 /dev/zero | sha256sum)" = "$sum" ]
	run bash -c "\"$BUILD/sandbox\" run ${user[*]} --settings $top/s.json -- yes | head -1; echo \${PIPESTATUS[0]}"
	[ "$output" = "y
141" ]
}

# Namespaces of the kinds we make that some process of ours still is in.
namespaces() {
	local ns
	for ns in mnt net pid ipc uts cgroup user; do
		readlink "/proc/$1/ns/$ns"
	done
}

@test "nothing is left after SIGKILL: processes, files, mounts, namespaces" {
	mark=$((RANDOM + 120000))
	allow "127.0.0.1:9"
	ls -A "$top" "${TMPDIR:-/tmp}" >"$top/before"
	mounts=$(wc -l </proc/self/mountinfo)
	jail_exec -- bash -c "setsid sleep $mark & (sleep $mark &) ; nohup sleep $mark &
	    python3 -c 'import signal, time
for s in range(1, 32):
    try: signal.signal(s, signal.SIG_IGN)
    except OSError: pass
time.sleep($mark)' & touch up; wait" 3>&- &
	pid=$!
	wait_for test -e up
	inner=$(pgrep -f "^setsid sleep $mark|^sleep $mark" | head -1)
	namespaces "$inner" | grep -vxFf <(namespaces self) >"$top/ns"
	[ "$(wc -l <"$top/ns")" -eq 7 ]
	proxy=$(pgrep -P "$pid" sandbox-proxy)
	kill -KILL "$pid"
	wait "$pid" || true
	gone() {
		if pgrep -f "[s]leep.$mark" || kill -0 "$proxy"; then return 1; fi
		readlink /proc/[0-9]*/ns/* | grep -cxFf "$top/ns" | grep -qx 0
	}
	wait_for gone 2>/dev/null
	[ "$(wc -l </proc/self/mountinfo)" -eq "$mounts" ]
	rm "$top/p/up"
	[ -z "$(ls -A "$top/p")" ]
	[ -z "$(ls -A "$top/home")" ]
}
