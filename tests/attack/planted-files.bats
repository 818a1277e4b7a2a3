#!/usr/bin/env bats
# DESIGN: "something runs because a file says approved": a symlink, FIFO, hard
# link, folder, socket or device planted in every folder of the queue is never
# followed, never waited for, never shown raw, and in nobody's way.

load ../approver

setup() { approver_setup; }
teardown() { approver_teardown; }

FOLDERS='tmp pending claimed answered closed blobs aside'
BUS=.sandbox/escalations

# An id that an honest writer could have made, for each kind its own.
id() { printf '%016x-%012x-%x' "$1" "$(($(date +%s%N) / 1000000000))" 77; }

plant()	# plant KIND PATH
{
	case $1 in
	link) ln -s "$T/victim" "$2" ;;
	dangling) ln -s "$T/nowhere" "$2" ;;
	fifo) mkfifo "$2" ;;
	hard) ln "$T/victim" "$2" ;;
	folder) mkdir -p "$2/deep" ;;
	socket) perl -MIO::Socket::UNIX -e 'chdir shift;
	    IO::Socket::UNIX->new(Local => shift, Listen => 1) or die' \
	    "$(dirname "$2")" "$(basename "$2")" ;;
	huge) truncate -s 1G "$2"; chmod 600 "$2" ;;
	open) echo '{}' > "$2"; chmod 666 "$2" ;;
	empty) : > "$2"; chmod 600 "$2" ;;
	esac
}

@test "planted in every folder under every kind of name" {
	echo untouched > "$T/victim"
	chmod 600 "$T/victim"
	frob "echo fine; touch $T/ran"
	n=0
	for folder in $FOLDERS; do
		for kind in link dangling fifo hard folder socket huge open \
		    empty; do
			n=$((n + 1))
			for name in "$(id $n)" "$(id $((n + 1000)))-a" \
			    "x$n" $'\e]0;x\a'"$n" \
			    "$(printf '%064x' $n)"; do
				plant $kind "$BUS/$folder/$name"
			done
		done
	done
	run -0 timeout 20 "$SANDBOX" pending
	[ "$(grep -c frob <<< "$output")" -eq 1 ]
	run ! grep -q $'\e' <<< "$output"
	run -0 timeout 20 "$SANDBOX" status
	run ! grep -q $'\e' <<< "$output"
	run -0 timeout 20 bash -c "echo q | '$SANDBOX' watch --line"
	run ! grep -q $'\e' <<< "$output"
	run -0 timeout 20 "$SANDBOX" approve "$ID" --digest "$DIGEST"
	run -0 answer
	[[ $output == *fine* ]]
	[ -e "$T/ran" ]
	[ "$(cat "$T/victim")" = untouched ]
	[ ! -e "$T/nowhere" ]
	run -0 "$SANDBOX" audit verify
}

@test "planted under the request's own name in the folders it will reach" {
	echo untouched > "$T/victim"
	chmod 600 "$T/victim"
	for kind in link fifo hard folder socket; do
		frob "echo $kind >> $T/ran"
		plant $kind "$BUS/claimed/$ID"
		plant $kind "$BUS/closed/$ID"
		plant $kind "$BUS/answered/$ID-a"
		plant $kind "$BUS/closed/$ID-a"
		plant $kind ".sandbox/out/$ID.txt"
		run timeout 20 "$SANDBOX" approve "$ID" --digest "$DIGEST"
		run -0 answer
		[ "$(grep -c "^$kind\$" "$T/ran")" -le 1 ]
	done
	[ "$(cat "$T/victim")" = untouched ]
	# Not stopped for good: the next one runs and is answered.
	frob "echo last"
	run -0 approve
	run -0 answer
	[[ $output == *last* ]]
}

@test "a queue or .sandbox that became a link is not entered" {
	frob "touch $T/ran"
	for place in $BUS/pending $BUS .sandbox; do
		mv $place "$T/moved"
		ln -s "$T/moved" $place
		run -127 approve
		run -7 "$SANDBOX" pending
		allowed='{"session_id":"s","cwd":"'"$ROOT"'","hook_event_name":"PreToolUse","tool_use_id":"t","tool_name":"Bash","tool_input":{"command":"frob y"}}'
		run -0 "$BUILD/pretooluse" --client claude --event PreToolUse \
		    --root "$ROOT" --state "$STATE" <<< "$allowed"
		[[ $output == *'"permissionDecision":"deny"'* ]]
		rm $place
		mv "$T/moved" $place
	done
	rm -f "$STATE"/run/clients/*
	[ ! -e "$T/ran" ]
	run -0 approve
	[ -e "$T/ran" ]
}

# 100 copies of the request, each well formed and older.
crowd()
{
	perl -e '
		my ($id) = @ARGV; local $/; my $body = <STDIN>;
		my ($r, $b, $p) = split /-/, $id;
		for my $i (1 .. 100) {
			my ($old, $one) = (hex($b) - 1000 + $i, $body);
			my $new = sprintf("%016x-%012x-%x", $i, $old, 1);
			$one =~ s/\Q$id\E/$new/;
			$one =~ s/"created_boot_ms":\d+/"created_boot_ms":$old/;
			open my $f, ">", "'$BUS'/pending/$new" or die;
			chmod 0600, $f;
			print $f $one;
		}' "$ID" < "$BUS/pending/$ID"
}

@test "a crowd of forged requests in front of one is told, not hidden" {
	frob "echo honest"
	run -0 "$SANDBOX" pending
	[[ $output != *'not listed'* ]]
	crowd
	run -0 "$SANDBOX" pending
	[[ $output == *'37 more wait than the policy allows and are not listed'* ]]
	run -0 "$SANDBOX" pending --json
	[[ $output == *'"more":37'* ]]
	run -0 "$SANDBOX" status
	[[ $output == *'37 more than the policy lets wait'* ]]
	run -0 bash -c "echo q | '$SANDBOX' watch --line"
	[ "$(grep -c 'are not listed' <<< "$output")" -eq 1 ]
	# Whoever knows its id finds it.
	run -0 approve
	[[ $output == *honest* ]]
}
