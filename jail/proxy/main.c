/*
 * sandbox-proxy - see jail/proxy/proxy.h.  Started by `sandbox run` alone, with
 * its control socket as descriptor 3.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jail/proxy/proxy.h"

#include "common/banned.h"

#define CONTROL	3

int
main(void)
{
	struct err e = { 0 };
	struct stat st;

	if (fstat(CONTROL, &st) == -1 || !S_ISSOCK(st.st_mode)) {
		fputs("sandbox-proxy is started by sandbox run\n", stderr);
		return 2;
	}
	if (proxy_run(CONTROL, &e) == 0)
		_exit(0);
	fprintf(stderr, "sandbox-proxy: %s\n", e.text);
	_exit(8);
}
