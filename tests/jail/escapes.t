#!/usr/bin/perl
# tests/jail/escapes.t - attacks on a jail and work in it, from cases.jsonl.
#
# A case has a command for `sandbox run -- bash -c`, and a shell line that
# checks from outside what came of it.  It counts only if the command really
# started inside.  Everything lies outside /tmp, so that a private /tmp hides
# nothing by accident.  Started by root, this becomes `nobody` first.
use strict;
use warnings;
use JSON::PP;
use File::Temp qw(tempdir);
use File::Copy qw(copy);
use IO::Socket::UNIX;
use POSIX qw(:sys_wait_h dup2 _exit);
use Time::HiRes qw(sleep time);

my ($src, $build) = @ENV{qw(SRC BUILD)};
my @cases = do {
	open my $f, '<', "$src/tests/jail/cases.jsonl" or die $!;
	map { decode_json($_) } <$f>;
};
my $default = { filesystem => { denyRead => ['~/.ssh'],
    allowWrite => ['{WORK}'] } };
my $limit = 40;

umask 022;
my $top = tempdir('sandbox-jail.XXXXXX', DIR => $> == 0 ? '/var/lib' : $build);
chmod 0755, $top;
my $owner = $$;
END {
	my $status = $?;
	if (defined $owner && $$ == $owner) {
		system qw(chmod -R u+rwx), $top;
		system qw(rm -rf), $top;
	}
	$? = $status;
}
for my $program (qw(sandbox sandbox-gate sandbox-proxy)) {
	copy("$build/$program", "$top/$program") or die $!;
	chmod 0755, "$top/$program";
}
copy("$src/tests/jail/attack.py", $top) or die $!;
chmod 0644, "$top/attack.py";
system(qw(cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -static),
    "-I$src", "-o", "$top/probe", glob "$src/tests/jail/probe/*.c") == 0
    or die "cannot compile the probe";
mkdir "$top/run" or die $!;
if ($> == 0) {
	my ($uid, $gid) = (getpwnam 'nobody')[2, 3];
	chown $uid, $gid, "$top/run";
	my $pid = fork // die $!;
	if ($pid == 0) {
		$owner = undef;
		$) = "$gid $gid"; $( = $gid; POSIX::setgid($gid);
		POSIX::setuid($uid);
		_exit(all());
	}
	waitpid $pid, 0;
	exit($? >> 8);
}
exit all();

# Host services that must stay out of reach: they answer and keep a record.
sub services {
	my ($dir, $log) = @_;
	my @pids;
	mkdir $dir;
	for my $name (qw(docker.sock ssh-agent.sock dbus.sock)) {
		my $s = IO::Socket::UNIX->new(Local => "$dir/$name",
		    Listen => 8) or die "$dir/$name: $!";
		chmod 0777, "$dir/$name";
		my $pid = fork // die $!;
		if ($pid) { push @pids, $pid; next }
		while (my $c = $s->accept) {
			sysread $c, my $ask, 4096;
			open my $f, '>>', $log;
			print $f "\"$name\"\n";
			close $f;
			print $c "HTTP/1.1 200 OK\r\n\r\nHOSTSVC\n";
			close $c;
		}
		_exit(0);
	}
	return @pids;
}

