#!/usr/bin/env bats
# sandbox run as a user meets it.

load ../jail

setup() { jail_setup; }
teardown() { jail_teardown; }

@test "the status is the command's" {
	run jail -- bash -c 'exit 7'
	[ "$status" -eq 7 ]
	run jail -- bash -c 'kill -TERM $$'
	[ "$status" -eq 143 ]
	run jail -c 'echo one; exit 0'
	[ "$status" -eq 0 ]
	[ "$output" = one ]
}

@test "options end at the command" {
	run jail echo --settings -c
	[ "$status" -eq 0 ]
	[ "$output" = "--settings -c" ]
	run jail
	[ "$status" -eq 2 ]
	run jail -c true true
	[ "$status" -eq 2 ]
}

@test "127 no such program, 126 no program" {
	run -127 jail no-such-program-here
	[ "$status" -eq 127 ]
	[[ $output == *"cannot find 'no-such-program-here'"* ]]
	run -127 jail ./nothing
	echo text >file
	run jail ./file
	[ "$status" -eq 126 ]
}

@test "a mistake in the settings runs nothing and is named" {
	settings '{"filesystem":
  {"denyRaed": []}}'
	run jail touch ran
	[ "$status" -eq 125 ]
	[[ $output == *"line 2, column 4: '/filesystem/denyRaed' is an unknown key"* ]]
	[ ! -e ran ]
}

@test "a host that is none is an error with its place" {
	settings '{"network":{"allowedDomains":["example.org",
  "http://x.test"]}}'
	run jail touch ran
	[ "$status" -eq 125 ]
	[[ $output == *"line 2, column 3: '/network/allowedDomains/1'"*"http://x.test"* ]]
	[ ! -e ran ]
}

@test "root is refused without a user, and as one" {
	if [ "$(id -u)" -eq 0 ]; then
		run env -u SUDO_UID "$BUILD/sandbox" run --settings "$top/s.json" id
		[ "$status" -eq 125 ]
		[[ $output == *"--user"* ]]
		run "$BUILD/sandbox" run --user root --settings "$top/s.json" id
		[ "$status" -eq 125 ]
		run env SUDO_UID=0 "$BUILD/sandbox" run --settings "$top/s.json" id
		[ "$status" -eq 125 ]
		run env SUDO_UID="$(id -u nobody)" "$BUILD/sandbox" run --settings "$top/s.json" id -u
		[ "$output" = "$(id -u nobody)" ]
		run env USER=root LOGNAME=root "$BUILD/sandbox" run --user nobody \
		    --settings "$top/s.json" -- bash -c 'echo $USER $LOGNAME'
		[ "$output" = "nobody nobody" ]
	else
		run "$BUILD/sandbox" run --user root --settings "$top/s.json" id
		[ "$status" -eq 125 ]
		[[ $output == *"only root"* ]]
	fi
}

@test "without settings nothing can be written" {
	cd "$top/p"
	run "$BUILD/sandbox" run "${user[@]}" -- touch x
	[ "$status" -ne 0 ]
	[ ! -e x ]
}

@test "a name that was made is set aside and said" {
	run jail -- bash -c 'echo evil >.bashrc; mkdir -p a/.husky; echo e >a/.husky/pre-push'
	[ "$status" -eq 0 ]
	[[ $output == *"'$top/p/.bashrc' is new and a protected name: it is now '.bashrc.set-aside'"* ]]
	[ ! -e .bashrc ]
	[ "$(cat .bashrc.set-aside)" = evil ]
	[ ! -e a/.husky ]
	[ -e a/.husky.set-aside/pre-push ]
}

@test "a second name does not overwrite what was set aside first" {
	run jail -- bash -c 'echo 1 >.bashrc'
	run jail -- bash -c 'echo 2 >.bashrc'
	[ "$(cat .bashrc.set-aside)" = 1 ]
	[ "$(cat .bashrc.set-aside-2)" = 2 ]
}

