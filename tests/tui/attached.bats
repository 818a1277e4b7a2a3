#!/usr/bin/env bats
# What ends the watch while a command has its terminal gives that back first.

load screen

setup() { approver_setup; }
teardown() { screen_close; approver_teardown; }

# `stop` fails where nothing runs.
runs_on() { "$SANDBOX" stop "$ID"; }

@test "the screen: SIGTERM, SIGHUP, SIGINT" {
	for signal in TERM HUP INT; do
		screen_open 80x24
		frob "printf be%s gun; sleep 4332.5"
		see "$DIGEST"
		press t
		see 'begun'
		kill -"$signal" "$(watcher)"
		see 'left with 0'
		until_true is_restored
		runs_on
		screen_close
	done
}

@test "line mode: the same, by the signal" {
	for signal in TERM HUP INT; do
		WATCH_ARGS=--line screen_open 80x24
		frob "printf be%s gun; sleep 4332.5"
		see 'waits'
		tm send-keys 't 1' Enter
		see 'begun'
		kill -"$signal" "$(watcher)"
		see "left with $((128 + $(kill -l "$signal")))"
		until_true cmp "$T/stty.before" "$T/stty.after"
		runs_on
		screen_close
	done
}
