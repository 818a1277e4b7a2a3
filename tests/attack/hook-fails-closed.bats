#!/usr/bin/env bats
# A broken, slow, killed or confused hook does not let a tool run: every row
# ends in one complete denial and exit 0, or, where stdout is gone, in exit 2
# with a reason on stderr.  DESIGN: "a broken, slow, killed, confused hook".

load ../hook

setup() { hook_setup '{"version":1,"limits":{"wait_s":30,"wait_alone_s":1}}'; }
teardown() { hook_teardown; }

# Put another worker beside the guard.
worker()
{
	rm -f "$BIN/sandbox-gate"
	{ echo '#!/bin/sh'; cat; } > "$BIN/sandbox-gate"
	chmod +x "$BIN/sandbox-gate"
}


ask()	# ask CALL-FUNCTION [WRAPPER...]
{
	"$1" > "$T/in"
	shift
	hook "$@" < "$T/in"
}

raw()	# raw WORD... : stdin is the file $T/in as it is
{
	hook "$@" < "$T/in"
}

@test "the rig itself: an allowed call is silent, a forbidden one denied" {
	ask allowed_call
	silent
	call Write '{"file_path":"/etc/x","content":""}' > "$T/in"
	raw
	denied 'DENIED by policy'
}

@test "worker: killed by SEGV, KILL, ABRT, TERM" {
	for sig in SEGV KILL ABRT TERM BUS; do
		echo "kill -$sig \$\$" | worker
		ask allowed_call
		denied 'the gate failed'
	done
}

@test "worker: dies after a complete answer" {
	printf '%s\n' 'printf "A 0 0 0\nE\n"' 'kill -SEGV $$' | worker
	ask allowed_call
	denied 'the gate failed'
	printf '%s\n' 'printf "A 0 0 0\nE\n"' 'exit 1' | worker
	ask allowed_call
	denied 'the gate failed'
}

@test "worker: silence and exit 0" {
	echo 'exit 0' | worker
	ask allowed_call
	denied 'no complete answer'
}

@test "worker: hangs without a word" {
	echo 'exec sleep 60' | worker
	ask allowed_call
	denied 'not answer in time'
}

@test "worker: hangs behind a W" {
	printf '%s\n' 'echo W 1' 'exec sleep 60' | worker
	ask allowed_call
	denied 'not answer in time'
}

@test "worker: hangs behind a W and ignores SIGTERM" {
	printf '%s\n' 'trap "" TERM' 'echo W 1' 'sleep 60' | worker
	ask allowed_call
	denied 'not answer in time'
}

@test "worker: answers, closes the pipe and hangs" {
	printf '%s\n' 'echo W 1' 'printf "A 0 0 0\nE\n"' 'exec >&-' \
	    'exec sleep 60' | worker
	ask allowed_call
	denied 'not answer in time'
}

@test "worker: half answers, surplus, wrong lengths" {
	for answer in 'A 0 0' 'A 0 0 0\n' 'A 0 0 0\nE' 'A 0 0 0\nE\n ' \
	    'A 0 0 0\nE\nE\n' 'A 0 2 0\n{E\n' 'A 0 2 0\n{}x\nE\n' \
	    'A 0 9 0\n{}E\n' 'A 1 0 0\nE\n' 'A 0 00 0\nE\n' 'A 2 0 0\nE\n' \
	    ' A 0 0 0\nE\n' 'A 0 4 0\ntextE\n' 'A 0 3 0\n{}xE\n' 'W 0\nA 0 0 0\nE\n' \
	    'W 99999\nA 0 0 0\nE\n' 'hello' '\n' \
	    'A 0 -1 0\nE\n' 'A 0 99999999999999999999 0\nE\n'; do
		printf 'printf "%s"\n' "$answer" | worker
		ask allowed_call
		denied 'no complete answer'
	done
}

@test "worker: floods the pipe" {
	echo 'exec yes' | worker
	ask allowed_call
	denied 'said too much'
}