@test "what exists under a protected name stays as it is" {
	mkdir .vscode
	echo mine >.vscode/settings.json
	ln -s real .envrc
	echo mine >real
	[ "$(id -u)" -ne 0 ] || chown -hR nobody .
	run jail -- bash -c 'echo x >.vscode/tasks.json; mv .vscode v; rm -rf .vscode;
	    rm -f .envrc; ln -s other .envrc; echo x >real'
	[ "$(ls .vscode)" = settings.json ]
	[ "$(readlink .envrc)" = real ]
	[ "$(cat real)" = mine ]
}

@test "git init and commit work; of their configuration bookkeeping stays" {
	run jail -- bash -c 'git init -q r && cd r && git config user.name n &&
	    git config user.email e && git config core.fsmonitor "touch pwned" &&
	    echo evil >.git/hooks/post-checkout && echo x >f && git add f &&
	    git commit -qm one && git log --oneline | wc -l'
	[ "$status" -eq 0 ]
	[[ $output == 1* || $output == *$'\n1'* ]]
	[ -d r/.git/refs ]
	grep -q 'name = n' r/.git/config
	run grep -q fsmonitor r/.git/config
	[ "$status" -ne 0 ]
	[ ! -e r/.git/hooks/post-checkout ]
}

@test "nothing is left when the jail is killed" {
	mark=$((RANDOM + 40000))
	jail_exec -- bash -c "touch up; sleep $mark & sleep $mark" &
	pid=$!
	wait_for test -e up
	kill -KILL "$pid"
	wait "$pid" || true
	gone() { [ -z "$(pgrep -f "[s]leep $mark")" ]; }
	wait_for gone
}

@test "names are set aside even when the jail is killed" {
	jail_exec -- bash -c "echo evil >.bashrc; touch up; sleep 100" &
	pid=$!
	wait_for test -e up
	kill -KILL "$pid"
	wait_for test -e .bashrc.set-aside
	[ ! -e .bashrc ]
}

# The first process of the jail of $pid; outside, its user may do it harm.
first()
{
	pgrep -P "$pid" -x sandbox
}

as_user()
{
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid nobody --clear-groups "$@"
	else
		"$@"
	fi
}

@test "names are set aside when process 1 is killed from outside" {
	jail_exec -- bash -c "echo evil >.bashrc; touch up; sleep 100" \
	    2>"$top/err" &
	pid=$!
	wait_for test -e up
	as_user kill -KILL "$(first)"
	wait "$pid" && status=0 || status=$?
	[ "$status" -eq 137 ]
	[ ! -e .bashrc ]
	[ "$(cat .bashrc.set-aside)" = evil ]
	grep -q "it is now '.bashrc.set-aside'" "$top/err"
}

@test "names are set aside when process 1 has no descriptors left" {
	jail_exec -- bash -c 'echo evil >.bashrc; touch up
	    until test -e go; do sleep 0.05; done; exit 3' 2>"$top/err" &
	pid=$!
	wait_for test -e up
	as_user prlimit --pid "$(first)" --nofile=1:1
	touch go
	wait "$pid" && status=0 || status=$?
	[ "$status" -eq 3 ]
	[ ! -e .bashrc ]
	grep -q "it is now '.bashrc.set-aside'" "$top/err"
}

@test "a sweep that fails outside too is no success, and loud" {
	settings '{"filesystem":{"allowWrite":["."],"denyWrite":["a/p"]}}'
	run jail -- ln -s .. a
	[ "$status" -eq 137 ]
	[[ $output == *"WHAT THE COMMAND LEFT COULD NOT BE LOOKED THROUGH"* ]]
}

@test "what no descriptors are left for is set aside, and the rest looked at" {
	as_user mkdir a z
	settings '{"filesystem":{"allowWrite":["a","z"]}}'
	run bash -c 'ulimit -n 128; exec "$@"' - "$BUILD/sandbox" run \
	    "${user[@]}" --settings "$top/s.json" -- bash -c 'cd a
	    d=m; for i in $(seq 200); do d=$d/d; done; mkdir -p $d b n ../z
	    for i in $d b n ../z; do echo evil >$i/.zlogout; done'
	[ "$status" -eq 0 ]
	[[ $output == *"too deep to be looked into: it is now"* ]]
	[ ! -e a/b/.zlogout ] && [ ! -e a/n/.zlogout ] && [ ! -e z/.zlogout ]
	[ ! -e a/m/$(printf 'd/%.0s' $(seq 200)).zlogout ]
}

