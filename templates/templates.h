/*
 * templates/templates.h - files that init writes and what
 * the MCP server says of its tools, embedded at build time from
 * this folder by templates/gen.awk.
 */
#ifndef TEMPLATES_TEMPLATES_H
#define TEMPLATES_TEMPLATES_H

extern const char template_policy_json[];
extern const char template_mcp_tools_json[];	/* hooks/mcp: tools/list */
extern const char template_opencode_js[];	/* its plugin */

#endif
