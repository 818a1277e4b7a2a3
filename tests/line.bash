# tests/line.bash - `watch --line` beside a test: what is typed, what it said.
# Beside tests/approver.bash, in its project.
#
#   watch             start it
#   type_in LINE      as its human
#   shown TEXT        has it said so?

line_teardown()
{
	exec 7>&-
	[ -z "${WATCH:-}" ] || kill "$WATCH" 2> "$T/kill.log" || :
	approver_teardown
}

watch()
{
	mkfifo "$T/keys"
	"$SANDBOX" watch --line < "$T/keys" > "$T/screen" 2>&1 3>&- &
	WATCH=$!
	exec 7> "$T/keys"
	until_true shown 'watching; ? helps'
}
type_in() { printf '%s\n' "$1" >&7; }
shown() { grep -qsF -- "$1" "$T/screen"; }
