#include "hooks/dialect.h"

#include "common/mem.h"
#include "hooks/wire.h"

#include "common/banned.h"

static const struct dialect *const dialects[] = { &dialect_claude };

const struct dialect *
dialect_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(dialects); i++)
		if (str_eq(dialects[i]->name, name))
			return dialects[i];
	return NULL;
}

void
reply_init(struct reply *r)
{
	r->status = 0;
	str_init(&r->out, WIRE_REPLY / 2);
	str_init(&r->err, WIRE_REPLY / 4);
}

void
reply_clear(struct reply *r)
{
	str_clear(&r->out);
	str_clear(&r->err);
}