@test "neither process 1 nor what others write outside is held up" {
	mkdir denied
	echo x >denied/file
	mkfifo denied/control
	[ "$(id -u)" -ne 0 ] || chown -R nobody denied
	settings '{"filesystem":{"allowWrite":["."],"denyWrite":["denied"]}}'
	cat >tries.py <<-'EOF'
	import ctypes, errno, fcntl, os, socket, sys
	lib = ctypes.CDLL(None, use_errno=True)
	def ioprio(which, who):
	    if lib.syscall(251, which, who, 3 << 13) == -1:
	        raise OSError(ctypes.get_errno(), "")
	held = os.open("denied/file", os.O_RDONLY)
	idle = os.sched_param(0)
	for name, f in {
	    "scheduler": lambda: os.sched_setscheduler(1, os.SCHED_IDLE, idle),
	    "param": lambda: os.sched_setparam(1, idle),
	    "affinity": lambda: os.sched_setaffinity(1, {0}),
	    "nice": lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),
	    "nice group": lambda: os.setpriority(os.PRIO_PGRP, 1, 19),
	    "nice user": lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
	    "ioprio": lambda: ioprio(1, 1), "ioprio group": lambda: ioprio(2, 1),
	    "ioprio user": lambda: ioprio(3, os.getuid()),
	    "lease": lambda: fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_RDLCK),
	    "pipe": lambda: os.open("denied/control", os.O_WRONLY | os.O_NONBLOCK),
	}.items():
	    try:
	        f()
	        print(name, "worked")
	    except OSError as e:
	        if e.errno not in (errno.EPERM, errno.EACCES):
	            print(name, e)
	os.nice(1); os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
	socket.socketpair()
	print("done")
	EOF
	chmod 644 tries.py
	run jail -- python3 tries.py
	echo "$output"
	[ "$output" = done ]
}

@test "what is closed is not made either, where it is not there" {
	settings '{"filesystem":{"allowWrite":["~"]}}'
	XDG_STATE_HOME=$top/home/st/ run jail -- bash -c 'cd
	    mkdir -p .local/state/sandbox-agents/x st/sandbox/x st/other'
	[ "$status" -eq 0 ]
	[ -e "$top/home/.local/state/sandbox-agents.set-aside" ]
	[ ! -e "$top/home/.local/state/sandbox-agents" ]
	[ ! -e "$top/home/st/sandbox" ] && [ -e "$top/home/st/other" ]
}

@test "a jail leaves some of what watches files to the others" {
	local take='import ctypes; take = ctypes.CDLL(None).inotify_init'
	jail_exec -- python3 -c "$take
while take() != -1: pass
open('up', 'w')
import os, time
while not os.path.exists('go'): time.sleep(0.02)" &
	pid=$!
	wait_for test -e up
	run as_user python3 -c "$take
print(take())"
	touch go
	wait "$pid"
	[ "$output" != -1 ]
}

@test "our own programs stay as they are in a writable place" {
	mkdir bin
	cp "$BUILD"/sandbox{,-gate} bin
	chmod -R a+rX bin
	[ "$(id -u)" -ne 0 ] || chown -R nobody bin
	BUILD=$PWD/bin run jail -- bash -c 'for p in sandbox sandbox-gate pretooluse
	    do echo evil >new; mv -f new bin/$p; done; rm -rf bin; mv bin b'
	cmp bin/sandbox "$BUILD/sandbox"
	cmp bin/sandbox-gate "$BUILD/sandbox-gate"
	[ ! -e bin/pretooluse ]
}

@test "a deep tree does not keep the next command from running" {
	jail -- python3 -c 'import os
for _ in range(300): os.mkdir("d"); os.chdir("d")'
	(ulimit -Sn 128; jail true)
}

