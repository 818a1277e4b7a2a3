/* Words that only tell a version, and those that look like it. */
#include "common/mem.h"
#include "tests/unit/policy_unit.h"

/* clang-format off */
static const char *const denied[] = {
	"python3 -v < .sandbox/policy.json",
	"sh -V < .sandbox/x.sh",
};

static const char *const asked[] = {
	/* What runs the project says more than it tells. */
	"pytest -v",
	"tox -v",
	"ninja -v",
	"nox -v",
	"ant -v",
	"timeout 60 pytest -v",
	"mvn -V",
	"gradle -V",
	"gradle --info",
	"sbt --info",
	"make -V",
	/* conftest.py, toxfile.py, .mocharc.js, .pylintrc come first. */
	"pytest --version",
	"pytest --help",
	"tox --version",
	"mocha --version",
	"pylint --version",
	"flake8 --version",
	"bazel --version",
	"lein --version",
	/* They read programs from their input. */
	"echo 'rm x' | sh -V",
	"cat x | dash -V",
	"sh -V < evil.sh",
	"zsh -V < evil",
	"cat x | sh -version",
	"cat x | python3 -v",
	"python3 -v < evil.py",
	"cat x | tclsh -V",
	"cat x | tclsh --version",
	"cat x | expect -V",
	"cat x | erl --version",
	"cat x | ex -V",
	"cat x | vim -V",
	"cat x | ocaml -v",
	"cat x | swift -v",
	"as -v",
	/* Without a sub-command, too. */
	"cat x | ocaml",
	"cat x | swift",
	"cat x.ts | ts-node",
	"tsx < x.ts",
	"tsx <<< 'x'",
	"cat x | as",
	"yarn",
	"pnpm -r",
	"vercel",
	"nix-shell",
	"docker --context x",
	"make -V x",
};

static const char *const fine[] = {
	"make -v", "make --version", "gcc -v", "clang --version",
	"node -v", "node --version", "npm -v", "python3 -V",
	"python3 --version", "perl -v", "ruby -v", "php -v", "lua -v",
	"java -version", "javac -version", "rustc -V", "cargo -V",
	"mvn -v", "mvn --version", "gradle -v", "dotnet --info",
	"cmake --version", "ninja --version", "curl -V", "ssh -V",
	"sqlite3 -version", "docker -v", "bash --version", "sh --help",
	"tmux -V", "yarn --version", "uv -V", "poetry --version",
};
/* clang-format on */

#include "tests/unit/policy_verdicts.h"

UNIT_MAIN("policy: what only tells",
    tcase_add_test(tc, what_is_denied);
    tcase_add_test(tc, what_is_asked);
    tcase_add_test(tc, what_stays_open);
)
