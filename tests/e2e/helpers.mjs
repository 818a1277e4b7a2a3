#!/usr/bin/env node
// Two of the agent's helpers ask at once; each gets the answer to its own call.
import { finish, startClaude } from './lib/client.mjs';
import { agent, bash, say } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

async function twoHelpers(t) {
  const place = await Place.ready(t);
  const calls = ['one', 'two'].map(n => bash(`${place.deploy} ${n}`));
  const run = await startClaude(t, place, {
    turns: [[agent('HELPER-ONE: deploy'), agent('HELPER-TWO: deploy')],
      [say('done')]],
    agents: [
      { match: 'HELPER-ONE', turns: [[calls[0]], [say('one is done')]] },
      { match: 'HELPER-TWO', turns: [[calls[1]], [say('two is done')]] },
    ],
  });
  const both = await place.waiting(2);
  t.is(place.runs(), [], 'nothing ran before the decisions');
  const find = word => both.find(s => s.input.command.endsWith(word));
  t.ok(find('one').session === find('two').session, 'one session');
  return { place, run, calls, one: find('one'), two: find('two') };
}

await cases({
  'both approved at the same time': async t => {
    const { place, run, calls, one, two } = await twoHelpers(t);
    const codes = await Promise.all([place.approve(two), place.approve(one)]);
    t.is(codes.map(c => c.code), [0, 0], 'both ran');
    const end = await finish(t, run);
    t.is(place.runs().map(r => r.args).sort(), ['one', 'two'],
      'each exactly once');
    for (const [i, shown] of [one, two].entries()) {
      const result = end.model.results.get(calls[i].id);
      t.has(result.text, 'APPROVED and already executed once', 'the truth');
      t.has(result.text, shown.id.slice(0, 8), 'its own request');
    }
    await place.verified(t);
  },

  'one approved, the other denied': async t => {
    const { place, run, calls, one, two } = await twoHelpers(t);
    t.is((await place.deny(one, 'not this one')).code, 0, 'denied');
    t.is((await place.approve(two)).code, 0, 'approved');
    const end = await finish(t, run);
    t.is(place.runs().map(r => r.args), ['two'], 'only the approved one ran');
    const [first, second] = calls.map(c => end.model.results.get(c.id));
    t.has(first.text, 'not this one', 'the first hears its denial');
    t.has(second.text, 'DEPLOYED', 'the second its output');
    await place.verified(t);
  },
});
