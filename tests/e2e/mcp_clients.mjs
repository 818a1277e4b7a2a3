#!/usr/bin/env node
// Clients that others wrote, at our MCP server: the inspector, the SDK of the
// first generation and the one of the second, in each of its modes.
import { Agent, inspector } from './lib/mcp.mjs';
import { Place } from './lib/place.mjs';
import { cases, until } from './lib/tap.mjs';

const NAMES = ['run_privileged', 'request_path_access', 'fetch_url',
  'check_request', 'sandbox_status'];
const MANY = { policy: { limits: { pending_session_max: 100,
  new_per_minute: 1000 } } };

const deploy = (agent, place, word, options) => agent.call('run_privileged',
  { command: `${place.deploy} ${word}`, reason: 'a test' }, options);

const nobodyAsked = place => until(async () =>
  (await place.pending()).length === 0, 10, 'the request to be taken back');

// Someone who takes a while.
async function approveAfter(place, ms = 0) {
  const [shown] = await place.waiting();
  await new Promise(r => setTimeout(r, ms));
  return place.approve(shown);
}

async function roundTrip(t, agent, place, word) {
  t.is(await agent.list(), NAMES, 'the five tools');
  const call = deploy(agent, place, word);
  const [shown] = await place.waiting();
  t.is(place.runs(), [], 'nothing ran before the decision');
  t.is((await place.approve(shown)).code, 0, 'approved');
  const { result } = await call;
  t.is(result.structuredContent.status, 'done', 'it was done');
  t.is(result.structuredContent.request_id, shown.id, 'as that request');
  t.has(result.structuredContent.output, 'DEPLOYED \u00fc', 'its output');
  t.has(result.content[0].text, 'APPROVED and already executed once',
    'in words as well');
  t.is(place.runs().map(r => r.args), [word], 'it ran once');
}

await cases({
  'inspector --strict: the schemas are portable': async t => {
    const place = await Place.ready(t);
    const r = await inspector(place, '--method', 'tools/list', '--strict');
    t.is(r.code, 0, `exit code (${r.err})`);
    t.is(JSON.parse(r.out).tools.map(x => x.name), NAMES, 'the five tools');
    t.hasNot(r.err, 'error', 'no complaint');
  },

  'inspector: a call, approved in another process': async t => {
    const place = await Place.ready(t);
    const call = inspector(place, '--method', 'tools/call', '--tool-name',
      'run_privileged', '--tool-arg', `command=${place.deploy} inspected`,
      '--tool-arg', 'reason=a test');
    await approveAfter(place);
    const r = await call;
    t.is(r.code, 0, `exit code (${r.err})`);
    t.has(r.out, 'DEPLOYED \u00fc', 'the output');
    t.is(place.runs().map(x => x.args), ['inspected'], 'it ran once');
  },

  'SDK 1: list, call, answer, validated by the output schema': async t => {
    const place = await Place.ready(t);
    await roundTrip(t, await Agent.connect(t, place, 1), place, 'one');
  },

  'SDK 1: progress keeps a call alive past its timeout': async t => {
    const place = await Place.ready(t);
    const agent = await Agent.connect(t, place, 1);
    const call = deploy(agent, place, 'slow', { timeout: 7000,
      resetTimeoutOnProgress: true });
    await approveAfter(place, 12000);
    const { result, progress } = await call;
    t.is(result.structuredContent.status, 'done', 'it was done');
    t.ok(progress.length >= 2, `progress was told (${progress})`);
    t.ok(progress.every((p, i) => i === 0 || p > progress[i - 1]),
      `and grew strictly (${progress})`);
  },

  'SDK 1: a call that times out is taken back': async t => {
    const place = await Place.ready(t);
    const agent = await Agent.connect(t, place, 1);
    const call = deploy(agent, place, 'late', { timeout: 3000 })
      .catch(e => e);
    await place.waiting();
    t.is((await call).code, -32001, 'the client gave up');
    await nobodyAsked(place);
    t.is(place.runs(), [], 'nothing ran');
  },

  'SDK 1: killed while it waits: the request is taken back': async t => {
    const place = await Place.ready(t);
    const agent = await Agent.connect(t, place, 1);
    deploy(agent, place, 'gone').catch(() => {});
    const [shown] = await place.waiting();
    agent.process.kill('SIGKILL');
    await nobodyAsked(place);
    t.is((await place.approve(shown)).code, 124, 'too late to approve');
    t.is(place.runs(), [], 'nothing ran');
  },

  'SDK 1: a server killed while it runs: the next one has the answer':
  async t => {
    const place = await Place.ready(t);
    const first = await Agent.connect(t, place, 1);
    first.call('run_privileged', { reason: 'x',
      command: `${place.deploy} kept; sleep 2; echo END` }).catch(() => {});
    const [shown] = await place.waiting();
    const approval = place.approve(shown);
    await until(() => place.runs().length === 1, 20, 'the run');
    process.kill(first.pid, 'SIGKILL');
    t.is((await approval).code, 0, 'it ran to its end');
    const second = await Agent.connect(t, place, 1);
    const { result } = await second.call('check_request',
      { request_id: shown.id, wait_seconds: 20 });
    t.is(result.structuredContent.status, 'done', 'collected');
    t.has(result.structuredContent.output, 'END', 'all of it');
    t.is(place.runs().length, 1, 'it ran once');
  },

  'SDK 1: fifty calls at once, each with its own answer': async t => {
    const place = await Place.ready(t, MANY);
    const agent = await Agent.connect(t, place, 1, { name: 'claude-code' });
    const words = Array.from({ length: 50 }, (_, i) => `n${i}`);
    const calls = words.map(w => deploy(agent, place, w,
      { timeout: 600000 }));
    for (const shown of await place.waiting(50))
      await place.deny(shown, shown.input.command.split(' ')[1]);
    const got = await Promise.all(calls);
    t.is(got.map(g => g.result.structuredContent.approver_says), words,
      'each its own');
    t.is(place.runs(), [], 'nothing ran');
  },

  ...Object.fromEntries([
    ['legacy', 'legacy', '2025-11-25'],
    ['auto', 'auto', '2026-07-28'],
    ['pinned', { pin: '2026-07-28' }, '2026-07-28'],
  ].map(([name, mode, version]) => [`SDK 2, ${name}: ${version}`, async t => {
    const place = await Place.ready(t);
    const agent = await Agent.connect(t, place, 2,
      { client: { versionNegotiation: { mode } } });
    t.is(agent.version, version, 'the version that was agreed on');
    await roundTrip(t, agent, place, name);
  }])),
});
