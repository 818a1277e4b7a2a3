/*
 * tests/tools/project - make a project for shell tests.
 *
 *	project DIR [POLICY.json]
 *
 * prints the root, the private directory and the project id, one a line.
 */
#include "tests/unit/project.h"

#include "common/io.h"

#include "common/banned.h"

int
main(int argc, char **argv)
{
	struct project p;
	struct str text;
	struct err e;

	if (argc < 2)
		return 2;
	project_make_in(&p, argv[1]);
	if (argc > 2) {
		int fd = open(argv[2], O_RDONLY | O_CLOEXEC);

		str_init(&text, 1 << 20);
		if (fd == -1 || io_read_all(fd, 1 << 20, &text, &e) == -1)
			return 1;
		project_policy(&p, text.s);
		str_clear(&text);
		close(fd);
	}
	printf("%s\n%s\n%s\n", p.home.root_path, p.home.priv_path,
	    p.home.project);
	home_close(&p.home);
	return 0;
}
