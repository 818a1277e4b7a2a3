#!/usr/bin/env bats
# The screens in docs/WATCH.md are what the program shows.  `make screens`
# (UPDATE_DOCS=1) writes them anew; here they are compared.

load screen
load ../originals

# A path of one length, so that lines break in the same place everywhere.
setup()
{
	TMPDIR=/tmp originals_setup
	WATCH_ARGS='--notify none'
	mkdir "$T/screens"
}
teardown() { screen_close; approver_teardown; }

# What differs from run to run, replaced by something as long.
plain()
{
	sed -E -e "s,$T,/tmp/sandbox-test.abcdef,g" \
	    -e 's/[0-9a-f]{64}/5be0c2917f0d4e63b8a1c9d27e4f60a35be0c2917f0d4e63b8a1c9d27e4f60a3/g' \
	    -e 's/ 0:[0-9]{2} / 0:02 /g' \
	    -e 's/([ │]|^)[0-9a-f]{4} claude/\141c9 claude/g' \
	    -e 's/[0-9a-f]{8} claude(.s1) 0:[0-9]{2}/41c97f0d claude\1 0:02/' \
	    -e 's/ in 8 h 0 min( |$)/ in 7 h 59 min/' -e 's/ in 7 h [0-9]{2} min/ in 7 h 59 min/' -e 's/after [0-9.]+ s/after 0.1 s/' \
	    -e 's/20[0-9-]{8}T[0-9:]{8}Z/2026-11-29T16:02:11Z/g' \
	    -e 's/^([> ] +[0-9]+  )[0-9]{2}:[0-9]{2} /\116:02 /' \
	    -e 's/^[0-9:]{8} /16:02:11 /' -e 's/last [0-9]+ s ago/last 3 s ago/' \
	    -e 's/ +$//'
}

keep() { until_true off_screen 'in a moment'; screen | plain > "$T/screens/$1"; }

# The block behind `<!-- screen NAME -->`, compared or replaced.
check_all()
{
	python3 - "$SRC/docs/WATCH.md" "$T/screens" "${UPDATE_DOCS:-}" <<'END'
import os, re, sys
doc, screens, update = sys.argv[1:]
text = open(doc, encoding='utf-8').read()
bad = []
for name in sorted(os.listdir(screens)):
    now = open(os.path.join(screens, name), encoding='utf-8').read().rstrip('\n')
    block = re.compile(r'(<!-- screen %s -->\n```\n)(.*?)(\n```\n)' % name, re.S)
    m = block.search(text)
    if not m:
        bad.append('%s is not in the page' % name)
    elif m.group(2) != now and not update:
        bad.append('%s is now:\n%s' % (name, now))
    else:
        text = text[:m.start(2)] + now + text[m.end(2):]
if update and not bad:
    open(doc, 'w', encoding='utf-8').write(text)
print('\n'.join(bad))
sys.exit(bool(bad))
END
}

@test "the screens of docs/WATCH.md" {
	local first=$STATE other
	screen_open 80x24
	frob 'echo hello'
	see "$DIGEST"
	keep list
	press e
	see 'run instead'
	tm send-keys C-u
	tm send-keys -l "frob 'echo good morning'"
	see "good morning'_"
	keep editing
	tm send-keys Enter
	see 'EDITED by you'
	keep edited
	press a
	see 'nothing waits'
	press v
	see '> exit 0'
	keep over
	press 1
	frob 'echo one; echo two; sleep 4331.5'
	see "$DIGEST"
	press a
	until_true grep_screen '^two'
	keep running
	tm resize-window -x 188 -y 18
	frob 'echo next'
	see '1 waiting'
	press j
	see "$DIGEST"
	until_true grep_screen '│two'
	keep wide
	"$SANDBOX" deny "$ID" > "$T/deny.log"
	see '0 waiting'
	until_true grep_screen '^>run'
	press x
	see 'nothing waits'
	screen_close

	screen_open 40x10
	frob 'echo small'
	see "echo small"
	keep small
	"$SANDBOX" deny "$ID" > "$T/deny.log"
	screen_close

	screen_open 80x16
	frob 'read -rsp Password: pw; echo; test ok = $pw'
	see 'of 1'
	press Space
	see 'digest '
	press t
	until_true grep_screen '^Password:'
	tm send-keys -l ok
	tm send-keys Enter
	see 'exit 0'
	keep attached
	tm send-keys Enter
	see 'nothing waits'
	screen_close

	# A log of its own: its numbers are always these.
	mkdir "$T/tree"
	cd "$T/tree"
	"$SANDBOX" init --claude > "$T/init2.log"
	for d in "$T"/state/sandbox/*; do
		[ "$d" = "$STATE" ] || other=$d
	done
	seq 9 > a.txt
	ROOT=$T/tree STATE=$other
	edit_tool a.txt "sed -i s/5/five/ a.txt"
	write_tool made.txt hello
	screen_open 80x24
	see 'nothing waits'
	press f
	see 'made.txt'
	press j
	see '+five'
	keep files
	press u
	see 'type yes'
	keep undo
	tm send-keys Escape
	screen_close
	screen_open 90x16
	see 'nothing waits'
	press 6
	see 'summary '
	keep audit
	screen_close
	cd "$T/proj"
	ROOT=$T/proj STATE=$first

	policy '{"version":1,"rules":[{"id":"crit","match":{"program":"frob"},"verdict":"escalate","tier":"critical","why":"frob is grave"}]}'
	screen_open 80x24
	frob 'echo grave'
	see '!!! CRITICAL'
	see "$DIGEST"
	keep critical
	screen_close

	WATCH_ARGS='--line --notify none' screen_open 80x24
	see '[1]'
	tm send-keys -l 'd 1 use staging'
	tm send-keys Enter
	see 'denied'
	keep line
	check_all
}
grep_screen() { screen > "$T/now"; grep -q "$1" "$T/now"; }
