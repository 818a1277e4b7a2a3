#!/usr/bin/env node
// A whole agent in the jail: the real client, started by `sandbox run --agent
// claude`, works, is gated by its hooks, and cannot get out.
import fs from 'node:fs';
import path from 'node:path';

import { becomeNobody } from './lib/nobody.mjs';

await becomeNobody(import.meta.filename);

const { runClaude } = await import('./lib/client.mjs');
const { bash, say } = await import('./lib/model.mjs');
const { Place } = await import('./lib/place.mjs');
const { cases } = await import('./lib/tap.mjs');

const run = (t, place, turns) => runClaude(t, place, { turns }, {
  agent: true });

const ATTACK = place => `
try() { if eval "$2" 2>/dev/null; then echo "$1 CAN"; else echo "$1 cannot"; fi; }
try key "cat ${place.data}/sandbox/keys/approver.key"
try log "cat ${place.priv}/log.key"
try ledger "ls ${place.priv}/ledger"
try policy "echo x >>${place.priv}/view/policy.accepted"
try settings "echo x >>.claude/settings.local.json"
try user "echo x >>$CLAUDE_CONFIG_DIR/settings.json"
try hooks "echo x >.git/hooks/pre-commit"
try approve "${place.bin}/sandbox approve x --digest ${'0'.repeat(64)}"
try host "exec 3<>/dev/tcp/192.0.2.1/80"
echo grade $(${place.bin}/sandbox doctor --state ${place.state} | grep -o 'grade B')
`;

await cases({
  'it works: a test runs, nobody is asked, and claims reach the log': async t => {
    const place = await Place.ready(t);
    fs.writeFileSync(place.path('package.json'), JSON.stringify({ name: 'p',
      version: '1.0.0', scripts: { test: 'echo jail $SANDBOX_JAIL; touch made' } }));
    const call = bash('npm test');
    const end = await run(t, place, [[call], [say('done')]]);
    const result = end.model.results.get(call.id);
    t.is(result.isError, false, `it ran (${result.text})`);
    t.has(result.text, 'jail 1', 'in the jail');
    t.is(fs.existsSync(place.path('made')), true, 'what it made stays');
    t.is(await place.pending(), [], 'no request was made');
    const log = await place.mustSandbox('log', '--json');
    t.has(log.out, 'claim', 'its hooks left claims');
    t.has(log.out, 'sandbox.started', 'its start is recorded');
    await place.verified(t);
  },

  'it cannot get out, forge, approve, or change what decides': async t => {
    const place = await Place.ready(t);
    fs.mkdirSync(place.path('.git/hooks'), { recursive: true });
    fs.writeFileSync(place.path('attack.sh'), ATTACK(place));
    const call = bash('bash ./attack.sh');
    const end = await run(t, place, [[call], [say('done')]]);
    const result = end.model.results.get(call.id);
    for (const what of ['key', 'log', 'ledger', 'policy', 'settings', 'user',
      'hooks', 'approve', 'host'])
      t.has(result.text, `${what} cannot`, what);
    t.has(result.text, 'grade B', 'doctor says so');
  },

  'what a human must decide is asked outside, and executed there': async t => {
    const place = await Place.ready(t);
    const call = bash(`${place.deploy} now`);
    const done = run(t, place, [[call], [say('done')]]);
    const [shown] = await place.waiting(1);
    t.is((await place.approve(shown)).code, 0, 'approved');
    const result = (await done).model.results.get(call.id);
    t.has(result.text, 'APPROVED and already executed once', 'it hears so');
    t.is(place.runs().map(r => r.args), ['now'], 'once');
    t.is(place.runs()[0].env.SANDBOX_JAIL, undefined, 'outside the jail');
    await place.verified(t);
  },
});
