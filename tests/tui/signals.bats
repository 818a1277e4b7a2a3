#!/usr/bin/env bats
# What destroys something is marked: in the screen, in line mode, in show.

load screen

setup() { approver_setup; WATCH_ARGS='--notify none'; }
teardown() { screen_close; approver_teardown; }

grep_screen() { screen > "$T/now"; grep -qE -- "$1" "$T/now"; }
see_re() { until_true grep_screen "$1" || { cat "$T/now"; return 1; }; }

terraform()
{
	cat > "$T/bin/terraform" <<'END'
#!/bin/sh
case $1 in
plan)
	echo '  # aws_db.main must be replaced'
	echo '  # aws_x.y will be created'
	printf '  # aws_s3.logs will be \033[1mdestroyed\033[0m\n'
	echo '  # aws_s3.old will be destroyed'
	echo 'Plan: 2 to add, 0 to change, 3 to destroy.' ;;
apply) echo applied ;;
esac
END
	chmod 755 "$T/bin/terraform"
}

@test "a script of many lines: the lines that destroy, in every place" {
	ask Bash '{"command":"frob setup\nmake\nrm -rf build\npsql prod <<E\nselect 1;\ndrop table users;\nE\n"}'
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *$'\ndestroys line 3 (deletes a tree): rm -rf build\n'* ]]
	[[ $output == *$'\ndestroys line 6 (drops it): drop table users;\n'* ]]
	"$SANDBOX" show --json "$ID" | perl -MJSON::PP -0777 -ne '
	    my $s = decode_json($_)->{signals};
	    die if @$s != 2 or $s->[0]{in} ne "command" or
	    $s->[1]{line} != 6 or $s->[1]{text} ne "drop table users;"'
	screen_open 100x40
	see 'destroys line 3 (deletes a tree): rm -rf build'
	see 'destroys line 6 (drops it): drop table users;'
	screen_close
	WATCH_ARGS='--line --notify none' screen_open 100x40
	see '[1]'
	tm send-keys -l 's 1'
	tm send-keys Enter
	see 'destroys line 6 (drops it): drop table users;'
}

@test "hostile lines are marked as text" {
	ask Bash '{"command":"frob a\nrm -rf \u001b[2Jx\u202e\n"}'
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *'destroys line 2 (deletes a tree): rm -rf ^[[2Jx<U+202E>'* ]]
	[[ $output != *$'\e'* ]]
}

@test "a file it runs: only the bytes that would run" {
	printf 'select 1;\ndelete from users;\n' > "$T/x.sql"
	ask Bash "{\"command\":\"frob 'psql' < $T/x.sql\"}"
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *"destroys $T/x.sql line 2 (deletes EVERY row): delete from users;"* ]]
	printf 'select 2;\n' > "$T/x.sql"
	run -0 "$SANDBOX" show "$ID"
	[[ $output != *destroys* ]]
}

@test "a plan that was made here is read when it is applied" {
	terraform
	screen_open 110x40
	ask Bash '{"command":"terraform apply"}'
	see 'destroys (applies a plan)'
	see 'plan     none was made here'
	"$SANDBOX" deny "$ID" > "$T/deny.log"
	see 'nothing waits'
	ask Bash '{"command":"terraform plan"}'
	see "$DIGEST"
	off_screen destroys
	press a
	run -0 answer
	ask Bash '{"command":"terraform apply"}'
	see_re 'plan     of [0-9]+ s ago, request [0-9a-f]{8}:'
	see 'destroys plan line 1 (destroys and makes anew):   # aws_db.main must be replaced'
	see 'destroys plan line 4 (destroys):   # aws_s3.old will be destroyed'
	see 'destroys plan line 5 (how many): Plan: 2 to add, 0 to change, 3 to destroy.'
	# In another directory it says nothing about this one.
	"$SANDBOX" deny "$ID" > "$T/deny.log"
	mkdir sub
	CWD=$ROOT/sub ask Bash '{"command":"terraform apply"}'
	see 'plan     none was made here'
}

@test "words of a plan in the folder prove nothing" {
	terraform
	ask Bash '{"command":"terraform plan"}'
	run -0 approve
	run -0 answer
	# An agent rewrites what was asked: the run stands for nothing then.
	sed -i 's/terraform plan/terraform plaN/' "$ROOT"/.sandbox/escalations/closed/*
	ask Bash '{"command":"terraform apply"}'
	run -0 "$SANDBOX" show "$ID"
	[[ $output == *'plan     none was made here'* ]]
}
