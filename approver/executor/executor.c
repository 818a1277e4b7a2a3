#include "approver/executor/executor.h"

#include "common/mem.h"

#include "common/banned.h"

static const struct executor executors[] = {
	{ "Bash", "shell", execute_shell, NULL },
	{ "Write", "write file", NULL, execute_write },
	{ "Edit", "edit file", NULL, execute_edit },
	{ "MultiEdit", "edit file", NULL, execute_multi_edit },
	{ "Read", "read file", NULL, execute_read },
	{ "path_read", "read file", NULL, execute_read },
	{ "path_write", "write file", NULL, execute_write },
	{ "fetch_url", "fetch", execute_fetch, NULL },
};

const struct executor *
executor_find(const char *tool)
{
	for (size_t i = 0; i < ARRAY_LEN(executors); i++)
		if (str_eq(executors[i].tool, tool))
			return &executors[i];
	return NULL;
}
