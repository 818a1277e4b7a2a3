#!/usr/bin/env node
// Codex, Gemini CLI and opencode at the same gate: a call is approved and its
// answer comes back, is denied with a human's words, waits and is collected,
// does not run when its hook is killed; and uninstall gives back every byte.
import fs from 'node:fs';
import path from 'node:path';

import { AGENTS, finishAgent, runAgent, startAgent } from './lib/agents.mjs';
import { say } from './lib/models.mjs';
import { Place } from './lib/place.mjs';
import { cases, until } from './lib/tap.mjs';

const readProc = file => {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';              // it ended while we looked
  }
};

// Processes of that name that serve this place.
const pidsOf = (who, place) => fs.readdirSync('/proc').filter(pid =>
  /^\d+$/.test(pid) && readProc(`/proc/${pid}/comm`).startsWith(who) &&
  readProc(`/proc/${pid}/cmdline`).includes(place.priv)).map(Number);

const snapshot = dir => Object.fromEntries(fs.readdirSync(dir,
  { recursive: true }).sort().map(f => [f,
  fs.statSync(path.join(dir, f)).isFile() ?
    fs.readFileSync(path.join(dir, f), 'latin1') : '']));

const behaviours = {
  'approved: runs once, outside, and the answer comes back':
  async (t, agent) => {
    const place = await Place.ready(t, { agent: agent.name });
    const command = `${place.deploy} --to prod`;
    fs.mkdirSync(place.path('sub'));
    const call = agent.shell(command, place.path('sub'));
    const run = await startAgent(t, place, agent, {
      turns: [[call], [say('done')]] }, { env: { AGENTS_OWN: 'secret' } });
    const [shown] = await place.waiting();
    t.is(place.runs(), [], 'nothing ran before the decision');
    t.is(shown.tool, 'Bash', 'the tool shown');
    t.is(shown.agent, agent.name, 'whose call it is');
    t.is(shown.input.command, command, 'the command shown');
    t.is(shown.cwd, place.path('sub'), 'the directory shown');
    t.is(shown.misdescribed, '', 'the request describes itself');
    const approval = await place.approve(shown);
    t.is(approval.code, 0, `approve ends as the command (${approval.err})`);
    const end = await finishAgent(t, run);
    const text = end.model.results.get(call);
    t.has(text, 'APPROVED and already executed once', 'the truth');
    t.has(text, 'DEPLOYED \u00fc', 'the output');
    const runs = place.runs();
    t.is(runs.map(r => [r.args, r.cwd]), [['--to prod', place.path('sub')]],
      'it ran exactly once, where it was meant to');
    t.ok(!runs[0]?.ancestors.some(a => a.pid === run.pid),
      'the client is no ancestor');
    t.is(runs[0]?.env.AGENTS_OWN, undefined, 'nothing the agent was given');
    await place.verified(t);
  },

  'denied: the model reads the words': async (t, agent) => {
    const place = await Place.ready(t, { agent: agent.name });
    const call = agent.shell(`${place.deploy} no`);
    const run = await startAgent(t, place, agent, {
      turns: [[call], [say('done')]] });
    const [shown] = await place.waiting();
    t.is((await place.deny(shown, 'not on a Friday \u00fc "\\')).code, 0,
      'denied');
    const end = await finishAgent(t, run);
    t.has(end.model.results.get(call), 'DENIED by a human', 'the truth');
    t.has(end.model.results.get(call), 'not on a Friday \u00fc "\\',
      'the words');
    t.is(place.runs(), [], 'nothing ran');
    await place.verified(t);
  },

  'pending: the same call collects the answer': async (t, agent) => {
    const place = await Place.ready(t, { agent: agent.name,
      policy: { limits: { wait_alone_s: 1 } } });
    const calls = [1, 2].map(() => agent.shell(`${place.deploy} late`));
    const end = await runAgent(t, place, agent, { turns: [
      [calls[0]],
      async () => {
        const [shown] = await place.waiting();
        t.is((await place.approve(shown)).code, 0, 'approved');
        return [calls[1]];
      },
      [say('done')],
    ] });
    t.has(end.model.results.get(calls[0]), 'PENDING, nothing was executed yet',
      'not yet');
    t.has(end.model.results.get(calls[1]),
      'APPROVED and already executed once', 'collected');
    t.has(end.model.results.get(calls[1]), 'DEPLOYED', 'with its output');
    t.is(place.runs().length, 1, 'one run in all');
    await place.verified(t);
  },

  'killed hooks and workers let nothing run': async (t, agent) => {
    const place = await Place.ready(t, { agent: agent.name });
    const kills = ['pretooluse', 'sandbox-gate'].flatMap(who =>
      ['SIGKILL', 'SIGSEGV', 'SIGTERM'].map(signal => ({ who, signal })));
    const calls = kills.map((_, i) => agent.shell(`${place.deploy} ${i}`));
    const run = await startAgent(t, place, agent, {
      turns: [...calls.map(c => [c]), [say('done')]] });
    for (const [i, { who, signal }] of kills.entries()) {
      await until(async () => (await place.pending(2)).find(p =>
        p.summary.endsWith(` ${i}`)), 200, `question ${i}`);
      for (const pid of pidsOf(who, place)) process.kill(pid, signal);
    }
    const end = await finishAgent(t, run);
    for (const [i, { who, signal }] of kills.entries())
      t.ok(/nothing was executed/i.test(end.model.results.get(calls[i])),
        `${who} ${signal}: ${end.model.results.get(calls[i])}`);
    t.is(place.runs(), [], 'nothing ran at all');
    await place.verified(t);
  },

  // A shell may stand between: it is the client that has to be watched.
  'a client that is gone takes its question back': async (t, agent) => {
    const place = await Place.ready(t, { agent: agent.name });
    const run = await startAgent(t, place, agent, {
      turns: [[agent.shell(`${place.deploy} gone`)], [say('done')]] });
    await place.waiting();
    t.ok(fs.readdirSync(path.join(place.priv, 'run/clients')).some(f =>
      f.startsWith(`${run.pid}-`)), 'the client itself is noted');
    process.kill(run.pid, 'SIGKILL');
    await run.done;
    await until(async () => (await place.pending()).length === 0, 30,
      'the withdrawal');
    t.is(place.runs(), [], 'nothing ran');
    await place.verified(t);
  },

  'hooks that are not there let nothing run': async (t, agent) => {
    const place = await Place.ready(t, { agent: agent.name,
      ownPrograms: true });
    fs.rmSync(path.join(place.bin, 'pretooluse'));
    const call = agent.shell(`${place.deploy} x`);
    const end = await runAgent(t, place, agent, {
      turns: [[call], [say('done')]] });
    t.has(end.model.results.get(call), 'nothing was executed', 'refused');
    t.is(place.runs(), [], 'nothing ran');
  },

  'what policy allows runs in the agent': async (t, agent) => {
    const place = await Place.ready(t, { agent: agent.name });
    const call = agent.shell('echo ALLOWED');
    const end = await runAgent(t, place, agent, {
      turns: [[call], [say('done')]] });
    t.has(end.model.results.get(call), 'ALLOWED', 'its own output');
    const log = await place.mustSandbox('log', '--json');
    t.has(log.out, `"agent":"${agent.name}"`, 'on the record');
    await place.verified(t);
  },

  'uninstall gives back every byte, and the agent is free':
  async (t, agent) => {
    const place = new Place(t);
    fs.writeFileSync(place.path('README'), 'mine\n');
    const before = snapshot(place.project);
    await place.mustSandbox('init', `--${agent.name}`, place.project);
    await place.mustSandbox('init', `--${agent.name}`, place.project);
    t.ok(fs.existsSync(place.path(agent.file)), 'registered');
    await place.mustSandbox('uninstall', place.project);
    t.is(snapshot(place.project), before, 'every byte');
    const end = await runAgent(t, place, agent, { turns: [
      [agent.shell(`${place.deploy} free`)], [say('done')]] });
    t.is(place.runs().map(r => r.args), ['free'],
      `it runs by itself ${end.stdout.slice(0, 300)}`);
  },
};

await cases(Object.fromEntries(Object.values(AGENTS).flatMap(agent =>
  Object.entries(behaviours).map(([name, fn]) =>
    [`${agent.name}: ${name}`, t => fn(t, agent)]))));
