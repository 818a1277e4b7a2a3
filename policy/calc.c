/* policy/calc.c - calculations: a name in one may hold code. */
#include <ctype.h>
#include <string.h>

#include "policy/value.h"
#include "policy/walk.h"
#include "common/banned.h"

/* A name in a calculation is calculated in its turn: its value is code. */
static bool
name_safe(struct walk *w, struct state *st, const char *name, bool set)
{
	const char *v = state_var(w, st, name);

	if (v != NULL ? !value_number(v) : w->given)
		return false;
	if (set && state_grave(name))
		return false;
	if (set)
		state_set(w, st, name, VALUE_NUMBER);
	return true;
}

/* $1 is calculated as well. */
static bool
digit_safe(struct walk *w, struct state *st, char digit)
{
	const char name[2] = { digit, '\0' };

	return !isdigit((unsigned char)digit) ||
	    name_safe(w, st, name, false);
}

#define CALC_LONG	(16 << 10)

bool
calc_safe(struct walk *w, struct state *st, const char *text)
{
	bool set = strchr(text, '=') != NULL || strstr(text, "++") != NULL ||
	    strstr(text, "--") != NULL;

	if (strlen(text) > CALC_LONG)
		return false;
	for (const char *p = text; *p != '\0';) {
		size_t n = 0;
		char *name;

		while (shell_is_name(p, n + 1))
			n++;
		if (n == 0) {
			if (strchr("[]\"'`\\{}", *p) != NULL ||
			    (*p == '$' && !shell_is_name(p + 1, 1) &&
			    !isdigit((unsigned char)p[1])))
				return false;
			if (*p == '$' && !digit_safe(w, st, p[1]))
				return false;
			/* 0x1f, 10#7: digits with letters are no names */
			if (isdigit((unsigned char)*p))
				while (isalnum((unsigned char)*p) ||
				    *p == '#')
					p++;
			else
				p++;
			continue;
		}
		name = arena_text(w->f->arena, p, n);
		if (name == NULL || !name_safe(w, st, name, set))
			return false;
		p += n;
	}
	return true;
}
