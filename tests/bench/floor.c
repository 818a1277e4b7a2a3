/* The least a hook can be: a static program that reads its input. */
#include <unistd.h>

int
main(void)
{
	static char buf[65536];
	ssize_t n;

	while ((n = read(STDIN_FILENO, buf, sizeof buf)) > 0)
		continue;
	return n == 0 ? 0 : 1;
}
