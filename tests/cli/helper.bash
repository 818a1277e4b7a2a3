# A project of one's own for each test: $STAGE/proj is the working directory,
# keys and private data lie beside it.  Nothing outside $STAGE is touched.
bats_require_minimum_version 1.5.0

project_setup()
{
	STAGE=$(cd "$(mktemp -d "${TMPDIR:-/tmp}/sandbox-test.XXXXXX")" && pwd -P)
	export HOME="$STAGE/home" XDG_STATE_HOME="$STAGE/state" \
		XDG_DATA_HOME="$STAGE/data"
	mkdir "$STAGE/proj" "$HOME"
	cd "$STAGE/proj"
}

project_teardown()
{
	cd /
	chmod -R u+rwX "$STAGE" 2>/dev/null || :
	rm -rf "$STAGE"
}

sandbox() { "$BUILD/sandbox" "$@"; }