# No path leads there, so that it could not be judged when all is open.
@test "a link that lies deeper than paths go is set aside, not kept for later" {
	run jail -- python3 -c 'import os
for _ in range(20): os.mkdir("d" * 250); os.chdir("d" * 250)
os.symlink("x", "x")'
	[ "$status" -eq 0 ]
	[[ $output == *"leads where nobody looks: it is now 'set-aside-"* ]]
}

# Whether it can be looked into is a race, but it must not be silent.
@test "a directory that is closed again and again is looked into, or said" {
	for _ in 1 2 3; do
		rm -f up go
		jail_exec -- bash -c 'mkdir -p d/.vscode; touch up
		    until test -e go; do sleep 0.02; done' 2>"$top/err" &
		pid=$!
		wait_for test -e up
		as_user python3 -c 'import os
open("go", "w")
while os.path.exists("up"):
    for _ in range(1000): os.chmod("d", 0)' &
		server=$!
		wait "$pid" && status=0 || status=$?
		rm up
		wait "$server"
		as_user chmod 700 d
		[ ! -e d/.vscode ] || [ "$status" -eq 137 ]
		as_user rm -rf d
	done
}

@test "a file that is replaced outside loses its mount, and trust" {
	echo mine >.bashrc
	[ "$(id -u)" -ne 0 ] || chown nobody .bashrc
	jail_exec -- bash -c 'touch up; until test -e go; do sleep 0.02; done
	    echo evil >.bashrc' 2>"$top/err" &
	pid=$!
	wait_for test -e up
	as_user bash -c 'echo other >new; mv new .bashrc; touch go'
	wait "$pid"
	[ ! -e .bashrc ]
	grep -q "'$top/p/.bashrc' was not what was there at the start" "$top/err"
}

@test "two jails at once do not hand each other trust" {
	jail_exec -- bash -c 'echo a >.bashrc; git init -q r; touch a1
	    until test -e b1; do sleep 0.02; done
	    rm -f .bashrc r/.git/config; touch a2' &
	pid=$!
	wait_for test -e a1
	jail_exec -- bash -c 'touch b1; until test -e a3; do sleep 0.02; done
	    echo evil >.bashrc
	    printf "[core]\n\tfsmonitor = evil\n" >r/.git/config' 2>"$top/err" &
	second=$!
	wait "$pid"
	touch a3
	wait "$second"
	[ ! -e .bashrc ]
	run ! grep -q evil r/.git/config
	grep -q "it was cleaned (fsmonitor)" "$top/err"
}

@test "a file that comes back under its name is not what was held" {
	jail_exec -- bash -c 'echo evil >.envrc; touch a1
	    until test -e b1; do sleep 0.02; done; ln .envrc f' &
	pid=$!
	wait_for test -e a1
	jail_exec -- bash -c 'touch b1; until test -e a2; do sleep 0.02; done
	    echo more >>f; mv f .envrc' 2>"$top/err" &
	server=$!
	wait "$pid"
	[ ! -e .envrc ]
	touch a2
	wait "$server"
	[ ! -e .envrc ]
	grep -q "was not what was there at the start" "$top/err"
}

@test "a limit of memory is not that of who sweeps" {
	settings '{"filesystem":{"allowWrite":["."]},"limits":{"memory":40000000}}'
	run jail -- bash -c 'ulimit -v; grep "^Max address" /proc/1/limits'
	[[ $output == *"address space"*unlimited*unlimited* ]]
	# Where a control group counts, nobody has that limit.
	[[ $output == *39062* || $output != *"each process by itself"* ]]
}

@test "a writable place that is a file is no riddle" {
	echo old >one
	[ "$(id -u)" -ne 0 ] || chown nobody one
	settings '{"filesystem":{"allowWrite":["one"]}}'
	run jail -- bash -c 'echo new >one'
	[ "$status" -eq 0 ]
	[ "$output" = "" ]
	[ "$(cat one)" = new ]
}

@test "signals arrive, and the command decides" {
	jail_exec -- bash -c 'trap "echo usr1 >got" USR1; trap "exit 9" TERM
	    touch up; while :; do sleep 0.05; done' &
	pid=$!
	wait_for test -e up
	kill -USR1 "$pid"
	wait_for test -e got
	kill -TERM "$pid"
	wait "$pid" && status=0 || status=$?
	[ "$status" -eq 9 ]
}

