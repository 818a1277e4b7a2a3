#!/usr/bin/env node
// Codex, Gemini CLI and opencode with the MCP server that `init --mcp` gave
// them, beside our hooks.
import fs from 'node:fs';
import path from 'node:path';

import { AGENTS, finishAgent, startAgent } from './lib/agents.mjs';
import { say, tool } from './lib/models.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

// Each client names a server's tools in its own way.
const use = (agent, word, args, keep) => {
  const call = tool(word, args);
  if (agent.name === 'codex') call.namespace = 'mcp__sandbox';
  return async model => {
    const [, name] = JSON.stringify(model.requests.at(-1).tools)
      .match(new RegExp(`"name":"([\\w.-]*${word})"`)) ?? [];
    if (!name) throw new Error('the server\'s tools are not offered');
    call.name = name;
    model[keep] = call;
    return [call];
  };
};
const ask = (agent, place, word) => use(agent, 'run_privileged',
  { command: `${place.deploy} ${word}`, reason: 'a test' }, 'asked');

const files = dir => Object.fromEntries(fs.readdirSync(dir,
  { recursive: true }).sort().map(f => [f,
  fs.statSync(path.join(dir, f)).isFile() ?
    fs.readFileSync(path.join(dir, f), 'latin1') : '']));

async function decided(t, agent, decide) {
  const place = await Place.ready(t, { agent: agent.name, init: ['--mcp'] });
  const run = await startAgent(t, place, agent, {
    turns: [ask(agent, place, 'mcp'), [say('done')]] });
  const [shown] = await place.waiting();
  t.is(shown.tool, 'Bash', 'a shell call');
  t.is(shown.agent_says, 'a test', 'with its reason');
  t.is(shown.agent, agent.name, 'by that client');
  t.is(place.runs(), [], 'nothing ran before the decision');
  await decide(place, shown);
  const end = await finishAgent(t, run);
  await place.verified(t);
  return { place, text: end.model.results.get(end.model.asked) };
}

await cases(Object.fromEntries(Object.values(AGENTS).flatMap(agent => [
  [`${agent.name}: approved, the output comes back`, async t => {
    const { place, text } = await decided(t, agent, async (p, shown) =>
      t.is((await p.approve(shown)).code, 0, 'approved'));
    t.has(text, 'DEPLOYED \u00fc', 'the output');
    t.is(place.runs().length, 1, 'it ran once');
  }],
  [`${agent.name}: denied, with the human's words`, async t => {
    const { place, text } = await decided(t, agent, (p, shown) =>
      p.deny(shown, 'use staging'));
    t.has(text, 'use staging', 'the words');
    t.is(place.runs(), [], 'nothing ran');
  }],
  [`${agent.name}: pending, then collected by check_request`, async t => {
    const place = await Place.ready(t, { agent: agent.name, init: ['--mcp'],
      policy: { limits: { wait_alone_s: 1 } } });
    const run = await startAgent(t, place, agent, { turns: [
      ask(agent, place, 'later'),
      async model => {
        const [shown] = await place.waiting();
        t.is((await place.approve(shown)).code, 0, 'approved');
        return use(agent, 'check_request', { request_id: shown.id },
          'checked')(model);
      },
      [say('done')]] });
    const { model } = await finishAgent(t, run);
    t.ok(/pending/i.test(model.results.get(model.asked)), 'first pending');
    t.has(model.results.get(model.checked), 'DEPLOYED', 'then the answer');
    t.is(place.runs().length, 1, 'it ran once');
    await place.verified(t);
  }],
  [`${agent.name}: uninstall gives back every byte, and the tools are gone`,
    async t => {
      const place = new Place(t);
      fs.writeFileSync(place.path('README'), 'mine\n');
      const before = files(place.project);
      await place.mustSandbox('init', '--mcp', `--${agent.name}`,
        place.project);
      t.ok(Object.keys(files(place.project)).length > 2, 'it is connected');
      await place.mustSandbox('uninstall', place.project);
      t.is(files(place.project), before, 'every byte');
      const run = await startAgent(t, place, agent, {
        turns: [[say('done')]] });
      const { model } = await finishAgent(t, run);
      t.hasNot(JSON.stringify(model.requests.at(-1).tools), 'run_privileged',
        'not offered');
    }],
])));
