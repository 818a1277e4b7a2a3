/*
 * tests/tools/asker - ask many things at once, as hooks would.
 *
 *	asker STATE COUNT SESSION COMMAND
 *	asker STATE lines FILE
 *	asker STATE churn COUNT BATCH MS
 *
 * Publishes COUNT requests for Bash, prints their ids, and waits for the end
 * of its stdin, holding them as a hook holds its own.  A "%d" in COMMAND is
 * their number.  A line of FILE is a tool's name, a session and an input, each
 * as JSON, with a tab between.
 * churn: COUNT requests that come in batches and are withdrawn after MS.
 */
#include "policy/call.h"
#include "queue/queue.h"
#include "tests/unit/project.h"

#include <poll.h>

#include "common/banned.h"

static struct queue *q;
static struct home h = HOME_INIT;

static int
number(const char *s)
{
	return (int)strtol(s, NULL, 10);
}

static cJSON *
bash_input(const char *command)
{
	cJSON *input = json_object();

	json_add_str(input, "command", command);
	return input;
}

static void
ask(const char *session, const char *tool, cJSON *input, struct ticket *ret)
{
	struct request r;
	struct clock now;
	struct stat st;
	struct err e;
	const struct call call = { .client = "claude", .session = session,
	    .tool = tool, .input = input, .cwd = h.root_path };

	request_init(&r);
	snprintf(r.project, sizeof r.project, "%s", h.project);
	r.origin = xstrdup("hook");
	r.agent = xstrdup("claude");
	r.session = xstrdup(session);
	r.agent_id = xstrdup("");
	r.tool_use_id = xstrdup("t");
	r.tool = xstrdup(tool);
	r.input = input;
	r.cwd = xstrdup(h.root_path);
	if (stat(h.root_path, &st) == -1)
		abort();
	r.cwd_dev = st.st_dev;
	r.cwd_ino = st.st_ino;
	r.lc = json_object();
	r.lang = xstrdup("");
	r.tz = xstrdup("");
	r.agent_says = xstrdup("");
	r.ttl_s = 3600;
	call_key(&call, &r.call_key);
	if (clock_now(&now, &e) == -1 ||
	    queue_submit(q, &r, &now, ret, &e) == -1)
		project_fail("submit", &e);
	request_clear(&r);
}

/* The next JSON value of a line. */
static cJSON *
next_value(char **at)
{
	char *text = *at, *tab = text + strcspn(text, "\t\n");
	cJSON *v = NULL;
	struct err e;

	*at = *tab == '\0' ? tab : tab + 1;
	if (json_parse(text, (size_t)(tab - text), JSON_DEPTH, &v, &e) == -1)
		project_fail(text, &e);
	return v;
}

static void
ask_lines(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;

	if (f == NULL)
		abort();
	while (getline(&line, &cap, f) > 0) {
		char *at = line;
		auto_json cJSON *tool = next_value(&at);
		auto_json cJSON *session = next_value(&at);
		struct ticket t;

		ask(session->valuestring, tool->valuestring, next_value(&at),
		    &t);
		puts(t.id);
	}
	free(line);
	fclose(f);
}

static void
churn(int count, int batch, int ms)
{
	struct ticket *t = xcalloc((size_t)batch, sizeof *t);
	struct err e;

	for (int done = 0; done < count; done += batch) {
		for (int i = 0; i < batch; i++) {
			auto_free char *cmd = xasprintf("frob %d", done + i);

			ask("churn", "Bash", bash_input(cmd), &t[i]);
		}
		poll(NULL, 0, ms);
		for (int i = 0; i < batch; i++) {
			if (queue_withdraw(q, &t[i], &e) == -1)
				project_fail("withdraw", &e);
			ticket_close(&t[i]);
		}
	}
	free(t);
}

int
main(int argc, char **argv)
{
	const struct queue_limits limits = { 100000, 100000, 1000000, 1 << 30,
	    28800, 28800 };
	struct err e;
	char c;

	if (argc < 4)
		return 2;
	if (digest_setup(&e) == -1 || home_open_state(argv[1], &h, &e) == -1 ||
	    queue_open(&h, &limits, &q, &e) == -1)
		project_fail(argv[1], &e);
	if (strcmp(argv[2], "churn") == 0) {
		churn(number(argv[3]), number(argv[4]), number(argv[5]));
		return 0;
	}
	for (int i = 0; strcmp(argv[2], "lines") != 0 &&
	    i < number(argv[2]); i++) {
		const char *d = strstr(argv[4], "%d");
		auto_free char *cmd = d == NULL ? xstrdup(argv[4]) :
		    xasprintf("%.*s%d%s", (int)(d - argv[4]), argv[4], i,
		    d + 2);
		struct ticket t;	/* held until we end */

		ask(argv[3], "Bash", bash_input(cmd), &t);
		puts(t.id);
	}
	if (strcmp(argv[2], "lines") == 0)
		ask_lines(argv[3]);
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		continue;
	return 0;
}
