#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/json.h"
#include "common/json_scan.h"

#include "common/banned.h"

#define DIGITS_KEPT	15	/* any decimal of so many survives a double */

struct walk {
	const char	*p, *end;
};

/* The next number's text; the whole is known to be good JSON. */
static const char *
next_number(const char *p, const char *end)
{
	for (; p < end; p++) {
		if (*p == '-' || (*p >= '0' && *p <= '9'))
			return p;
		if (*p != '"')
			continue;
		for (p++; *p != '"'; p++)
			if (*p == '\\')
				p++;
	}
	BUG("a number that is not in its text");
}

static bool
is_kept(const char *p, size_t len, double value)
{
	size_t digits = 0;

	for (size_t i = 0; i < len && (p[i] | 0x20) != 'e'; i++)
		digits += p[i] >= (digits > 0 ? '0' : '1') && p[i] <= '9';
	return digits <= DIGITS_KEPT && isfinite(value) &&
	    (digits == 0 || fabs(value) >= DBL_MIN);
}

static void
keep(cJSON *v, struct walk *w)
{
	size_t len;

	for (cJSON *c = v->child; c != NULL; c = c->next)
		keep(c, w);
	if (!cJSON_IsNumber(v))
		return;
	w->p = next_number(w->p, w->end);
	len = strspn(w->p, "+-.0123456789eE");
	if (!is_kept(w->p, len, v->valuedouble)) {
		v->valuestring = cJSON_malloc(len + 1);
		if (v->valuestring == NULL)
			BUG("no memory");
		memcpy(v->valuestring, w->p, len);
		v->valuestring[len] = '\0';
		v->type = (v->type & ~0xff) | cJSON_Raw;
	}
	w->p += len;
}

void
json_keep_numbers(cJSON *v, const char *text, size_t len)
{
	struct walk w = { text, text + len };

	keep(v, &w);
}

bool
json_number(const cJSON *v, double *ret)
{
	if (cJSON_IsRaw(v))
		*ret = strtod(v->valuestring, NULL);
	else if (cJSON_IsNumber(v))
		*ret = v->valuedouble;
	else
		return false;
	return true;
}
