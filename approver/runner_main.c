/*
 * sandbox-runner --state PRIVATE --id ID - see approver/runner.h.
 */
#include <string.h>

#include "approver/runner.h"
#include "common/digest.h"

#include "common/banned.h"

int
main(int argc, char **argv)
{
	struct err e = { 0 };

	if (argc != 5 || strcmp(argv[1], "--state") != 0 ||
	    strcmp(argv[3], "--id") != 0)
		return ERR_USAGE;
	if (digest_setup(&e) == -1 || runner_run(argv[2], argv[4], &e) == -1)
		return err_exit(&e);
	return 0;
}
