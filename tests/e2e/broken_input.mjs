#!/usr/bin/env node
// Whatever stands on the hook's descriptors, the call does not run.
import { brokenRows } from './lib/broken.mjs';

// The real call passes through a filter on its way to the real hook.
const OWN = /sandbox did not let this call run/;
const SILENCED = /stdout is closed/;
const filter = text => ({ hook: `${text} | "$HOOK" "$@"`,
  says: OWN });
const sed = text => filter(`sed '${text}'`);

await brokenRows({
  'stdin: empty': { hook: 'exec "$HOOK" "$@" </dev/null',
    says: OWN },
  'stdin: closed': { hook: 'exec "$HOOK" "$@" <&-',
    says: OWN },
  'stdin: a directory': { hook: 'exec "$HOOK" "$@" </',
    says: OWN },
  'stdin: truncated': filter('head -c 200'),
  'stdin: without its last brace': filter('head -c -2'),
  'stdin: a duplicate key': sed('s/^{/{"tool_name":"Read",/'),
  'stdin: a duplicate key inside': sed(
    's/"tool_input":{/"tool_input":{"command":"ls",/'),
  'stdin: a duplicate key, escaped': sed('s/^{/{"tool\\\\u005fname":"Read",/'),
  'stdin: a NUL in front': filter(`{ printf '\\0'; cat; }`),
  'stdin: a NUL behind': filter(`{ cat; printf '\\0'; }`),
  'stdin: an escaped NUL': sed('s/"command":"/&\\\\u0000/'),
  'stdin: 9 MB': filter(
    `{ cat; head -c 9000000 /dev/zero | tr '\\0' ' '; }`),
  'stdin: 9 MB in a string': filter(`{ printf '{"x":"'; ` +
    `head -c 9000000 /dev/zero | tr '\\0' a; printf '",'; tail -c +2; }`),
  'stdin: a lone surrogate': sed('s/"command":"/&\\\\ud800/'),
  'stdin: not UTF-8': filter(`sed "s/\\"command\\":\\"/&$(printf '\\377')/"`),
  'stdin: a BOM': filter(`{ printf '\\357\\273\\277'; cat; }`),
  'stdin: two objects': filter('{ cat; echo "{}"; }'),
  'stdin: an array': filter('{ printf [; cat; printf ]; }'),
  'stdin: a comment': filter('{ echo "// x"; cat; }'),
  'stdin: nested too deeply': sed(
    `s/"tool_input":{/&"x":${'['.repeat(100)}${']'.repeat(100)},/`),
  'stdin: another event': sed('s/"PreToolUse"/"PostToolUse"/'),
  'stdin: no tool': sed('s/"tool_name"/"tool_nome"/'),
  'stdin: a tool of another type': sed('s/"tool_name":"Bash"/"tool_name":1/'),
  'stdin: input of another type': sed(
    's/"tool_input":{/"tool_input":[],"y":{/'),
  // Nothing anybody can judge: a human is asked, who has nothing to approve.
  'stdin: no command': {
    ...sed('s/"command":/"commando":/'), says: /nothing was executed/ },
  'stdin: a directory that is gone': sed(
    's/"cwd":"[^"]*"/"cwd":"\\/nonexistent"/'),
  'stdin: a relative directory': sed('s/"cwd":"[^"]*"/"cwd":"."/'),
  'stdout: closed': { hook: 'exec "$HOOK" "$@" >&-', says: SILENCED },
  'stdout: full': { hook: 'exec "$HOOK" "$@" >/dev/full', says: SILENCED },
  'stdout and stderr: closed': { hook: 'exec "$HOOK" "$@" >&- 2>&-',
    says: /hook error/ },
  'all descriptors: closed': { hook: 'exec "$HOOK" "$@" <&- >&- 2>&-',
    says: /hook error/ },
  'the working directory: deleted': { hook: 'mkdir "$ROOT/gone"; ' +
    'cd "$ROOT/gone"; rmdir "$ROOT/gone"; exec "$HOOK" "$@"' },
  'arguments: none': { hook: 'exec "$HOOK"', says: /the gate failed/ },
  'arguments: an unknown client': {
    hook: 'shift 2; exec "$HOOK" --client nobody "$@"',
    says: OWN },
  'arguments: a root that is gone': {
    hook: 'exec "$HOOK" --client claude --event PreToolUse ' +
      '--root /nonexistent --state "$PRIV"', says: OWN },
  'arguments: a state that is gone': {
    hook: 'exec "$HOOK" --client claude --event PreToolUse ' +
      '--root "$PROJECT" --state /nonexistent',
    says: OWN },
});
