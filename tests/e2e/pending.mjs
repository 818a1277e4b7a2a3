#!/usr/bin/env node
// The human is slow: the hook's deadline passes, the model is told to retry
// the same call, and the answer is collected exactly once.
import { runClaude, startClaude } from './lib/client.mjs';
import { bash, say } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases, until } from './lib/tap.mjs';

const QUICK = { limits: { wait_alone_s: 1 } };

await cases({
  'deadline, PENDING, the same call collects once': async t => {
    const place = await Place.ready(t, { policy: QUICK });
    const command = `${place.deploy} late`;
    const calls = [1, 2, 3, 4].map(() => bash(command));
    let shown, second;
    const end = await runClaude(t, place, { turns: [
      [calls[0]],
      [calls[1]],                       // still waiting: attaches
      async () => {
        [shown, second] = await place.waiting();
        t.is(second, undefined, 'the retry made no second request');
        t.is(place.runs(), [], 'nothing ran before the decision');
        const approval = await place.approve(shown);
        t.is(approval.code, 0, `approved (${approval.err})`);
        t.is(place.runs().length, 1, 'it ran while nobody waited');
        return [calls[2]];
      },
      [calls[3]],
      async () => {
        t.is(place.runs().length, 1, 'collecting ran nothing');
        [second] = await place.waiting();
        t.ok(second.id !== shown.id, 'collected: the next one is a new one');
        t.is(second.same_call.map(s => s.id), [shown.id],
          'and the human is told of the first run');
        return [say('done')];
      },
    ] });
    const [one, two, three, four] = calls.map(c =>
      end.model.results.get(c.id));
    for (const r of [one, two])
      t.has(r.text, 'PENDING, nothing was executed yet', 'not yet');
    t.has(one.text, shown.id, 'names the request');
    t.has(two.text, shown.id, 'names the same request');
    t.has(three.text, 'APPROVED and already executed once', 'the answer');
    t.has(three.text, 'DEPLOYED', 'with its output');
    t.has(four.text, 'PENDING, nothing was executed yet', 'a new question');
    t.is(place.runs().length, 1, 'one run in all');
    await place.verified(t);
  },

  'another session does not collect it': async t => {
    const place = await Place.ready(t, { policy: QUICK });
    const command = `${place.deploy} mine`;
    const first = bash(command), other = bash(command);
    await runClaude(t, place, { turns: [[first], [say('done')]] });
    const [shown] = await place.waiting();
    t.is((await place.approve(shown)).code, 0, 'approved');
    const end = await runClaude(t, place, {
      turns: [[other], [say('done')]] });
    t.has(end.model.results.get(other.id).text,
      'PENDING, nothing was executed yet', 'it has to ask itself');
    t.is(place.runs().length, 1, 'one run in all');
  },

  'a client that is gone takes its question back': async t => {
    const place = await Place.ready(t);
    const call = bash(`${place.deploy} gone`);
    const run = await startClaude(t, place, {
      turns: [[call], [say('done')]] });
    const [shown] = await place.waiting();
    process.kill(run.pid, 'SIGKILL');
    await run.done;
    await until(async () => (await place.pending()).length === 0, 30,
      'the withdrawal');
    t.ok((await place.approve(shown)).code !== 0, 'nothing left to approve');
    t.is(place.runs(), [], 'nothing ran');
    await place.verified(t);
  },
});
