#!/usr/bin/env bats
# Every program and file format has a page; the pages name what there is.

bats_require_minimum_version 1.5.0
MAN=$SRC/docs/man

# mdoc writes --digest as "Fl -digest" or ", -digest".
has_option() # page, option
{
	local name=${2#-}
	grep -qE -- "(Fl|Fl .*[ ,]|,) ?-?$name( |\$)" "$1" ||
		{ echo "$1 lacks $2"; return 1; }
}

@test "every program" {
	for p in "$BUILD"/*; do
		[ -f "$p" ] && [ -x "$p" ] || continue
		case ${p##*/} in
		guard) continue ;;	# all four hooks are this one
		esac
		ls "$MAN/${p##*/}".[18] > /dev/null
	done
}

@test "every command and every option of the command table" {
	"$BUILD/sandbox" completion bash > "$BATS_TEST_TMPDIR/table"
	for c in $("$BUILD/sandbox" --help | sed -n 's/^  \([a-z]*\) .*/\1/p') \
	    completion; do
		grep -q "^\.It Nm Cm $c\( \|\$\)" "$MAN/sandbox.1" ||
			{ echo "sandbox.1 lacks $c"; return 1; }
	done
	for o in $(grep -oE -- ' --?[a-z-]+|.--?[a-z-]+' "$BATS_TEST_TMPDIR/table" |
	    grep -oE -- '--[a-z-]+' | sort -u); do
		case $o in --help | --state | --version) continue ;; esac
		has_option "$MAN/sandbox.1" "$o"
	done
}

@test "every option that a command's help names is in its part of the page" {
	bad=
	for c in $("$BUILD/sandbox" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		# Its first item, to the next command's.
		awk -v c="$c" '/^\.It Nm Cm /{on = $4 == c} on' \
		    "$MAN/sandbox.1" > "$BATS_TEST_TMPDIR/part"
		for o in $("$BUILD/sandbox" "$c" --help |
		    grep -oE -- '^ +(-.,)? *--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
			case $o in --help | --state | --json) continue ;; esac
			has_option "$BATS_TEST_TMPDIR/part" "$o" ||
			    bad="$bad $c:$o"
		done
	done
	[ -z "$bad" ] || { echo "sandbox.1 lacks$bad"; return 1; }
}

@test "every page has its parts, and refers to pages that are there" {
	for page in "$MAN"/*.[158]; do
		grep -q '^\.so ' "$page" && continue
		for part in NAME DESCRIPTION; do
			grep -q "^\.Sh $part\$" "$page"
		done
		grep -q '^\.Nd ' "$page"
		while read -r name section; do
			case $name in rename) continue ;; esac
			[ -e "$MAN/$name.$section" ] ||
				{ echo "$page: $name $section"; return 1; }
		done < <(grep -oE '^\.?(.* )?Xr [a-z-]+ [158]' "$page" |
		    grep -oE '[a-z-]+ [158]$')
	done
}

@test "every file that we leave on a disk is in a page of a format" {
	export HOME=$BATS_TEST_TMPDIR/h XDG_STATE_HOME=$BATS_TEST_TMPDIR/s \
	    XDG_DATA_HOME=$BATS_TEST_TMPDIR/d
	mkdir -p "$HOME" "$BATS_TEST_TMPDIR/p"
	cd "$BATS_TEST_TMPDIR/p"
	"$BUILD/sandbox" init --claude --auto-allow
	"$BUILD/sandbox" doctor
	"$BUILD/sandbox" audit checkpoint
	cat "$MAN"/*.5 > "$BATS_TEST_TMPDIR/pages"
	(cd .sandbox && find . -mindepth 1; cd "$XDG_STATE_HOME/sandbox" &&
	    find . -mindepth 2 ! -path '*/originals/*'; cd "$XDG_DATA_HOME" && find . -type f) |
	    sed 's,.*/,,' | grep -vxE '[0-9]+-[0-9]+' | sort -u > "$BATS_TEST_TMPDIR/names"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/names")" -gt 20 ]
	while read -r name; do
		grep -qF -- "$name" "$BATS_TEST_TMPDIR/pages" ||
			{ echo "no page names $name"; return 1; }
	done < "$BATS_TEST_TMPDIR/names"
}

@test "sandbox-policy.5 names every limit, sandbox-jail.5 every group" {
	for limit in $(sed -n 's/^| `\([a-z_]*\)`\(, `\([a-z_]*\)`\)\? | [0-9].*/\1 \3/p' \
	    "$SRC/docs/POLICY.md"); do
		grep -q "$limit" "$MAN/sandbox-policy.5" ||
			{ echo "$limit"; return 1; }
	done
	for key in filesystem network credentials environment limits; do
		grep -q "$key" "$MAN/sandbox-jail.5"
	done
}
