#include "approver/summary.h"

#include "policy/call.h"

#include "common/banned.h"

void
summary_line(const struct request *req, struct str *ret)
{
	const struct call call = {
		.tool = req->tool, .input = req->input, .cwd = req->cwd,
	};

	call_summary(&call, ret);
}