@test "worker: missing, not executable, a folder, no program" {
	rm "$BIN/sandbox-gate"
	ask allowed_call
	denied 'the gate failed'
	echo text > "$BIN/sandbox-gate"
	ask allowed_call
	denied 'the gate failed'
	chmod +x "$BIN/sandbox-gate"
	printf '\177ELF' > "$BIN/sandbox-gate"
	ask allowed_call
	denied 'the gate failed'
	rm "$BIN/sandbox-gate"
	mkdir "$BIN/sandbox-gate"
	ask allowed_call
	denied 'the gate failed'
}

@test "guard: a signal at any time says the denial" {
	for sig in SEGV ABRT BUS ILL FPE ALRM TERM INT HUP QUIT USR1 XCPU; do
		printf '%s\n' 'echo W 30' "kill -$sig \$PPID" 'exec sleep 60' |
		    worker
		ask allowed_call
		denied 'Nothing was executed'
	done
}

@test "guard: signals ignored or blocked by who started it change nothing" {
	ask allowed_call perl -MPOSIX -e '
		$SIG{CHLD} = $SIG{TERM} = $SIG{ALRM} = "IGNORE";
		sigprocmask(SIG_BLOCK, POSIX::SigSet->new(1 .. 31));
		exec @ARGV or die'
	silent
	echo 'kill -SEGV $$' | worker
	ask allowed_call perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV or die'
	denied 'the gate failed'
}

@test "input: empty, cut, twice, NUL, not UTF-8, not an object" {
	: > "$T/in"; raw; denied
	printf ' \n' > "$T/in"; raw; denied
	allowed_call > "$T/whole"
	size=$(wc -c < "$T/whole")
	for n in 1 2 40 $((size / 2)) $((size - 2)) $((size - 1)); do
		head -c "$n" "$T/whole" > "$T/in"
		raw
		denied "the hook's input"
	done
	{ cat "$T/whole"; cat "$T/whole"; } > "$T/in"; raw; denied
	sed 's/}$/,"tool_name":"Read"}/' "$T/whole" > "$T/in"; raw
	denied "the hook's input"
	sed 's/}}$/,"file_path":"\/etc\/shadow"}}/' "$T/whole" > "$T/in"; raw
	denied "the hook's input"
	printf '\0' | cat "$T/whole" - > "$T/in"; raw; denied
	sed 's/notes/no\x00tes/' "$T/whole" > "$T/in"; raw; denied
	sed 's/notes/no\\u0000tes/' "$T/whole" > "$T/in"; raw; denied
	sed 's/notes/no\xfftes/' "$T/whole" > "$T/in"; raw; denied
	printf '\357\273\277' | cat - "$T/whole" > "$T/in"; raw; denied
	for text in null true 7 '"x"' '[]' '{}'; do
		echo "$text" > "$T/in"; raw; denied "the hook's input"
	done
}

@test "input: another event or client than the registered one" {
	EVENT=PostToolUse
	allowed_call > "$T/in"
	EVENT=PreToolUse
	raw
	denied 'hook_event_name'
}

@test "input: 9 MB, drained to the end and denied" {
	{
		printf '{"session_id":"s","x":"'
		head -c 9000000 /dev/zero | tr '\0' x
		printf '"}'
	} > "$T/in"
	size=$(wc -c < "$T/in")
	mapfile -t args < <(command_line)
	# dd fails with EPIPE when somebody stops reading.
	dd if="$T/in" bs=65536 2> "$T/dd" | "${args[@]}" > "$T/out"
	[ "${PIPESTATUS[0]}" -eq 0 ]
	grep -q "^$size bytes" "$T/dd"
	status=0 out=$(cat "$T/out") err=
	denied 'larger than 8 MiB'
}

@test "input: 3 MB in a Write pass whole" {
	{
		EVENT=PreToolUse call Write "$(printf '{"file_path":"%s/big",' \
		    "$ROOT")\"content\":\"@\"}" | sed 's/@"}}$//'
		head -c 3000000 /dev/zero | tr '\0' x
		printf '"}}'
	} > "$T/in"
	raw
	silent
}

@test "stdout: closed, full, read-only" {
	call Write '{"file_path":"/etc/x","content":""}' > "$T/in"
	mapfile -t args < <(command_line)
	for gone in '>&-' '> /dev/full' '1< /dev/null' '>&- <&-'; do
		status=0
		sh -c "exec \"\$@\" < '$T/in' 2> '$T/err' $gone" sh \
		    "${args[@]}" || status=$?
		[ "$status" -eq 2 ]
		[ -s "$T/err" ]
	done
}

