#!/usr/bin/env node
// The harness itself: it must see a tool run when nothing forbids it, or no
// other case here could fail; and hooks of a trivial kind must stop it.
import fs from 'node:fs';

import { BYPASS, runClaude } from './lib/client.mjs';
import { bash, say } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

const DENY = { hookSpecificOutput: { hookEventName: 'PreToolUse',
  permissionDecision: 'deny', permissionDecisionReason: 'no\n\u00fc' } };

async function withHook(t, hook, options) {
  const place = new Place(t);
  const command = `${place.root}/hook`;
  const call = bash(`${place.deploy} now`);
  if (hook) fs.writeFileSync(command, hook, { mode: 0o755 });
  fs.mkdirSync(place.path('.claude'));
  fs.writeFileSync(place.settings, JSON.stringify({ hooks: { PreToolUse: [
    { matcher: '*', hooks: [{ type: 'command', command, args: [],
      onFailure: 'block' }] }] } }));
  const run = await runClaude(t, place, { turns: [[call], [say('done')]] },
    options);
  return { place, result: run.model.results.get(call.id) };
}

await cases({
  'a call that no hook stops does run': async t => {
    const { place, result } = await withHook(t, '#!/bin/sh\n');
    t.is(place.runs().length, 1, 'one run');
    t.is(place.runs()[0].args, 'now', 'its arguments');
    t.is(place.runs()[0].env.CLAUDECODE, '1', 'by the agent itself');
    t.is(result, { text: 'DEPLOYED \u00fc', isError: false }, 'its output');
  },

  'a hook that denies stops it, also in bypassPermissions': async t => {
    const { place, result } = await withHook(t,
      `#!/bin/sh\ncat >/dev/null\nprintf %s '${JSON.stringify(DENY)}'\n`,
      { args: BYPASS });
    t.is(place.runs(), [], 'nothing ran');
    t.is(result, { text: 'PreToolUse:Bash hook error: no\n\u00fc',
      isError: true }, 'the model hears why');
  },

  'a hook that is missing stops it': async t => {
    const { place, result } = await withHook(t, null);
    t.is(place.runs(), [], 'nothing ran');
    t.is(result?.isError, true, 'the model hears of it');
  },
});