@test "a signal that is ignored at the start stays so, outside and inside" {
	(trap '' HUP; jail_exec -- bash -c 'grep SigIgn /proc/self/status >ignored
	    trap "exit 7" USR1; touch up; while :; do sleep 0.02; done') 3>&- &
	pid=$!
	wait_for test -e up
	grep -q '0\{15\}1$' ignored
	kill -HUP $pid
	kill -USR1 $pid
	status=0
	wait $pid || status=$?
	pid=
	[ "$status" -eq 7 ]
	# Children are waited for all the same.
	run timeout 20 perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' \
	    "$BUILD/sandbox" run "${user[@]}" --settings "$top/s.json" -- bash -c 'exit 6'
	[ "$status" -eq 6 ]
}

@test "background processes end with the command" {
	mark=$((RANDOM + 80000))
	run jail -- bash -c "setsid sleep $mark & echo done"
	[ "$output" = done ]
	[ -z "$(pgrep -f "[s]leep $mark")" ]
}

@test "a terminal inside is a terminal of its own, and typing arrives" {
	cat >"$top/cmd" <<-END
		#!/bin/bash
		exec "$BUILD/sandbox" run ${user[@]} --settings "$top/s.json" -- \
		    bash -c 'test -t 0 && tty && stty size; read -r line; echo "got:\$line"'
	END
	chmod 755 "$top/cmd"
	run bash -c "(sleep 0.3; echo hello) | script -qec 'stty rows 33 cols 77; $top/cmd' /dev/null"
	[[ $output == *"/dev/pts/0"* ]]
	[[ $output == *"33 77"* ]]
	[[ $output == *"got:hello"* ]]
}

@test "Ctrl-C at the terminal ends the command, not the jail's bookkeeping" {
	# What a script starts with "&" ignores it, and would go on doing so.
	cat >"$top/cmd" <<-END
		#!/bin/bash
		exec env --default-signal=INT "$BUILD/sandbox" run ${user[@]} --settings "$top/s.json" -- \
		    bash -c 'trap "echo int >caught; exit 5" INT; touch up; while :; do sleep 0.05; done'
	END
	chmod 755 "$top/cmd"
	mkfifo "$top/keys"
	script -qec "$top/cmd; echo status=\$?" /dev/null <"$top/keys" >"$top/out" &
	pid=$!
	exec 9>"$top/keys"
	wait_for test -e up
	printf '\003' >&9
	wait_for grep -q status=5 "$top/out"
	exec 9>&-
	kill "$pid" 2>/dev/null || true
	[ "$(cat caught)" = int ]
}

@test "Ctrl-Z stops the jail for the shell, fg goes on" {
	cat >"$top/cmd" <<-END
		#!/bin/bash
		exec "$BUILD/sandbox" run ${user[@]} --settings "$top/s.json" -- \
		    bash -c 'touch up; until test -e go; do sleep 0.05; done; exit 6'
	END
	chmod 755 "$top/cmd"
	mkfifo "$top/keys"
	script -qec "env PS1= bash --norc --noprofile -i" /dev/null <"$top/keys" >"$top/out" &
	pid=$!
	exec 9>"$top/keys"
	echo "$top/cmd" >&9
	wait_for test -e up
	printf '\032' >&9
	wait_for grep -q Stopped "$top/out"
	touch go
	echo 'fg; echo status=$?' >&9
	wait_for grep -q status=6 "$top/out"
	echo exit >&9
	exec 9>&-
	kill "$pid" 2>/dev/null || true
}

@test "the environment is an allow list" {
	run env GITHUB_TOKEN=s3cret SSH_AUTH_SOCK=/x FOO=bar LC_TIME=C \
	    "$BUILD/sandbox" run "${user[@]}" --settings "$top/s.json" -- env
	[[ $output == *LC_TIME=C* ]]
	[[ $output != *s3cret* ]]
	[[ $output != *SSH_AUTH* ]]
	[[ $output != *FOO=* ]]
	[[ $output == *TMPDIR=/tmp* ]]
}

@test "process 1 does not show our command line" {
	run jail -- bash -c 'tr "\0" " " </proc/1/cmdline; echo; echo "$1"' - arg
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == *sandbox* ]]
	[[ $output != *s.json* ]]
	[ "${lines[1]}" = arg ]
}

