#!/usr/bin/env node
// bypassPermissions switches the agent's own gate off, not ours.
import { BYPASS, finish, startClaude } from './lib/client.mjs';
import { bash, say } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

async function bypassing(t, decide) {
  const place = await Place.ready(t);
  const call = bash(`${place.deploy} --bypass`);
  const run = await startClaude(t, place, {
    turns: [[call], [say('done')]] }, { args: BYPASS });
  const [shown] = await place.waiting();
  t.is(place.runs(), [], 'nothing ran before the decision');
  t.is((await decide(place, shown)).code, 0, 'decided');
  const end = await finish(t, run);
  t.has(end.stdout, '"permissionMode":"bypassPermissions"', 'the mode is on');
  return { place, result: end.model.results.get(call.id) };
}

await cases({
  'denied in bypassPermissions': async t => {
    const { place, result } = await bypassing(t, (p, s) => p.deny(s, 'no'));
    t.is(place.runs(), [], 'nothing ran');
    t.has(result.text, 'DENIED by a human approver', 'the model hears it');
  },

  'approved in bypassPermissions: once, by our side': async t => {
    const { place, result } = await bypassing(t, (p, s) => p.approve(s));
    t.is(place.runs().length, 1, 'one run');
    t.is(place.runs()[0].env.CLAUDECODE, undefined, 'not the agent\'s');
    t.has(result.text, 'APPROVED and already executed once', 'the truth');
  },
});