@test "stdin closed, stderr closed" {
	mapfile -t args < <(command_line)
	hook sh -c 'exec "$@" <&-' sh
	denied
	ask allowed_call sh -c 'exec "$@" 2>&-' sh
	silent
}

@test "arguments: none, half, doubled, unknown" {
	allowed_call > "$T/in"
	for args in '' '--client claude' '--event PreToolUse' '--client' \
	    '--event'; do
		status=0
		# shellcheck disable=SC2086
		"$BIN/pretooluse" $args < "$T/in" > "$T/out" 2> "$T/err" ||
		    status=$?
		[ "$status" -eq 2 ] || { echo "$args: $status"; return 1; }
		[ ! -s "$T/out" ]
		[ -s "$T/err" ]
	done
	for more in '--root /x' '--bogus' '--client-pid 1' 'word' '--event X'; do
		status=0
		# shellcheck disable=SC2086
		"$BIN/pretooluse" --client claude --event PreToolUse --root \
		    "$ROOT" --state "$STATE" $more < "$T/in" > "$T/out" ||
		    status=$?
		out=$(cat "$T/out") err=
		denied
	done
	CLIENT=nobody
	raw
	[ "$status" -eq 0 ]
	grep -q '^{"decision":"block","reason":".*"permissionDecision":"deny"' \
	    "$T/out"
}

@test "place: .sandbox missing, a file, a link, open to others, foreign" {
	mv "$ROOT/.sandbox" "$T/aside"
	ask allowed_call; denied
	echo > "$ROOT/.sandbox"
	ask allowed_call; denied
	rm "$ROOT/.sandbox"; ln -s "$T/aside" "$ROOT/.sandbox"
	ask allowed_call; denied
	rm "$ROOT/.sandbox"; mkfifo "$ROOT/.sandbox"
	ask allowed_call; denied
	rm "$ROOT/.sandbox"; mv "$T/aside" "$ROOT/.sandbox"
	chmod 770 "$ROOT/.sandbox"
	ask allowed_call; denied 'open to others'
	chmod 700 "$ROOT/.sandbox"
	ask allowed_call; silent
}

@test "place: private directory missing, open, another project's" {
	"$BUILD/tests/tools/project" "$T" > "$T/other"
	other=$(sed -n 2p "$T/other")
	mine=$STATE
	STATE=$T/nowhere
	ask allowed_call; denied
	STATE=$other
	ask allowed_call; denied
	STATE=$mine
	chmod 755 "$STATE"
	ask allowed_call; denied 'open to others'
	chmod 700 "$STATE"
	for f in record.json view ledger run audit log.key audit.head \
	    audit/audit.jsonl; do
		mv "$STATE/$f" "$T/aside"
		ask allowed_call; denied
		ln -s "$T/aside" "$STATE/$f"
		ask allowed_call; denied
		rm "$STATE/$f"
		mv "$T/aside" "$STATE/$f"
	done
	ask allowed_call; silent
}

@test "place: files nobody may read" {
	if [ "$(id -u)" -eq 0 ]; then
		drop='setpriv --reuid 65534 --regid 65534 --clear-groups'
		chmod 711 "$T"; chmod -R a+rX "$BIN"
		mkdir "$T/u"; chown 65534:65534 "$T/u"
		$drop "$BUILD/tests/tools/project" "$T/u" > "$T/place" || {
			# The build folder may lie where nobody may go.
			cp "$BUILD/tests/tools/project" "$T/bin/project"
			chmod 755 "$T/bin/project"
			$drop "$T/bin/project" "$T/u" > "$T/place"
		}
		{ read -r ROOT; read -r STATE; } < "$T/place"
	else
		drop=env
	fi
	# shellcheck disable=SC2086
	ask allowed_call $drop; silent
	for f in "$ROOT/.sandbox" "$STATE" "$STATE/view" \
	    "$STATE/view/policy.accepted" "$STATE/view/approvers" \
	    "$STATE/log.key" "$STATE/audit/audit.jsonl" "$STATE/record.json"; do
		mode=$(stat -c %a "$f")
		chmod 000 "$f"
		# shellcheck disable=SC2086
		ask allowed_call $drop; denied
		chmod "$mode" "$f"
	done
	# shellcheck disable=SC2086
	ask allowed_call $drop; silent
}