@test "a descriptor of ours does not get in" {
	echo secret >"$top/secret"
	run bash -c "exec 7<$top/secret; \"$BUILD/sandbox\" run ${user[*]} --settings $top/s.json -- cat /dev/fd/7"
	[ "$status" -ne 0 ]
	[[ $output != *secret$'\n'* ]]
}

@test "a directory as standard input would lead out: nothing runs" {
	run bash -c "\"$BUILD/sandbox\" run ${user[*]} --settings $top/s.json -- cat /proc/self/fd/0/s.json <$top"
	[ "$status" -eq 125 ]
	[[ $output == *"descriptor 0 is a directory"* ]]
}

@test "a file as standard input is read, or said to be out of reach" {
	(echo one; echo two) >"$top/lines"
	chmod 644 "$top/lines"
	jail cat <"$top/lines" | grep -q two
	jail head -1 </proc/cpuinfo
	[ "$(jail cat <<<here)" = here ]
	while read -r line; do
		jail true
		echo "$line" >>"$top/seen"
	done <"$top/lines"
	[ "$(cat "$top/seen")" = "$(cat "$top/lines")" ]
	# Ours; its directory is shut, and where that is root's nobody gets by.
	exec 8<"$top/lines"
	mkdir "$top/shut"
	mv "$top/lines" "$top/shut"
	[ "$(id -u)" -ne 0 ] || chown nobody "$top/shut/lines"
	chmod 000 "$top/shut"
	run jail cat <&8
	exec 8<&-
	if [ "$(id -u)" -eq 0 ]; then
		[ "$status" -eq 125 ]
		[[ $output == *"cat FILE | sandbox run"* ]]
	else
		[ "$output" = $'one\ntwo' ]
	fi
}

@test "no descriptor changes the mode of what was given to be read" {
	local fd kind
	cat >attack.py <<-'EOF'
	import os, sys
	fd = int(sys.argv[1])
	for change in (lambda: os.fchmod(fd, 0o777), lambda: os.utime(fd, (1, 1)),
	        lambda: os.truncate(f"/proc/self/fd/{fd}", 0)):
	    try:
	        change()
	    except OSError:
	        continue
	    os._exit(1)
	EOF
	echo text >"$top/file"
	mkfifo "$top/fifo"
	[ "$(id -u)" -ne 0 ] || chown nobody "$top/file" "$top/fifo"
	chmod 644 "$top/file" "$top/fifo" attack.py
	for fd in 0 1 2; do
		for kind in file fifo; do
			eval "exec 8<>'$top/$kind' 7<'$top/$kind'"
			eval "jail python3 attack.py $fd $fd<&7" || return 1
			[ "$(stat -c %a:%s "$top/$kind")" = "$(
			    [ $kind = file ] && echo 644:5 || echo 644:0)" ]
			exec 7<&- 8<&-
		done
	done
	# The bytes arrive, also in a pipe that is written.
	echo through >"$top/fifo" &
	[ "$(jail cat <"$top/fifo")" = through ]
	cat "$top/fifo" >"$top/read" &
	jail echo back >"$top/fifo"
	wait
	[ "$(cat "$top/read")" = back ]
	run python3 -c 'import os, sys; os.dup2(os.open(sys.argv[1],
	    os.O_PATH), 0); os.execv(sys.argv[2], sys.argv[2:])' \
	    "$top/file" "$BUILD/sandbox" run "${user[@]}" --settings "$top/s.json" true
	[ "$status" -eq 125 ]
	[[ $output == *"not open for reading or writing"* ]]
}

@test "closed standard descriptors are nothing of ours inside" {
	run bash -c "\"$BUILD/sandbox\" run ${user[*]} --settings $top/s.json -- \
	    bash -c 'readlink /proc/self/fd/0 /proc/self/fd/1 >fds 2>&1' <&- >&- 2>&-"
	[ "$status" -eq 0 ]
	run grep -vc '^/dev/null$\|/fds$' fds
	[ "$output" = 0 ]
}

