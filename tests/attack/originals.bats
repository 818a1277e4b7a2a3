#!/usr/bin/env bats
# Who can write in the project, or in the private directory, against what is
# kept of the project's files.

load ../originals

setup()
{
	originals_setup
	OBJECTS=$STATE/originals/objects
}
teardown()
{
	[ -z "${RACER:-}" ] || kill "$RACER" 2> "$T/kill.log" || :
	approver_teardown
}

changes() { "$SANDBOX" changes "$@"; }
restore() { "$SANDBOX" restore "$@"; }

@test "an agent reads no originals and restores nothing" {
	echo secret > a.txt
	edit_tool a.txt "echo public > a.txt"
	CLAUDECODE=1 run -6 changes --diff
	[[ $output != *secret* ]]
	CLAUDECODE=1 run -6 restore a.txt
	CLAUDECODE=1 run -0 changes
	[[ $output == *"changed      a.txt"* ]]
	[ "$(cat a.txt)" = public ]
	CALLS=90
	for c in "sandbox restore a.txt" "sandbox restore --session s1" \
	    "cat $OBJECTS/*/*" "rm -rf $STATE/originals"; do
		run before Bash "{\"command\":$(quoted "$c")}"
		[[ $output == *'"permissionDecision":"deny"'*DENIED* ]]
	done
}

@test "a FIFO, a device and a socket stop nobody and are never opened" {
	mkfifo pipe
	perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "sock",
	    Listen => 1) or die'
	[ "$(id -u)" -ne 0 ] || mknod dev c 1 5
	mkdir d
	mkfifo d/inner
	edit_tool pipe true
	write_tool other x
	bash_tool "mv d e"
	start_session s2
	run -0 changes
	[[ $output == *"created      e/inner"* ]]
	rm pipe
	echo file > pipe
	run -1 restore --session s1
	[[ $output == *"refused  "*"it was no file, folder or link"* ]]
	[ "$(cat pipe)" = file ]
}

@test "links planted in the way lead nowhere" {
	mkdir -p "$T/outside/d" d
	echo theirs > "$T/outside/d/f"
	echo theirs > "$T/outside/f"
	echo ours > d/f
	edit_tool d/f "echo edited > d/f"
	rm -r d
	ln -s "$T/outside/d" d
	run -1 restore d/f
	[[ $output == *"a link is in the way"* ]]
	[ "$(cat "$T/outside/d/f")" = theirs ]
	rm d
	mkdir d
	ln -s "$T/outside/f" d/f
	run -0 restore d/f
	[ ! -L d/f ]
	[ "$(cat d/f)" = ours ]
	[ "$(cat "$T/outside/f")" = theirs ]
	rm d/f
	ln "$T/outside/f" d/f
	run -0 restore d/f --to 1s
	[ "$(cat "$T/outside/f")" = theirs ]
}

@test "what lies outside is never kept and never written" {
	echo outside > "$T/o"
	ln -s "$T/o" link
	ln -s "$T" up
	run before Edit "{\"file_path\":\"$ROOT/link\",\"old_string\":\"a\",\"new_string\":\"b\"}"
	run before Edit "{\"file_path\":\"$ROOT/up/o\",\"old_string\":\"a\",\"new_string\":\"b\"}"
	[ ! -e "$(content_file $'outside\n')" ]
	run -2 restore "$T/o"
	run -2 restore ../o
	run -2 restore /etc/passwd
}

@test "names that deceive a terminal are shown as what they are" {
	local n
	n=$'e\e[2Jvil\n2026 created innocent'
	write_tool "$n" x
	changes > "$T/list"
	run -1 grep -q $'\e' "$T/list"
	[ "$(wc -l < "$T/list")" -eq 1 ]
	run -0 restore --session s1
	[[ $output != *$'\e'* ]]
	[ ! -e "$n" ]
}

@test "a huge file and a deep tree are said, not swallowed" {
	truncate -s 1T sparse
	echo x | dd of=sparse bs=1 seek=1000000000 conv=notrunc status=none
	edit_tool sparse "truncate -s 5 sparse"
	run -0 restore sparse
	[ "$(stat -c %s sparse)" -eq 1099511627776 ]
	[ "$(stat -c %b sparse)" -lt 10000 ]
	perl -e 'for (1 .. 200) { mkdir "x" and chdir "x" or die }'
	start_session deep
	"$SANDBOX" changes --verify
}

@test "a file too large to be kept is not changed without a human" {
	# 600 MB of data in one call is more than a hook keeps.
	fallocate -l 300M big || head -c 300M /dev/zero > big
	run before Bash '{"command":"rm big"}'
	echo "$output"
	[[ $output == *PENDING* ]]
	[ -e big ]
}

swapper()
{
	mkdir -p "$T/elsewhere"
	echo precious > "$T/elsewhere/f"
	while :; do
		mv d "$T/aside" && ln -s "$T/elsewhere" d
		rm d && mv "$T/aside" d
	done 2> "$T/race.log"
}

