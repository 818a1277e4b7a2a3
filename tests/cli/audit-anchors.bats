#!/usr/bin/env bats
# Checkpoints kept elsewhere: a log that was cut or put back is found by them,
# whole as it is in itself.

load ../approver

setup() { approver_setup; }
teardown()
{
	[ ! -e "$T/listener" ] || kill "$(cat "$T/listener")" || :
	approver_teardown
}

decided()
{
	frob 'echo a result'
	run -0 approve
	answer > "$T/answer"
}

saved()
{
	cp -a "$STATE" "$T/saved"
}

# Log, keys and pin of before: whole in itself.
put_back()
{
	for f in audit/audit.jsonl log.key audit.head; do
		cp "$T/saved/$f" "$STATE/$f"
	done
	rm "$STATE/audit/checkpoint"
	run -0 "$SANDBOX" audit verify --full
}

# A system log of our own: what is sent to it, and a journalctl that reads it.
listen()
{
	perl -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new(Type => SOCK_DGRAM,
		    Local => "$ARGV[0]/devlog") or die;
		open(my $p, ">", "$ARGV[0]/listener.new"); print $p $$;
		close $p;
		rename("$ARGV[0]/listener.new", "$ARGV[0]/listener");
		while (defined $s->recv(my $m, 65536)) {
			open(my $f, ">>", "$ARGV[0]/journal") or die;
			$m =~ s/\0$//; print $f "$m\n"; close $f;
		}' "$T" 3>&- &
	until_true test -e "$T/listener"
	mkdir "$T/bin2"
	printf '#!/bin/sh\n[ "$*" = "-t sandbox-audit -o cat --no-pager" ] &&
	    sed -n "s/^<85>.* sandbox-audit: //p" "%s"\n' "$T/journal" \
	    > "$T/bin2/journalctl"
	chmod 755 "$T/bin2/journalctl"
}

# Where /dev/log and journalctl are those.
beside_journal()
{
	local change how='unshare -m'
	[ "$(id -u)" -eq 0 ] || how='unshare -c --keep-caps -m'
	: > "$T/null"
	change="mount --bind /dev/null '$T/null' &&
	    mount -t tmpfs none /dev && touch /dev/null /dev/log &&
	    mount --bind '$T/null' /dev/null &&
	    mount --bind '$T/devlog' /dev/log &&
	    mount -t overlay -o 'lowerdir=$T/bin2:/usr/bin' none /usr/bin"
	$how sh -c "$change"' && exec "$@"' sh "$@"
}

@test "a file and git notes; a log put back is found by them" {
	git init -q . && git -c user.name=a -c user.email=a@b commit -q \
	    --allow-empty -m x
	saved
	decided
	run -0 "$SANDBOX" audit checkpoint --anchor "$T/outside"
	run -0 "$SANDBOX" audit checkpoint --anchor git
	[ "$(wc -l < "$T/outside")" -eq 1 ]
	run -0 git notes --ref=sandbox-audit show
	[[ $output == sandbox-audit-v1/* ]]
	run -0 "$SANDBOX" audit verify --anchors
	[[ $output == *'2 anchors compared'* ]]
	run -2 "$SANDBOX" audit checkpoint --anchor nowhere
	put_back
	run -2 "$SANDBOX" audit verify --anchors
	[[ $output == *"$T/outside:0: rolled_back"* ]]
	[[ $output == *'git:0: rolled_back'* ]]
	# An anchor that nobody signed is none.
	sed -i 's/ chain//; s/A/B/2' "$T/outside"
	run "$SANDBOX" audit verify --anchors
	[ "$status" -ne 0 ]
}

@test "the system log: sent to, read back, and a log put back is found" {
	listen
	saved
	decided
	run -0 beside_journal "$SANDBOX" audit checkpoint --anchor syslog
	until_true test -s "$T/journal"
	[ "$(wc -l < "$T/journal")" -eq 1 ]
	grep -E '^<85>.* sandbox-audit: sandbox-audit-v1/' "$T/journal"
	run -0 beside_journal "$SANDBOX" audit verify --anchors
	[[ $output == *'1 anchors compared'* ]]
	put_back
	run -2 beside_journal "$SANDBOX" audit verify --anchors
	[[ $output == *'syslog:0: rolled_back'* ]]
}

@test "the log is cut behind its anchor: found, with and without the pin" {
	decided
	run -0 "$SANDBOX" audit checkpoint --anchor "$T/outside"
	# The last records go, and the checkpoint with them.
	sed -i '$d' "$STATE/audit/audit.jsonl"
	sed -i '$d' "$STATE/audit/audit.jsonl"
	run -2 "$SANDBOX" audit verify --anchors
	[[ $output == *"$T/outside:0: rolled_back"* ]]
}

@test "a system log that nobody keeps is no anchor, nor is a lost file" {
	decided
	listen
	kill "$(cat "$T/listener")"
	rm "$T/listener"
	run -8 beside_journal "$SANDBOX" audit checkpoint --anchor syslog
	[[ $output == *'no system log listens'* ]]
	run -0 "$SANDBOX" audit verify --anchors
	[[ $output == *'0 anchors compared'* ]]
	run -0 "$SANDBOX" audit checkpoint --anchor "$T/outside"
	rm "$T/outside"
	run -5 "$SANDBOX" audit verify --anchors
	[[ $output == *"$T/outside"* ]]
}
