#!/usr/bin/env bats
# A human decides over SSH, through a real sshd on loopback: pending, show,
# approve; and the session that drops while the command runs.

load ../cli/helper

setup()
{
	project_setup
	sandbox init --claude >/dev/null
	ssh-keygen -q -t ed25519 -N '' -f "$STAGE/hostkey"
	ssh-keygen -q -t ed25519 -N '' -f "$STAGE/userkey"
	PORT=$((20000 + $$ % 20000))
	cat > "$STAGE/sshd_config" <<-CONFIG
		Port $PORT
		ListenAddress 127.0.0.1
		HostKey $STAGE/hostkey
		AuthorizedKeysFile $STAGE/userkey.pub
		PidFile $STAGE/sshd.pid
		StrictModes no
		UsePAM no
		PermitRootLogin yes
		AcceptEnv XDG_*
	CONFIG
	[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
	/usr/sbin/sshd -f "$STAGE/sshd_config" -E "$STAGE/sshd.log"
	wait_for test -s "$STAGE/sshd.pid"
}

teardown()
{
	[ ! -s "$STAGE/sshd.pid" ] || kill "$(cat "$STAGE/sshd.pid")"
	project_teardown
}

wait_for()
{
	for _ in $(seq 200); do
		"$@" && return
		sleep 0.05
	done
	cat "$STAGE/sshd.log"
	return 1
}

remote()
{
	ssh -p "$PORT" -i "$STAGE/userkey" -o BatchMode=yes -o LogLevel=ERROR \
	    -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
	    -o SendEnv='XDG_*' "$(id -un)@127.0.0.1" "$BUILD/sandbox" "$@" \
	    -C "$STAGE/proj"
}

field() { grep -o "\"$1\":\"[^\"]*\"" | head -1 | cut -d'"' -f4; }

@test "pending, show and approve over SSH" {
	hook_call Bash "cp /etc/hostname $STAGE/copy" > "$STAGE/answer" 3>&- &
	remote pending --wait 20
	id=$(remote pending --json | field id)
	[ ! -e "$STAGE/copy" ]
	digest=$(remote show "$id" --json | field digest)
	remote approve "$id" --digest "$digest"
	wait
	cmp /etc/hostname "$STAGE/copy"
	grep -q 'already executed once' "$STAGE/answer"
	sandbox audit verify --full
}

@test "the session drops, the command goes on, the agent is answered" {
	hook_call Bash "echo one; cat $STAGE/gate; echo two; touch $STAGE/ran" \
	    > "$STAGE/answer" 3>&- &
	mkfifo "$STAGE/gate"
	remote pending --wait 20
	id=$(remote pending --json | field id)
	digest=$(remote show "$id" --json | field digest)
	remote approve "$id" --digest "$digest" > "$STAGE/seen" 3>&- &
	wait_for grep -q one "$STAGE/seen"
	# The line breaks: nobody says goodbye.
	pkill -KILL -f "ssh -p $PORT .* approve"
	wait $! || :
	[ ! -e "$STAGE/ran" ]
	echo open > "$STAGE/gate"
	wait_for grep -q 'already executed once' "$STAGE/answer"
	grep -q 'one\\nopen\\ntwo' "$STAGE/answer"
	[ -e "$STAGE/ran" ]
}

@test "the session drops under the full screen: it ends, the command goes on" {
	tm() { env -u TMUX TMUX_TMPDIR="$STAGE" TERM=xterm tmux -f /dev/null -L ssh "$@" 3>&-; }
	sees() { tm capture-pane -p > "$STAGE/screen"; grep -qF -- "$1" "$STAGE/screen"; }
	live() { sees 'a approve'; }
	watching() { pgrep -f "$BUILD/sandbox watch $STAGE/proj" > "$STAGE/watcher"; }
	unwatched() { if watching; then return 1; fi; }
	mkfifo "$STAGE/gate"
	tm new-session -d -x 90 -y 30 "exec ssh -tt -p $PORT -i $STAGE/userkey \
	    -o BatchMode=yes -o LogLevel=ERROR -o StrictHostKeyChecking=no \
	    -o UserKnownHostsFile=/dev/null -o SendEnv='XDG_*' \
	    $(id -un)@127.0.0.1 LC_ALL=C.UTF-8 $BUILD/sandbox watch $STAGE/proj"
	wait_for sees 'nothing waits'
	hook_call Bash "echo one; cat $STAGE/gate; echo two; touch $STAGE/ran" \
	    > "$STAGE/answer" 3>&- &
	wait_for sees '$ echo one'
	wait_for live
	tm send-keys a
	wait_for sees '1 running'
	tm kill-server
	wait_for unwatched
	[ ! -e "$STAGE/ran" ]
	echo open > "$STAGE/gate"
	wait_for grep -q 'already executed once' "$STAGE/answer"
	grep -q 'one\\nopen\\ntwo' "$STAGE/answer"
	[ -e "$STAGE/ran" ]
}
