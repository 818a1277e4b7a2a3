/* policy/line.c */
#include "policy/line.h"
#include "common/banned.h"
void
line_add(struct facts *f, const char *command)
{
	(void)command;
	facts_unknown(f, NULL, (struct span){ 0, 0 },
	    "its shell text is not understood");
}
