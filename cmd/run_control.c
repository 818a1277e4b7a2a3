#include "cmd/run_control.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/mem.h"

#include "common/banned.h"

#define FIRST_FD	3

int
run_control_open(int fd, struct run_control *ret, struct err *e)
{
	ret->fd = 0;
	if (fd == 0)
		return 0;
	if (fd < FIRST_FD)
		return err_set(e, ERR_USAGE, "--control-fd takes a descriptor "
		    "from 3 on");
	if (fcntl(fd, F_GETFD) == -1)
		return err_set(e, ERR_USAGE, "--control-fd: %d is not open",
		    fd);
	ret->fd = fd;
	str_init(&ret->line, SPEC_MAX);
	return 0;
}

void
run_control_close(struct run_control *c)
{
	if (c->fd != 0)
		close(c->fd);
	c->fd = 0;
	str_clear(&c->line);
}

/* The parts that can act now, from one to the other. */
static void
replace(struct spec *to, struct spec *from)
{
	static const enum spec_list lists[] = {
		SPEC_ALLOW_DOMAINS, SPEC_DENY_DOMAINS, SPEC_DENY_ADDRESSES,
	};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct list old = to->list[lists[i]];

		to->list[lists[i]] = from->list[lists[i]];
		from->list[lists[i]] = old;
	}
	to->plain_http = from->plain_http;
}

static int
take(struct run_control *c, const char *text, size_t len,
    const struct spec_place *place, struct spec *spec)
{
	auto_spec struct spec fresh = { 0 };
	struct err e = { 0 };

	c->lines++;
	spec_init(&fresh);
	if (spec_parse(text, len, place, &fresh, &e) == -1) {
		err_add(&e, "control line %lu is ignored", c->lines);
		c->bad(c->arg, e.text);
		return 0;
	}
	replace(spec, &fresh);
	c->updated = true;
	return 1;
}

/* Every whole line of what was read. */
static int
take_lines(struct run_control *c, const struct spec_place *place,
    struct spec *spec)
{
	auto_free char *all = xstrndup(c->line.s, c->line.len);
	const char *from = all, *end = all + c->line.len, *lf;
	bool new = false;

	while ((lf = memchr(from, '\n', (size_t)(end - from))) != NULL) {
		if (lf > from)
			new |= take(c, from, (size_t)(lf - from), place,
			    spec) == 1;
		from = lf + 1;
	}
	str_clear(&c->line);
	str_init(&c->line, SPEC_MAX);
	str_addn(&c->line, from, (size_t)(end - from));
	return new;
}

int
run_control_read(struct run_control *c, const struct spec_place *place,
    struct spec *spec, struct err *e)
{
	char buf[65536];
	ssize_t n = read(c->fd, buf, sizeof buf);

	if (n == -1 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0) {
		run_control_close(c);
		return c->updated ? 0 : err_set(e, ERR_LOST, "whoever should "
		    "have written settings to --control-fd is gone");
	}
	str_addn(&c->line, buf, (size_t)n);
	if (c->line.full) {
		str_clear(&c->line);
		str_init(&c->line, SPEC_MAX);
		c->bad(c->arg, "a control line is too long and was ignored");
		return 0;
	}
	return take_lines(c, place, spec);
}
