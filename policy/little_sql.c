/* policy/little_sql.c - does a query of sqlite3 only look? */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/little.h"
#include "common/banned.h"

#define SQL_LONG	(16 << 10)

static const char *const begins[] = { "select", "with", "explain", "values" };
static const char *const pragmas[] = { "table_info", "table_list",
	"table_xinfo", "index_list", "index_info", "foreign_key_list",
	"database_list", "compile_options", "integrity_check",
	"quick_check", "function_list" };
static const char *const dots[] = { ".schema", ".tables", ".indexes",
	".indices", ".databases", ".fullschema", ".dbinfo" };
/* Words that change, load or leave; a column of that name is asked. */
static const char *const grave[] = { "insert", "update", "delete", "replace",
	"drop", "create", "alter", "attach", "detach", "vacuum", "reindex",
	"load_extension", "readfile", "writefile", "edit", "fsdir", "pragma",
	"begin", "commit", "savepoint", "analyze", "fts3_tokenizer",
	"sqlar_compress", "lsdir", "zipfile", "eval", "csv", "dbpage" };

static bool
listed(const char *p, size_t len, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(list[i]) == len && strncasecmp(p, list[i], len) == 0)
			return true;
	return false;
}

static size_t
word_len(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* Behind a string, a name in quotes or a comment; NULL: it does not end. */
static const char *
skip_quoted(const char *p)
{
	const char *end;

	if (p[0] == '-' && p[1] == '-')
		return p + strcspn(p, "\n");
	if (p[0] == '/' && p[1] == '*') {
		end = strstr(p + 2, "*/");
		return end == NULL ? NULL : end + 2;
	}
	end = strchr(p + 1, *p == '[' ? ']' : *p);
	return end == NULL ? NULL : end + 1;
}

static bool
is_quoted(const char *p)
{
	return strchr("'\"`[", *p) != NULL || (p[0] == '-' && p[1] == '-') ||
	    (p[0] == '/' && p[1] == '*');
}

/* `pragma table_info(x)`: only those that tell; without "=". */
static bool
pragma_safe(const char *p)
{
	size_t n;

	p += strspn(p, " \t\n");
	n = word_len(p);
	if (!listed(p, n, pragmas, ARRAY_LEN(pragmas)))
		return false;
	p += strcspn(p, "=;");
	return p[strspn(p, "; \t\n")] == '\0';
}

bool
sql_safe(const char *text)
{
	bool first = true;

	if (strlen(text) > SQL_LONG)
		return false;
	text += strspn(text, " \t\n");
	if (*text == '.') {
		size_t n = strcspn(text, " \t\n");

		return listed(text, n, dots, ARRAY_LEN(dots)) &&
		    text[strcspn(text, "\n|>")] == '\0';
	}
	while (text != NULL && *text != '\0') {
		size_t n = word_len(text);

		if (is_quoted(text)) {
			text = skip_quoted(text);
			continue;
		}
		if (n == 0) {
			first = first || *text == ';';
			text++;
			continue;
		}
		if (first && n == 6 && strncasecmp(text, "pragma", n) == 0)
			return pragma_safe(text + n);
		if (first && !listed(text, n, begins, ARRAY_LEN(begins)))
			return false;
		/* replace(x, y, z) is a function, REPLACE INTO is not. */
		if (listed(text, n, grave, ARRAY_LEN(grave)) &&
		    !(n == 7 && tolower((unsigned char)*text) == 'r' &&
		    text[n] == '('))
			return false;
		first = false;
		text += n;
	}
	return text != NULL;
}
