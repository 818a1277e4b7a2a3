#!/usr/bin/env node
// A human says no, with words: the model gets them, nothing runs.
import { finish, runClaude, startClaude } from './lib/client.mjs';
import { bash, read, say } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

await cases({
  'denied with a text': async t => {
    const place = await Place.ready(t);
    const call = bash(`${place.deploy} --to prod`);
    const run = await startClaude(t, place, {
      turns: [[call], [say('done')]] });
    const [shown] = await place.waiting();
    t.is(place.runs(), [], 'nothing ran before the decision');
    const denied = await place.deny(shown,
      'use staging f\u00fcr jetzt \u001b[31m\u202e');
    t.is(denied.code, 0, `deny works (${denied.err})`);
    const end = await finish(t, run);
    const result = end.model.results.get(call.id);
    t.is(place.runs(), [], 'nothing ran at all');
    t.is(result.isError, true, 'an error for the client');
    t.has(result.text, 'DENIED by a human approver, nothing was executed',
      'who and what');
    t.has(result.text, 'use staging f\u00fcr jetzt', 'the words');
    t.hasNot(result.text, '\u001b', 'no escape passes');
    t.hasNot(result.text, '\u202e', 'no bidi mark passes');
    t.is((await place.approve(shown)).code !== 0, true,
      'too late to approve');
    t.is(place.runs(), [], 'nor did that run it');
    await place.verified(t);
  },

  'denied by policy: nobody is asked': async t => {
    const place = await Place.ready(t, { policy: { rules: [
      { id: 'never', match: { program: 'shred' }, verdict: 'deny',
        why: 'nothing is shredded here' }] } });
    const call = bash('shred -u notes.txt');
    const end = await runClaude(t, place, { turns: [[call], [say('done')]] });
    const result = end.model.results.get(call.id);
    t.has(result.text, 'DENIED by policy, nothing was executed', 'the verdict');
    t.has(result.text, 'nothing is shredded here', 'the reason');
    t.is(await place.pending(), [], 'no request was made');
    await place.verified(t);
  },

  'what policy allows goes its own way, and is recorded': async t => {
    const place = await Place.ready(t);
    const ls = bash('ls -a'), look = read(place.path('.sandbox/policy.json'));
    const end = await runClaude(t, place, {
      turns: [[ls], [look], [say('done')]] });
    t.is(end.model.results.get(ls.id).isError, false, 'the tool ran itself');
    t.has(end.model.results.get(ls.id).text, '.sandbox', 'and said so');
    t.has(end.model.results.get(look.id).text, 'DENIED by policy',
      'our own state is not for reading');
    const log = await place.mustSandbox('log', '--json');
    t.has(log.out, '"allow"', 'one record for the call');
    await place.verified(t);
  },
});