sub slurp { open my $f, '<', $_[0] or return ''; local $/; <$f> // '' }
sub spew { open my $f, '>', $_[0] or die "$_[0]: $!"; print $f $_[1]; }

sub substitute {
	my ($o, $v) = @_;
	return [map { substitute($_, $v) } @$o] if ref $o eq 'ARRAY';
	return { map { $_ => substitute($o->{$_}, $v) } keys %$o }
	    if ref $o eq 'HASH';
	return $o if ref $o || !defined $o;
	$o =~ s/\{([A-Z]+)\}/exists $v->{$1} ? $v->{$1} : "{$1}"/ge;
	return $o;
}

# Start argv with this environment; the caller waits.
sub start {
	my (%a) = @_;
	my $pid = fork // die $!;
	return $pid if $pid;
	chdir $a{cwd} or _exit(99);
	open STDIN, '<', $a{in} // '/dev/null';
	open STDOUT, '>', $a{out};
	open STDERR, '>', $a{err};
	POSIX::setsid();
	%ENV = %{$a{env}};
	exec { $a{argv}[0] } @{$a{argv}} or _exit(98);
}

sub finish {
	my ($pid, $seconds) = @_;
	my $end = time + $seconds;
	while (waitpid($pid, WNOHANG) == 0) {
		if (time > $end) {
			kill 'KILL', -$pid, $pid;
			waitpid $pid, 0;
			return;
		}
		sleep 0.01;
	}
	return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

sub one {
	my ($c, $n) = @_;
	my $dir = "$top/run/$c->{id}";
	my %v = (CASE => $dir, WORK => "$dir/work", HOME => "$dir/home",
	    OUT => "$dir/outside");
	my %all = (%v, ID => $c->{id}, N => 1000 + $n, UID => $>,
	    P => "$top/probe", A => "$top/attack.py", SOCK => "$top/run/services");
	mkdir $_ for $dir, $v{WORK}, $v{HOME}, "$v{HOME}/.ssh", $v{OUT},
	    "$dir/res";
	spew("$v{HOME}/.ssh/id_rsa", "KEY-$c->{id}\n");
	spew("$v{OUT}/target", "orig\n");
	my %env = (PATH => "$top:/usr/local/bin:/usr/bin:/bin",
	    HOME => $v{HOME}, USER => 'u', TERM => 'xterm', LANG => 'C.UTF-8',
	    SECRET_TOKEN => 's3cr3t-env');
	my %outer = (%env, %v, GIT_CONFIG_COUNT => 1,
	    GIT_CONFIG_KEY_0 => 'init.defaultBranch',
	    GIT_CONFIG_VALUE_0 => 'main');
	if ($c->{setup}) {
		finish(start(argv => ['/bin/bash', '-c',
		    substitute($c->{setup}, \%all)], env => \%outer,
		    cwd => $v{WORK}, out => "$dir/res/setup",
		    err => "$dir/res/setup2"), 30);
	}
	my $settings = "$dir/settings.json";
	my $config = exists $c->{config} ? $c->{config} : $default;
	# Where the tree itself lies in /tmp the probe would be hidden.
	push @{$config->{filesystem}{allowRead}}, "$top/probe",
	    "$top/attack.py" if ref $config;
	spew($settings, ref $config ?
	    encode_json(substitute($config, \%all)) : $config // '')
	    unless $c->{nosettings};
	my $line = substitute($c->{command}, \%all) .
	    ('y' x ($c->{pad} // 0));
	$line = "echo JAILSTARTED >&2\n$line"
	    unless $c->{norun} || $c->{started};
	my @argv = ("$top/sandbox", 'run', '--settings', $settings, '--',
	    'bash', '-c', $line);
	unshift @argv, split ' ', substitute($c->{launch}, \%all)
	    if $c->{launch};
	if ($c->{tty}) {
		my $word = join ' ', map { s/'/'\\''/gr =~ s/^|$/'/gr } @argv;
		@argv = ('/usr/bin/script', '-qec', $word, '/dev/null');
	}
	my %inner = (%env, %{substitute($c->{env} // {}, \%all)});
	if ($c->{stdin_bytes}) {
		system "head -c $c->{stdin_bytes} /dev/urandom " .
		    "> $dir/res/stdin";
	}
	my ($out, $err) = ("$dir/res/stdout", "$dir/res/stderr");
	my $began = time;
	my $pid = start(argv => \@argv, env => \%inner, out => $out,
	    err => $err, cwd => substitute($c->{cwd} // '{WORK}', \%all),
	    in => $c->{stdin_bytes} ? "$dir/res/stdin" : undef);
	if ($c->{signal}) {
		sleep 0.02 until slurp($err) =~ /JAILSTARTED/ ||
		    time > $began + 10;
		kill $c->{signal}, $pid;
	}
	my $rc = finish($pid, $limit);
	my $started = $c->{norun} || slurp($err) =~ /JAILSTARTED/ ||
	    ($c->{tty} && slurp($out) =~ /JAILSTARTED/);
	spew("$dir/res/ttyleft", '');
	my %seen = (%outer, STDOUT => $out, STDERR => $err, RC => $rc // 99,
	    LABLOG => '/dev/null', LOOPLOG => "$top/run/contacts",
	    TTYLEFT => "$dir/res/ttyleft", STDIN => "$dir/res/stdin",
	    ELAPSED => time - $began);
	my $check = finish(start(argv => ['/bin/bash', '-c',
	    'noesc(){ ! grep -q ESCAPED "$STDOUT"; };' .
	    substitute($c->{check}, \%all)], env => \%seen, cwd => $v{WORK},
	    out => "$dir/res/check", err => "$dir/res/check2"), 20);
	return 1 if defined $rc && $started && defined $check && $check == 0;
	for ("started " . ($started ? 1 : 0) . ", status " . ($rc // 'none') .
	    ", check " . ($check // 'none'),
	    split /\n/, substr(slurp($out), 0, 600) .
	    substr(slurp($err), 0, 600)) {
		print "# $_\n" if /\S/;
	}
	return 0;
}

sub all {
	my ($n, $failed) = (0, 0);
	my @pids = services("$top/run/services", "$top/run/contacts");
	$| = 1;
	print '1..', scalar @cases, "\n";
	for my $c (@cases) {
		$n++;
		my $ok = one($c, $n);
		$failed++ unless $ok;
		print $ok ? '' : 'not ', "ok $n - $c->{id}\n";
	}
	kill 'KILL', @pids;
	return $failed ? 1 : 0;
}