@test "a folder swapped for a link over and over: nothing outside is touched" {
	local i
	mkdir d
	echo ours > d/f
	edit_tool d/f "echo edited > d/f"
	swapper &
	RACER=$!
	for i in $(seq 40); do
		restore d/f > "$T/out" 2>&1 || :
		restore d/f --to 1h > "$T/out" 2>&1 || :
	done
	kill "$RACER"
	wait "$RACER" || :
	RACER=
	[ "$(cat "$T/elsewhere/f")" = precious ]
	[ "$(ls -A "$T/elsewhere")" = f ]
}

writer()
{
	local n=0
	while :; do
		n=$((n + 1))
		echo "version $n" > f.tmp && mv f.tmp f
	done 2> "$T/race.log"
}

@test "somebody who writes while it is restored loses nothing unseen" {
	local i
	echo ours > f
	edit_tool f "echo edited > f"
	writer &
	RACER=$!
	for i in $(seq 20); do
		restore --session s1 > "$T/out" 2>&1 || :
	done
	kill "$RACER"
	wait "$RACER" || :
	RACER=
	rm -f f.tmp
	# Nothing half put back lies about.
	[ "$(find . -maxdepth 1 -name '.sandbox-restore*' | wc -l)" -eq 0 ]
	run -0 restore --session s1
	[ "$(cat f)" = ours ]
	"$SANDBOX" changes --verify
}

# --- the store, by whoever can write the private directory ------------------

tampered() # WORD PATH
{
	run -1 changes --verify
	echo "$output"
	[[ $output == *"originals: $1 (seq "*"): $2"* ]]
	[[ $output == *"NOT what was kept"* ]]
	run -1 "$SANDBOX" audit verify --full --json
	[[ $output == *'"originals":[{"kind":"'"$1"'","seq":'* ]]
}

list_file()
{
	local d
	d=$(grep -o '"originals":"[0-9a-f]*"' "$STATE/audit/audit.jsonl" |
	    head -1 | cut -d'"' -f4)
	echo "$OBJECTS/${d:0:2}/${d:2}"
}

content_file() # TEXT
{
	local d
	d=$(printf %s "$1" | b2sum -l 256 | cut -d' ' -f1)
	echo "$OBJECTS/${d:0:2}/${d:2}"
}

kept_one()
{
	printf one > a.txt
	edit_tool a.txt "printf two > a.txt"
	"$SANDBOX" changes --verify
}

@test "tampered: a content edited" {
	kept_one
	printf x | dd of="$(content_file one)" bs=1 seek=70 conv=notrunc \
	    status=none
	tampered edited a.txt
	run -1 restore a.txt
	[[ $output == *"failed   a.txt: "* ]]
	[ "$(cat a.txt)" = two ]
}

@test "tampered: a content replaced by another whole one" {
	kept_one
	cp "$(content_file two)" "$(content_file one)"
	tampered edited a.txt
}

@test "tampered: a content deleted" {
	kept_one
	rm "$(content_file one)"
	tampered missing a.txt
}

@test "tampered: a content cut short" {
	kept_one
	truncate -s -1 "$(content_file one)"
	tampered edited a.txt
}

@test "tampered: the list edited, deleted, exchanged" {
	kept_one
	local l
	l=$(list_file)
	cp "$l" "$T/list"
	printf x | dd of="$l" bs=1 seek=80 conv=notrunc status=none
	tampered edited "the list of that record"
	rm "$l"
	tampered missing "the list of that record"
	cp "$(content_file one)" "$l"
	tampered edited "the list of that record"
	cp "$T/list" "$l"
	"$SANDBOX" changes --verify
}

@test "tampered: all of the store gone" {
	kept_one
	rm -r "$STATE/originals"
	tampered missing "the list of that record"
}

@test "tampered: the record's word for its list" {
	kept_one
	perl -pi -e 's/("originals":")([0-9a-f])/$1 . ($2 eq "0" ? "1" : "0")/e' \
	    "$STATE/audit/audit.jsonl"
	run "$SANDBOX" audit verify --full
	[ "$status" -eq 1 ]
	[[ $output == *edited* ]]
}

@test "tampered: everything said to be forgotten" {
	kept_one
	rm "$(content_file one)"
	tail -1 "$STATE/audit/audit.jsonl" |
	    sed 's/"kind":"[a-z.]*"/"kind":"file.forgotten"/; s/"originals":"[0-9a-f]*"/"originals":"0000000000000000000000000000000000000000000000000000000000000000","upto":99/' \
	    >> "$STATE/audit/audit.jsonl"
	run "$SANDBOX" audit verify --full
	[ "$status" -eq 1 ]
}

@test "an object that is a link, a FIFO or somebody else's is no object" {
	kept_one
	local f
	f=$(content_file one)
	mv "$f" "$T/o"
	ln -s "$T/o" "$f"
	tampered missing a.txt
	rm "$f"
	mkfifo "$f"
	tampered missing a.txt
	rm "$f"
	cp "$T/o" "$f"
	chmod 644 "$f"
	tampered missing a.txt
	chmod 600 "$f"
	"$SANDBOX" changes --verify
}
