/* policy/commands/find.c - a name in the sorted table. */
#include <string.h>

#include "policy/commands/table.h"
#include "common/banned.h"

const struct cmd_program *
commands_find(const char *name)
{
	size_t low = 0, high = commands_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = strcmp(commands_name(&commands_programs[mid]),
		    name);

		if (c == 0)
			return &commands_programs[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}
