#!/usr/bin/env node
// Codex, Gemini and opencode as a whole in the jail: they work, their hooks
// leave claims and ask outside, and what they run cannot get out.
import fs from 'node:fs';
import path from 'node:path';

import { becomeNobody } from './lib/nobody.mjs';

await becomeNobody(import.meta.filename, { clients: ['npm'] });

const { AGENTS, finishAgent, startAgent } = await import('./lib/agents.mjs');
const { say } = await import('./lib/models.mjs');
const { Place } = await import('./lib/place.mjs');
const { cases } = await import('./lib/tap.mjs');

const SETTINGS = { codex: '$CODEX_HOME/config.toml',
  gemini: '$GEMINI_CLI_HOME/.gemini/settings.json',
  opencode: '$XDG_CONFIG_HOME/opencode/opencode.json' };

const ATTACK = (place, agent) => `
try() { if eval "$2" 2>/dev/null; then echo "$1 CAN"; else echo "$1 cannot"; fi; }
echo "jail $SANDBOX_JAIL"
try project "echo x >made"
try key "cat ${place.data}/sandbox/keys/approver.key"
try log "cat ${place.priv}/log.key"
try policy "echo x >>${place.priv}/view/policy.accepted"
try settings "echo x >>${agent.file}"
try user "echo x >>${SETTINGS[agent.name]}"
try host "exec 3<>/dev/tcp/192.0.2.1/80"
`;

const run = async (t, place, agent, turns) =>
  finishAgent(t, await startAgent(t, place, agent, { turns }, {
    jailed: true }));

const behaviours = {
  'it works, and what it runs cannot get out': async (t, agent) => {
    const place = await Place.ready(t, { agent: agent.name });
    fs.writeFileSync(place.path('attack.sh'), ATTACK(place, agent));
    const call = agent.shell('bash ./attack.sh');
    const end = await run(t, place, agent, [[call], [say('done')]]);
    const text = end.model.results.get(call) ?? `none; ${end.stderr}`;
    t.has(text, 'jail 1', 'in the jail');
    t.has(text, 'project CAN', 'the project can be written');
    for (const what of ['key', 'log', 'policy', 'settings', 'user', 'host'])
      t.has(text, `${what} cannot`, what);
    t.is(await place.pending(), [], 'nobody was asked');
    const log = await place.mustSandbox('log', '--json');
    t.has(log.out, '"kind":"claim"', 'its hooks left claims');
    await place.verified(t);
  },

  'what a human must decide is asked outside': async (t, agent) => {
    const place = await Place.ready(t, { agent: agent.name });
    const call = agent.shell(`${place.deploy} now`);
    const done = run(t, place, agent, [[call], [say('done')]]);
    const [shown] = await place.waiting(1);
    t.is((await place.approve(shown)).code, 0, 'approved');
    const end = await done;
    t.has(end.model.results.get(call), 'APPROVED and already executed once',
      'it hears so');
    t.is(place.runs().map(r => r.args), ['now'], 'once');
  },
};

await cases(Object.fromEntries(Object.values(AGENTS).flatMap(agent =>
  Object.entries(behaviours).map(([name, fn]) =>
    [`${agent.name}: ${name}`, t => fn(t, agent)]))));
