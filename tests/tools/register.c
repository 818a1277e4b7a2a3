/*
 * tests/tools/register LIBEXEC ROOT STATE - settings with our registrations,
 * as init writes them.
 */
#include <stdio.h>

#include "hooks/registration.h"

#include "common/banned.h"

int
main(int argc, char **argv)
{
	cJSON *all = json_object(), *hooks = json_object();
	struct str s;

	if (argc < 4)
		return 2;

	const struct registration_place place = { .libexec = argv[1],
	    .root = argv[2], .state = argv[3] };

	for (const struct registration *r = registration_claude;
	    r->event != NULL; r++) {
		cJSON *groups = json_array();

		json_push(groups, registration_group(r, &place));
		json_add(hooks, r->event, groups);
	}
	json_add(all, "hooks", hooks);
	json_add_bool(all, "disableAllHooks", false);
	str_init(&s, 1 << 20);
	json_print(all, &s);
	printf("%s\n", s.s);
	str_clear(&s);
	json_free(all);
	return 0;
}
