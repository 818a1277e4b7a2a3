#!/usr/bin/env node
// Codex, Gemini CLI and opencode with the MCP server that `init --mcp` gave
// them, beside our hooks.
import { AGENTS, finishAgent, startAgent } from './lib/agents.mjs';
import { say, tool } from './lib/models.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

// Each client names a server's tools in its own way.
const ask = (agent, place, word) => {
  const args = { command: `${place.deploy} ${word}`, reason: 'a test' };
  const call = tool('run_privileged', args);
  if (agent.name === 'codex') call.namespace = 'mcp__sandbox';
  return async model => {
    const [, name] = JSON.stringify(model.requests.at(-1).tools)
      .match(/"name":"([\w.-]*run_privileged)"/) ?? [];
    if (!name) throw new Error('the server\'s tools are not offered');
    call.name = name;
    model.asked = call;
    return [call];
  };
};

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
])));
