# tests/tui/screen.bash - the full-screen watch in a private tmux.
#
#   screen_open [WxH] [ENV...]   a pane that runs `sandbox watch` and then says
#                                how it was left; $T/raw is every byte it got
#   see TEXT                     wait until it is on the screen
#   press KEY                    a key as tmux names it, once it is not dead
#   is_restored                  the terminal is as it was before
#   asker COUNT SESSION COMMAND  many requests at once, held until asker_end
#   asker lines FILE             (tests/tools/asker.c)
#
# A wait is for a text, never for a time.

load ../approver

# A server of its own for each pane: one that ends would take the next along.
SCREENS=0
tm() { env -u TMUX TMUX_TMPDIR="$T" tmux -f /dev/null -L "t$SCREENS" "$@" 3>&-; }

screen_open()
{
	local size=${1:-80x24}
	shift || :
	SCREENS=$((SCREENS + 1))
	rm -f "$T/stty.before" "$T/stty.after" "$T/raw" "$T/pid"
	cat > "$T/pane" <<END
stty -g > "$T/stty.before"
env $* sh -c 'echo \$\$ > "$T/pid"; exec "$SANDBOX" watch ${WATCH_ARGS:-}'
echo "left with \$?"
stty -g > "$T/stty.after"
cat
END
	tm new-session -d -x "${size%x*}" -y "${size#*x}" "cat; sh '$T/pane'"
	tm pipe-pane "cat > '$T/raw'"
	tm send-keys C-d
}

screen_close() { tm kill-server 2> "$T/tmux.log" || :; }

screen() { tm capture-pane -p; }
on_screen() { screen > "$T/now"; grep -qF -- "$1" "$T/now"; }
off_screen() { screen > "$T/now"; [ -s "$T/now" ] && [ "$(grep -cF -- "$1" "$T/now")" -eq 0 ]; }
see() { until_true on_screen "$1" || { cat "$T/now"; return 1; }; }

# While keys that decide are dead, the bottom line says so.
press() { until_true off_screen 'in a moment'; tm send-keys "$1"; }
# All keys before it were read: the help came, and went.
fence() { press '?'; see 'approve what is CRITICAL'; tm send-keys q; until_true off_screen 'approve what is CRITICAL'; }

watcher() { cat "$T/pid"; }
is_restored()
{
	cmp -s "$T/stty.before" "$T/stty.after" &&
	    [ "$(tm display-message -p '#{alternate_on}#{cursor_flag}')" = 01 ]
}

LOOSE='{"version":1,"limits":{"pending_max":1000,"pending_session_max":1000,"new_per_minute":100000}}'

asker()
{
	local n=$1
	[ "$n" != lines ] || n=$(wc -l < "$2")

	mkfifo "$T/asker.in"
	"$BUILD/tests/tools/asker" "$STATE" "$@" < "$T/asker.in" > "$T/asker.ids" 3>&- &
	exec 7> "$T/asker.in"
	until_true asked "$n"
}
asked() { [ "$(wc -l < "$T/asker.ids")" -eq "$1" ]; }
asker_end() { exec 7>&- || :; }
