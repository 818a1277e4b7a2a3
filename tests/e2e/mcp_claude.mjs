#!/usr/bin/env node
// Claude Code with our MCP server configured, beside our hooks.
import fs from 'node:fs';

import { finish, startClaude } from './lib/client.mjs';
import { server } from './lib/mcp.mjs';
import { bash, other, say } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

const TOOL = 'mcp__sandbox__';
const ALLOWED = ['--allowedTools', 'mcp__sandbox,Bash'];

const ask = command => other(`${TOOL}run_privileged`,
  { command, reason: 'a test' });

async function ready(t, options) {
  const place = await Place.ready(t, options);
  const { command, args } = server(place);
  fs.writeFileSync(place.path('.mcp.json'), JSON.stringify({
    mcpServers: { sandbox: { command, args } } }));
  return place;
}

const start = (t, place, turns) => startClaude(t, place, { turns },
  { args: ALLOWED });

await cases({
  'approved: the model gets the output, as a plain result': async t => {
    const place = await ready(t);
    const call = ask(`${place.deploy} mcp`);
    const run = await start(t, place, [[call], [say('done')]]);
    const [shown] = await place.waiting();
    t.is(shown.tool, 'Bash', 'a shell call');
    t.is(shown.agent, 'claude', 'by Claude Code');
    t.is(shown.agent_says, 'a test', 'with its reason');
    t.is(place.runs(), [], 'nothing ran before the decision');
    t.is((await place.approve(shown)).code, 0, 'approved');
    const end = await finish(t, run);
    const result = end.model.results.get(call.id);
    t.is(result.isError, false, 'no error');
    t.has(result.text, 'DEPLOYED \u00fc', 'the output');
    t.is(place.runs().length, 1, 'it ran once');
    const tools = end.model.requests[0].tools.map(x => x.name);
    t.ok(tools.includes(`${TOOL}run_privileged`),
      'it was there from the first request on');
    t.has(end.model.heard, 'This project is gated by sandbox',
      'the instructions reached the model');
    await place.verified(t);
  },

  'denied, with the human\'s words': async t => {
    const place = await ready(t);
    const call = ask(`${place.deploy} no`);
    const run = await start(t, place, [[call], [say('done')]]);
    const [shown] = await place.waiting();
    await place.deny(shown, 'use staging');
    const end = await finish(t, run);
    const result = end.model.results.get(call.id);
    t.is(result.isError, true, 'an error for the model');
    t.has(result.text, 'use staging', 'the words');
    t.is(place.runs(), [], 'nothing ran');
  },

  'pending, then collected by check_request': async t => {
    const place = await ready(t, { policy: { limits: { wait_alone_s: 1 } } });
    const call = ask(`${place.deploy} later`);
    let shown, check;
    const collect = async () => {
      [shown] = await place.waiting();
      await place.approve(shown);
      check = other(`${TOOL}check_request`, { request_id: shown.id });
      return [check];
    };
    const run = await start(t, place, [[call], collect, [say('done')]]);
    const end = await finish(t, run);
    t.has(end.model.results.get(call.id).text, 'pending', 'first pending');
    t.has(end.model.results.get(check.id).text, 'DEPLOYED', 'then the answer');
    t.is(place.runs().length, 1, 'it ran once');
  },

  'asked through a hook, collected through MCP': async t => {
    const place = await ready(t, { policy: { limits: { wait_alone_s: 1 } } });
    const call = bash(`${place.deploy} mixed`);
    let check;
    const collect = async () => {
      const [shown] = await place.waiting();
      await place.approve(shown);
      check = other(`${TOOL}check_request`, { request_id: shown.id });
      return [check];
    };
    const run = await start(t, place, [[call], collect, [say('done')]]);
    const end = await finish(t, run);
    t.has(end.model.results.get(call.id).text, 'PENDING', 'first pending');
    t.has(end.model.results.get(check.id).text, 'DEPLOYED', 'then the answer');
    t.is(place.runs().length, 1, 'it ran once');
  },

  'asked through MCP, collected by the same command through a hook':
  async t => {
    const place = await ready(t, { policy: { limits: { wait_alone_s: 1 } } });
    const asked = ask(`${place.deploy} other way`);
    const again = bash(`${place.deploy} other way`);
    const collect = async () => {
      const [shown] = await place.waiting();
      await place.approve(shown);
      return [again];
    };
    const run = await start(t, place, [[asked], collect, [say('done')]]);
    const end = await finish(t, run);
    t.has(end.model.results.get(asked.id).text, 'pending', 'first pending');
    t.has(end.model.results.get(again.id).text,
      'APPROVED and already executed once', 'then the answer');
    t.is(place.runs().length, 1, 'it ran once, and not in the agent');
  },

  'a result of 40,000 characters arrives whole': async t => {
    const place = await ready(t);
    const call = ask(`${place.deploy} big; seq 1 6500; echo THE END`);
    const run = await start(t, place, [[call], [say('done')]]);
    const [shown] = await place.waiting();
    await place.approve(shown);
    const end = await finish(t, run);
    const { text } = end.model.results.get(call.id);
    t.has(text, 'DEPLOYED', 'the head');
    t.has(text, 'THE END', 'the tail');
    t.has(text, '3250', 'the middle');
  },

  'the client is killed while it waits: the request is taken back':
  async t => {
    const place = await ready(t);
    const run = await start(t, place, [[ask(`${place.deploy} gone`)],
      [say('done')]]);
    const [shown] = await place.waiting();
    process.kill(run.pid, 'SIGKILL');
    await run.done;
    let left = 1;
    for (let i = 0; i < 100 && left > 0; i++) {
      left = (await place.pending()).length;
      await new Promise(r => setTimeout(r, 50));
    }
    t.is(left, 0, 'nothing waits');
    t.is((await place.approve(shown)).code, 124, 'too late to approve');
    t.is(place.runs(), [], 'nothing ran');
  },
});
