#!/usr/bin/env bats
# An agent that fills the store: neither the disk nor the older originals pay
# for it, a human is asked.

load ../originals

setup()
{
	originals_setup
	policy '{"version":1,"limits":{"originals_mb":4,"wait_alone_s":0}}'
}
teardown() { approver_teardown; }

store_kb() { du -sk "$STATE/originals" | cut -f1; }

noise() { head -c 1000000 /dev/urandom > "$ROOT/$1"; }

@test "a flood of edits is asked about when it has filled its part" {
	echo precious > first.txt
	write_tool first.txt gone
	noise big
	local i asked=
	for i in $(seq 12); do
		if ! edit_tool big 'head -c 1000000 /dev/urandom > big' \
		    > "$T/asked"; then
			asked=$i
			break
		fi
	done
	[ -n "$asked" ] && [ "$asked" -gt 1 ]
	grep PENDING "$T/asked"
	[ "$(store_kb)" -lt 6000 ]
	# What still fits is kept and passes.
	edit_tool first.txt 'echo again > first.txt'
	# The first original was not swept away by what came behind it.
	run -0 "$SANDBOX" restore --session last first.txt
	[ "$(cat first.txt)" = precious ]
	# The session's end sweeps, and there is room again.
	end_session
	start_session s2
	edit_tool big 'head -c 1000000 /dev/urandom > big'
	[ "$(store_kb)" -lt 8000 ]
}

@test "edits that differ little cost little of it" {
	noise big
	for i in $(seq 20); do
		edit_tool big "printf %s $i | dd of=big conv=notrunc seek=$i \
		    bs=1000 status=none"
	done
	[ "$(store_kb)" -lt 3000 ]
}

@test "a sparse file of a terabyte costs its data only" {
	truncate -s 1T huge
	printf data | dd of=huge conv=notrunc seek=500G bs=1 status=none \
	    oflag=seek_bytes
	edit_tool huge 'truncate -s 2T huge'
	[ "$(store_kb)" -lt 500 ]
	run -0 "$SANDBOX" restore huge
	[ "$(stat -c %s huge)" -eq $((1 << 40)) ]
	[ "$(dd if=huge bs=1 skip=500G count=4 iflag=skip_bytes \
	    status=none)" = data ]
	timeout 20 "$SANDBOX" changes huge --diff
	[ "$(du -k huge | cut -f1)" -lt 100 ]
}

@test "a sweep without an end holds no hook up: denied in time, and said" {
	echo one > a.txt
	write_tool a.txt two
	local start took
	start=$(date +%s%N)
	exec 7> "$STATE/originals/lock"
	flock -x 7
	run before Write "{\"file_path\":\"$ROOT/a.txt\",\"content\":\"x\"}"
	took=$((($(date +%s%N) - start) / 1000000))
	exec 7>&-
	[[ $output == *'the originals are in use'* ]]
	[ "$took" -ge 3000 ] && [ "$took" -lt 9500 ]
	grep '"kind":"hook.failed"' "$STATE/audit/audit.jsonl" |
	    grep 'the originals are in use'
}

@test "a clock that went back sweeps, and changes nothing that is kept" {
	echo one > a.txt
	write_tool a.txt two
	touch -d '2 years' "$STATE/originals/swept"
	end_session
	[ "$(stat -c %Y "$STATE/originals/swept")" -le "$(date +%s)" ]
	run -0 "$SANDBOX" restore a.txt
	[ "$(cat a.txt)" = one ]
}
