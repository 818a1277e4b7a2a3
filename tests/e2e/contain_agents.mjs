#!/usr/bin/env node
// What policy contains runs in the jail, nobody asked, in Codex and Gemini too.
import fs from 'node:fs';
import path from 'node:path';

import { becomeNobody } from './lib/nobody.mjs';

await becomeNobody(import.meta.filename, { clients: ['npm'] });

const { AGENTS, finishAgent, startAgent } = await import('./lib/agents.mjs');
const { say } = await import('./lib/models.mjs');
const { Place } = await import('./lib/place.mjs');
const { cases } = await import('./lib/tap.mjs');

async function project(t, agent, options) {
  const place = await Place.ready(t, { agent: agent.name, ...options });
  fs.writeFileSync(place.path('package.json'), JSON.stringify({ name: 'p',
    version: '1.0.0', scripts: { test: 'echo "jail=$SANDBOX_JAIL"; touch made' } }));
  return place;
}

async function run(t, place, agent) {
  const call = agent.shell('npm test');
  const end = await finishAgent(t, await startAgent(t, place, agent, {
    turns: [[call], [say('done')]] }));
  return end.model.results.get(call);
}

// A rule of the client's own about its shell.
const RULES = {
  codex: ['.codex/rules/x.rules',
    'prefix_rule(pattern = ["npm", "publish"], decision = "forbidden")\n'],
  gemini: ['.gemini/policies/x.toml',
    '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "npm publish"\n' +
    'decision = "deny"\npriority = 100\n'],
};

const behaviours = {
  'npm test runs in the jail': async (t, agent) => {
    const place = await project(t, agent);
    const text = await run(t, place, agent);
    t.has(text, 'jail=1', 'in the jail');
    t.is(fs.existsSync(place.path('made')), true, 'what it made stays');
    t.is(await place.pending(), [], 'no request was made');
    const log = await place.mustSandbox('log', '--json');
    t.has(log.out, '"contain"', 'the verdict is recorded');
    t.hasNot(log.out, 'hook.missed', 'and what ran is what was judged');
    await place.verified(t);
  },

  'a rule of its own keeps the question': async (t, agent) => {
    const place = await project(t, agent, { policy: {
      limits: { wait_alone_s: 1 } } });
    const [name, text] = RULES[agent.name];
    const file = path.join(place.path(name));
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    t.has(await run(t, place, agent), 'PENDING', 'a human is asked');
    t.is(fs.existsSync(place.path('made')), false, 'nothing ran');
  },
};

const boxed = { ...AGENTS.codex, args: AGENTS.codex.args.map(a =>
  a === 'danger-full-access' ? 'workspace-write' : a) };

await cases({
  'codex: where it boxes commands itself no jail fits, so a human is asked':
  async t => {
    const place = await project(t, boxed, { policy: {
      limits: { wait_alone_s: 1 } } });
    t.has(await run(t, place, boxed), 'PENDING', 'a human is asked');
  },
  ...Object.fromEntries(['codex', 'gemini'].flatMap(name =>
  Object.entries(behaviours).map(([what, fn]) =>
    [`${name}: ${what}`, t => fn(t, AGENTS[name])]))),
});