@test "the settings cannot be loosened from inside, nor new ones planted" {
	settings '{"filesystem":{"allowWrite":["'"$top"'"]}}'
	[ "$(id -u)" -ne 0 ] || chown nobody "$top" "$top/s.json"
	run jail -- bash -c "echo '{}' >$top/s.json; mv $top/s.json $top/t; echo x >~/.srt-settings.json;
	    mkdir -p ~/.config/sandbox; echo x >~/.config/sandbox/jail.json"
	grep -q allowWrite "$top/s.json"
	[ ! -e "$HOME/.srt-settings.json" ]
	[ ! -e "$HOME/.config/sandbox" ]
}

@test "the private directory and the keys cannot be read" {
	mkdir -p "$HOME/.local/share/sandbox/keys" "$HOME/.local/state/sandbox"
	echo key >"$HOME/.local/share/sandbox/keys/approver.key"
	[ "$(id -u)" -ne 0 ] || chown -R nobody "$HOME"
	settings "{\"filesystem\":{\"allowRead\":[\"$HOME\"]}}"
	run jail -- cat "$HOME/.local/share/sandbox/keys/approver.key"
	[ "$status" -ne 0 ]
	[ "$output" != key ]
}

@test "no settings open the keys, and a project's that ask for it run nothing" {
	mkdir -p "$HOME/.local/share/sandbox/keys" .sandbox
	echo key >"$HOME/.local/share/sandbox/keys/approver.key"
	chmod -R a+rX .
	[ "$(id -u)" -ne 0 ] || chown -R nobody "$HOME" .sandbox
	for f in keys keys/approver.key ''; do
		settings '{"filesystem":{"allowRead":["~/.local/share/sandbox/'$f'"]}}'
		run jail -- cat "$HOME/.local/share/sandbox/keys/approver.key"
		[ "$status" -eq 1 ]
		[ "$output" != key ]
		cp "$top/s.json" .sandbox/jail.json
		run "$BUILD/sandbox" run "${user[@]}" -- \
		    cat "$HOME/.local/share/sandbox/keys/approver.key"
		[ "$status" -eq 125 ]
		[[ $output == *"'.sandbox/jail.json'"*allowRead* ]]
	done
}

@test "a profile that writes a project is for nothing else" {
	for p in project build; do
		run "$BUILD/sandbox" run "${user[@]}" --profile $p -- touch made
		[ "$status" -eq 125 ]
		[[ $output == *"not in a project"*"sandbox init"* ]]
		[ ! -e made ]
	done
	run "$BUILD/sandbox" run "${user[@]}" --profile read-only -- touch made
	[ "$status" -eq 1 ]
	[ ! -e made ]
	mkdir .sandbox sub
	[ "$(id -u)" -ne 0 ] || chown nobody .sandbox
	cd sub
	run "$BUILD/sandbox" run "${user[@]}" --profile project -- touch ../made
	[ "$status" -eq 0 ]
	[ -e ../made ]
	mkdir .sandbox
	[ "$(id -u)" -ne 0 ] || chown nobody .sandbox
	run "$BUILD/sandbox" run "${user[@]}" --profile project \
	    --project "$top/p" -- touch ../again
	[ "$status" -eq 0 ]
	for p in "$top" "$top/p/sub/" "$top/home"; do
		run "$BUILD/sandbox" run "${user[@]}" --profile project \
		    --project "$p" -- touch made
		[ "$status" -eq 125 ]
		[[ $output == *"is not in the project"* ]]
	done
}

@test "of the connector's folder only answers can be read" {
	mkdir -p .sandbox/out .sandbox/escalations
	echo rules >.sandbox/policy.json
	echo answer >.sandbox/out/1.txt
	chmod -R a+rX .
	[ "$(id -u)" -ne 0 ] || chown -R nobody .
	settings '{"filesystem":{"allowWrite":["."],"allowRead":["."]}}'
	run jail -- cat .sandbox/policy.json
	[ "$status" -ne 0 ]
	run jail -- cat .sandbox/out/1.txt
	[ "$output" = answer ]
	run jail -- bash -c 'mv .sandbox s; rm -rf .sandbox; echo x >.sandbox/policy.json
	    echo x >.sandbox/out/1.txt'
	[ "$(cat .sandbox/policy.json)" = rules ]
	[ "$(cat .sandbox/out/1.txt)" = answer ]
}

