#!/usr/bin/env node
// A Write of 3 MB travels as a blob, is shown, approved and written by us.
import fs from 'node:fs';

import { finish, startClaude } from './lib/client.mjs';
import { say, write } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

const POLICY = { rules: [{ id: 'big', verdict: 'escalate', tier: 'medium',
  match: { tool: 'Write', path: 'data/**' }, why: 'data is reviewed' }] };
const CONTENT = 'begin \u00fc\n' + 'line of text 123\n'.repeat(190000) + 'end';

async function writing(t, decide) {
  const place = await Place.ready(t, { policy: POLICY });
  const file = place.path('data/big.txt');
  fs.mkdirSync(place.path('data'));
  const call = write(file, CONTENT);
  const run = await startClaude(t, place, {
    turns: [[call], [say('done')]] });
  const [shown] = await place.waiting();
  t.is(fs.existsSync(file), false, 'nothing was written before the decision');
  t.is(shown.tool, 'Write', 'the tool shown');
  t.is(shown.input.file_path, file, 'the path shown');
  t.is((await decide(place, shown)).code, 0, 'decided');
  const end = await finish(t, run);
  await place.verified(t);
  return { file, result: end.model.results.get(call.id) };
}

await cases({
  'a 3 MB Write is approved and written by our side': async t => {
    t.ok(Buffer.byteLength(CONTENT) > 3 << 20, 'it is that large');
    const { file, result } = await writing(t, (p, s) => p.approve(s));
    t.ok(fs.readFileSync(file, 'utf8') === CONTENT, 'every byte arrived');
    t.is(result.isError, true, 'the agent\'s own tool did not run');
    t.has(result.text, 'APPROVED and already executed once', 'the truth');
  },

  'a 3 MB Write is denied': async t => {
    const { file, result } = await writing(t, (p, s) => p.deny(s, 'too big'));
    t.is(fs.existsSync(file), false, 'nothing was written');
    t.has(result.text, 'too big', 'the model hears why');
  },
});
