#!/usr/bin/env bats
# t: a real sudo asks for its password on the terminal that it was given.
#
# As root a throw-away user with a password calls it, in a mount namespace with
# an /etc of its own, so that the machine's is not touched.  A plain user has
# no password to give away: a program of that name asks as sudo does.

load screen

PASSWORD='open sesame 7'

setup() { approver_setup; }
teardown() { screen_close; approver_teardown; }

# sudo in little: asks on /dev/tty, whatever stdin is, and forgets nothing.
our_sudo()
{
	cat > "$T/bin/sudo" <<END
#!/bin/bash
shift
for i in 1 2 3; do
	printf '[sudo] password for me: ' > /dev/tty
	stty -echo < /dev/tty
	read -r pw < /dev/tty
	stty echo < /dev/tty
	echo > /dev/tty
	[ "\$pw" = '$PASSWORD' ] && exec "\$@"
	echo 'Sorry, try again.' > /dev/tty
done
exit 1
END
	chmod 755 "$T/bin/sudo"
}

# The test below once more, as that user, with copies of all it needs.
as_throw_away_user()
{
	local there=$T/there
	mkdir -p "$there/src" "$there/build" "$T/etc"
	cp -r "$SRC/tests" "$there/src"
	find "$BUILD" -maxdepth 1 -type f -exec cp {} "$there/build" ';'
	chmod 711 "$T"
	unshare -m bash -eu -c '
		mount -t tmpfs none "$1/etc"
		mkdir -m 755 "$1/etc/up" "$1/etc/work"
		mount -t overlay -o "lowerdir=/etc,upperdir=$1/etc/up,workdir=$1/etc/work" none /etc
		useradd --create-home --home-dir "$1/me" sandbox-pw
		echo "sandbox-pw:$2" | chpasswd
		echo "sandbox-pw ALL=(root) ALL" > /etc/sudoers.d/sandbox-pw
		chmod 440 /etc/sudoers.d/sandbox-pw
		mkdir -m 700 "$1/tmp"
		chown -R sandbox-pw "$1/there" "$1/tmp"
		cd "$1/me"
		runuser -u sandbox-pw -- env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 \
		    TZ=UTC TERM=dumb HOME="$1/me" TMPDIR="$1/tmp" REAL_SUDO=1 \
		    BUILD="$1/there/build" SRC="$1/there/src" \
		    bats "$1/there/src/tests/tui/sudo.bats"
	' - "$T" "$PASSWORD"
}

@test "sudo asks, is told a wrong and the right password, and nobody keeps it" {
	if [ "$(id -u)" -eq 0 ]; then
		as_throw_away_user
		return
	fi
	[ -n "${REAL_SUDO:-}" ] || our_sudo
	screen_open 100x30
	frob 'sudo -k echo done by the one who knows > out; cat out'
	see "$DIGEST"
	press t
	see '[sudo] password for'
	tm send-keys -l 'a wrong one'
	tm send-keys Enter
	see 'try again'
	tm send-keys -l "$PASSWORD"
	tm send-keys Enter
	see 'exit 0 after'
	see 'done by the one who knows'
	off_screen sesame
	off_screen 'a wrong one'
	tm send-keys Enter
	see 'nothing waits'
	run -0 answer
	[[ $output == *APPROVED* && $output == *'done by the one who knows'* ]]
	[[ $output != *sesame* ]]
	run -1 grep -rq -e sesame -e 'a wrong one' "$STATE" "$ROOT/.sandbox" "$T/raw"
	"$SANDBOX" audit verify --full
}

@test "the password was not given: sudo ends, and the model is told" {
	if [ "$(id -u)" -eq 0 ]; then
		# Done by the test above, as the user.
		command -v sudo
		return
	fi
	[ -n "${REAL_SUDO:-}" ] || our_sudo
	screen_open 100x30
	frob 'sudo -k touch out'
	see "$DIGEST"
	press t
	see '[sudo] password for'
	tm send-keys C-c
	see 'Enter: back to the list'
	tm send-keys Enter
	see 'nothing waits'
	run -0 answer
	[[ $output == *APPROVED* ]]
	[ ! -e out ]
}