# In mounts of one's own, as root has them or as everybody can.
@test "what is hidden is hidden where it is mounted a second time" {
	mkdir "$top/home/.ssh" "$top/home/.ssh/deep" "$top/second" "$top/part" "$top/all"
	echo KEY >"$top/home/.ssh/id"
	echo KEY >"$top/home/.ssh/deep/id"
	chmod -R a+rX "$top"
	settings '{"filesystem":{"allowWrite":["."],"denyRead":["~/.ssh"],"allowRead":["'"$top"'"]}}'
	how=(unshare -m)
	[ "$(id -u)" -eq 0 ] || how=(unshare -Um --map-current-user --keep-caps)
	run "${how[@]}" bash -c 'mount --bind "$1/home/.ssh" "$1/second" &&
	    mount --bind "$1/home/.ssh/deep" "$1/part" &&
	    mount --bind "$1/home" "$1/all" && exec "${@:2}"' _ "$top" \
	    "$BUILD/sandbox" run "${user[@]}" --settings "$top/s.json" -- \
	    bash -c 'cd '"$top"' && cat second/id part/id all/.ssh/id home/.ssh/id; echo done'
	[ "$status" -eq 0 ]
	[[ $output != *KEY* ]]
	[ "$(grep -c "No such file" <<<"$output")" -eq 4 ]
}

@test "a TMPDIR below a place that is private is not promised" {
	mkdir "$top/tmp"
	chmod 777 "$top/tmp"
	cd "$top/p"
	TMPDIR=$top/tmp run jail -- bash -c 'mktemp && [ -d "$TMPDIR" ]'
	[ "$status" -eq 0 ]
}

@test "limits.memory holds for all together, or says for whom it does" {
	settings '{"filesystem":{"allowWrite":["."]},"limits":{"memory":400000000}}'
	cat >use.py <<-'P'
	import sys, time
	b = bytearray(int(sys.argv[1]) << 20)
	open(sys.argv[2], "w").close()
	time.sleep(float(sys.argv[3]))
	print("had it")
	P
	chmod 644 use.py
	run jail -- bash -c 'python3 use.py 800 one 0; echo'
	[[ $output != *"had it"* ]]
	# Two that fit alone and not together.
	run jail -- bash -c 'python3 use.py 250 a 60 & first=$!
	    for i in $(seq 200); do [ -e a ] && break; sleep 0.02; done
	    python3 use.py 250 b 0; kill $first; wait'
	if [[ $output == *"limits.memory holds for each process by itself, not for all together: "* ]]; then
		[[ $output == *"had it"* ]]
	else
		[[ $output != *"had it"* ]]
	fi
}

@test "--debug shows the plan" {
	run jail --debug -- true
	[[ $output == *"write   $top/p"* ]]
}

@test "--report tells what happened as JSON, one object a line" {
	settings '{"filesystem":{"allowWrite":["."]},"network":{"allowedDomains":["a.test"]}}'
	run --separate-stderr jail --report -- bash -c 'echo x >.zshrc
	    curl -sS http://b.test/ http://b.test/ >&2 2>/dev/null; exit 4'
	[ "$status" -eq 4 ]
	python3 - "$stderr" <<-'P'
	import json, sys
	e = [json.loads(l) for l in sys.argv[1].splitlines() if l[0] == "{"]
	refused = [x for x in e if x["event"] == "refused"]
	assert [(x["host"], x["port"]) for x in refused] == [("b.test", 80)], e
	kept = [x for x in e if x["event"] == "kept"]
	assert len(kept) == 1 and ".zshrc" in kept[0]["text"], e
	assert e[-1]["event"] == "end" and e[-1]["status"] == 4, e
	assert e[-1]["kept"] == 1 and e[-1]["refused"] == 2, e
	P
}
