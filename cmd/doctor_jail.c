#include "cmd/doctor_jail.h"

#include <unistd.h>

#include "common/mem.h"
#include "jail/enter.h"
#include "jail/reason.h"

#include "common/banned.h"

int
doctor_jail(struct str *ret)
{
	char program[] = "/bin/true";
	char *argv[] = { program, NULL }, *envp[] = { NULL };
	const struct list none = { 0 };
	auto_spec struct spec spec = { 0 };
	struct jail jail = { .spec = &spec, .argv = argv, .environ = envp,
	    .place = { .cwd = "/", .home = "/" },
	    .closed = &none };
	struct err e = { 0 };
	int status;

	if (geteuid() == 0) {
		str_add(ret, "not tried as root, who cannot be jailed: "
		    "`sandbox verify --user USER`; ");
		reason_describe(ret);
		return -1;
	}
	spec_init(&spec);
	if (jail_run(&jail, &status, &e) == -1) {
		str_addf(ret, "%s; ", e.text);
		reason_describe(ret);
		return 0;
	}
	str_add(ret, "can be built here (");
	reason_describe(ret);
	str_add(ret, "); `sandbox verify` attacks it");
	return 1;
}