@test "place: somebody else's" {
	if [ "$(id -u)" -ne 0 ]; then
		# A plain user cannot give files away; root's /usr is foreign.
		STATE=/usr
		ask allowed_call; denied
		return
	fi
	for f in "$ROOT/.sandbox" "$STATE" "$STATE/view" \
	    "$STATE/view/policy.accepted" "$STATE/log.key"; do
		chown 65534 "$f"
		ask allowed_call; denied
		chown 0 "$f"
	done
	ask allowed_call; silent
}

@test "policy: accepted copy corrupt in any way" {
	f=$STATE/view/policy.accepted
	cp "$f" "$T/good"
	size=$(wc -c < "$f")
	for n in 0 1 20 200 $((size - 1)); do
		head -c "$n" "$T/good" > "$f"
		ask allowed_call; denied
	done
	for at in 3 30 90 150 200 $((size - 5)); do
		perl -e 'local $/; open F, "<", shift; $_ = <F>;
		    my $c = ord(substr($_, $ARGV[0], 1)) ^ 1;
		    substr($_, $ARGV[0], 1) = chr($c); print' \
		    "$T/good" "$at" > "$f"
		ask allowed_call; denied
	done
	{ cat "$T/good"; echo; } > "$f"
	ask allowed_call; denied
	: > "$STATE/view/approvers"
	cp "$T/good" "$f"
	ask allowed_call; denied
}

@test "limits: descriptors" {
	for n in 3 4 5 6 7 8 9 10 11 12 14 16; do
		call Write '{"file_path":"/etc/x","content":""}' > "$T/in"
		raw sh -c "ulimit -n $n; exec \"\$@\"" sh
		denied
	done
}

@test "limits: memory" {
	for kib in 1000 1500 2000 2500 3000 4000 6000 8000 12000 16000 24000 \
	    32000; do
		call Write '{"file_path":"/etc/x","content":""}' > "$T/in"
		raw perl -e 'require "syscall.ph" if 0;
		    my $k = shift; my $l = pack("QQ", $k * 1024, $k * 1024);
		    exec "/bin/sh", "-c", "ulimit -v $k; exec \"\$@\"", "sh",
		    @ARGV or die' "$kib"
		denied
	done
}

@test "limits: file size, processor time, processes, stack" {
	call Write '{"file_path":"/etc/x","content":""}' > "$T/in"
	raw sh -c '(ulimit -f 0; exec "$@") | cat' sh
	denied
	raw sh -c 'ulimit -u 0; exec "$@"' sh
	denied
	raw sh -c 'ulimit -s 64; exec "$@"' sh
	denied
}

@test "folder: the working directory is gone" {
	mkdir "$T/gone"
	cd "$T/gone"
	rmdir "$T/gone"
	ask allowed_call
	silent
	CWD=$T/gone ask allowed_call
	denied 'working directory'
	cd /
}

@test "no /proc" {
	ask allowed_call unshare -rm sh -c \
	    'mount -t tmpfs none /proc && exec "$@"' sh
	denied 'no /proc'
}

@test "full disk" {
	cat > "$T/full" <<-'SH'
	set -e
	t=$1 bin=$2 build=$3
	mkdir "$t/small"
	mount -t tmpfs -o size=256k none "$t/small"
	"$build/tests/tools/project" "$t/small" > "$t/place"
	root=$(sed -n 1p "$t/place") state=$(sed -n 2p "$t/place")
	dd if=/dev/zero of="$t/small/fill" bs=1k 2>/dev/null || :
	sed "s#@ROOT@#$root#" "$t/template" > "$t/in"
	exec "$bin/pretooluse" --client claude --event PreToolUse \
	    --root "$root" --state "$state" < "$t/in" > "$t/out" 2> "$t/err"
	SH
	ROOT=@ROOT@
	for c in allowed_call asked_call; do
		rm -rf "$T/small"
		$c > "$T/template"
		status=0
		unshare -rm sh "$T/full" "$T" "$BIN" "$BUILD" || status=$?
		out=$(cat "$T/out") err=$(cat "$T/err")
		denied
	done
}

