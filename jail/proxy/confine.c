#include "jail/proxy/confine.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include "jail/filter.h"
#include "jail/harden.h"

#include "common/banned.h"

int
confine(struct err *e)
{
	struct rlimit none = { 0, 0 };

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1 ||
	    setrlimit(RLIMIT_CORE, &none) == -1)
		return err_sys(e, "cannot close this process");
	if (harden_plain(e) == -1 || harden_no_files(e) == -1)
		return -1;
	return filter_enter(&filter_proxy, e);
}