@test "no inotify instance: polls and works" {
	asked_call > "$T/in"
	mapfile -t args < <(command_line)
	# Somebody takes the request back: the hook must notice by itself.
	sed -i 's/"wait_alone_s":1/"wait_alone_s":20/' "$T/policy.json"
	unshare -c --keep-caps sh -c 'echo 0 > /proc/sys/user/max_inotify_instances &&
	    exec "$@"' sh "$BUILD/tests/tools/project" "$T" "$T/policy.json" \
	    > "$T/place"
	{ read -r ROOT; read -r STATE; } < "$T/place"
	asked_call > "$T/in"
	mapfile -t args < <(command_line)
	unshare -c --keep-caps sh -c 'echo 0 > /proc/sys/user/max_inotify_instances &&
	    exec "$@"' sh "${args[@]}" < "$T/in" > "$T/out" &
	pid=$!
	until_true one_pending
	before=$(date +%s)
	rm "$ROOT"/.sandbox/escalations/pending/*
	wait "$pid"
	[ $(($(date +%s) - before)) -le 5 ]
	status=0 out=$(cat "$T/out") err=
	denied 'taken back'
}

@test "environment of a hostile repository changes nothing" {
	call Write '{"file_path":"/etc/x","content":""}' > "$T/in"
	raw env LD_PRELOAD=/nonexistent/evil.so LD_LIBRARY_PATH=/nonexistent \
	    LD_AUDIT=/nonexistent.so HOME=/nonexistent XDG_STATE_HOME=/x \
	    PATH=/nonexistent GIT_DIR=/x GLIBC_TUNABLES=glibc.malloc.check=3 \
	    CLAUDE_PID=1 TZ=../../etc/passwd LANG='$(id)' SANDBOX_ROOT=/
	denied 'DENIED by policy'
	allowed_call > "$T/in"
	raw env -i
	silent
}

@test "killed while it waits: the request is taken back" {
	asked_call > "$T/in"
	sed -i 's/"wait_alone_s":1/"wait_alone_s":30/' "$T/policy.json"
	"$BUILD/tests/tools/project" "$T" "$T/policy.json" > "$T/place"
	{ read -r ROOT; read -r STATE; } < "$T/place"
	asked_call > "$T/in"
	mapfile -t args < <(command_line)
	for sig in TERM INT KILL SEGV; do
		"${args[@]}" < "$T/in" > "$T/out" 2> "$T/err" &
		pid=$!
		until_true one_pending
		kill -$sig "$pid"
		status=0
		wait "$pid" || status=$?
		if [ "$sig" != KILL ]; then
			out=$(cat "$T/out") err=
			denied
		fi
		until_true none_pending
	done
}

@test "client gone, a shell between: the request is taken back" {
	sed -i 's/"wait_alone_s":1/"wait_alone_s":30/' "$T/policy.json"
	"$BUILD/tests/tools/project" "$T" "$T/policy.json" > "$T/place"
	{ read -r ROOT; read -r STATE; } < "$T/place"
	asked_call > "$T/in"
	mapfile -t args < <(command_line)
	sh -c 'export CLAUDE_PID=$$; in=$1; shift
	    sh -c "in=\$1; shift; \"\$@\" < \"\$in\" > /dev/null; :" sh "$in" "$@"; :' \
	    sh "$T/in" "${args[@]}" &
	pid=$!
	until_true one_pending
	kill -KILL "$pid"
	wait "$pid" || :
	until_true none_pending
}

@test "client gone: the request is taken back" {
	sed -i 's/"wait_alone_s":1/"wait_alone_s":30/' "$T/policy.json"
	"$BUILD/tests/tools/project" "$T" "$T/policy.json" > "$T/place"
	{ read -r ROOT; read -r STATE; } < "$T/place"
	asked_call > "$T/in"
	mapfile -t args < <(command_line)
	sh -c '"$@" < "$0" > /dev/null; :' "$T/in" "${args[@]}" &
	pid=$!
	until_true one_pending
	kill -KILL "$pid"
	wait "$pid" || :
	until_true none_pending
}
