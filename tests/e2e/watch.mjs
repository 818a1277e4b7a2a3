#!/usr/bin/env node
// A real agent asks, a human answers with keys in the full-screen watch.
import fs from 'node:fs';
import path from 'node:path';

import { finish, startClaude } from './lib/client.mjs';
import { bash, edit, read, say, write } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';
import { Watch } from './lib/watch.mjs';

async function asked(t, command) {
  const place = await Place.ready(t);
  const watch = new Watch(t, place);
  await watch.see('nothing waits');
  const call = bash(command(place));
  const run = await startClaude(t, place, {
    turns: [[call], [say('done')]] });
  await watch.see('1 waiting');
  await watch.see('digest ');
  t.is(place.runs(), [], 'nothing ran before the decision');
  const answer = async () =>
    (await finish(t, run)).model.results.get(call.id);
  return { place, watch, answer };
}

await cases({
  'a approves: it runs once, outside, the answer comes back': async t => {
    const { place, watch, answer } = await asked(t, p => `${p.deploy} now`);
    await watch.press('a');
    const result = await answer();
    t.has(result.text, 'APPROVED and already executed once', 'the truth');
    t.has(result.text, 'DEPLOYED \u00fc', 'the output');
    t.is(place.runs().map(r => r.args), ['now'], 'once');
    await watch.see('nothing waits');
    await place.verified(t);
  },

  'D denies with words': async t => {
    const { place, watch, answer } = await asked(t, p => `${p.deploy} now`);
    await watch.press('D');
    await watch.see('deny, because: _');
    watch.type('use staging first');
    const result = await answer();
    t.has(result.text, 'DENIED by a human', 'the truth');
    t.has(result.text, 'use staging first', 'the words');
    t.is(place.runs(), [], 'nothing ran');
    await place.verified(t);
  },

  'e, then a: the edited command runs, and the model is told': async t => {
    const { place, watch, answer } = await asked(t, p => `${p.deploy} prod`);
    await watch.press('e');
    await watch.see('run instead: ');
    for (let i = 0; i < 4; i++) watch.tmux('send-keys', 'BSpace');
    watch.type('staging');
    await watch.see('EDITED by you');
    t.is(place.runs(), [], 'an edit decides nothing');
    await watch.press('a');
    const result = await answer();
    t.has(result.text, 'APPROVED and already executed once', 'the truth');
    t.has(result.text, 'EDITED the command', 'that it was another one');
    t.has(result.text, `${place.deploy} staging`, 'which one');
    t.is(place.runs().map(r => r.args), ['staging'], 'only the edited one');
    await place.verified(t);
  },

  'f, u: what the agent changed is listed, and given back by a key': async t => {
    const place = await Place.ready(t);
    const p = name => place.path(name);
    fs.writeFileSync(p('notes.md'), '# Notes\nkeep me\n');
    const watch = new Watch(t, place);
    await watch.see('nothing waits');
    const run = await startClaude(t, place, { turns: [
      [read(p('notes.md'))], [edit(p('notes.md'), 'keep me', 'gone')],
      [write(p('made.txt'), 'made\n')], [say('done')]] },
      { args: ['--allowedTools', 'Write,Edit,Read'] });
    await finish(t, run);
    t.is(fs.readFileSync(p('notes.md'), 'utf8'), '# Notes\ngone\n', 'edited');
    await watch.press('f');
    await watch.see('created      made.txt  (Write');
    await watch.see('changed      notes.md  (Edit');
    await watch.press('j');
    await watch.see('-keep me');
    await watch.press('u');
    await watch.see('type yes: _');
    watch.type('yes');
    await watch.see('restored; change');
    t.is(fs.readFileSync(p('notes.md'), 'utf8'), '# Notes\nkeep me\n', 'back');
    await watch.press('6');
    await watch.see('AUDIT | chain ok');
    await place.verified(t);
  },

  't: the command reads a password from the terminal': async t => {
    const { place, watch, answer } = await asked(t, p =>
      `${p.tools}/login && ${p.deploy} now`);
    fs.writeFileSync(path.join(place.tools, 'login'), `#!/bin/bash
read -rs -p 'Password: ' pw < /dev/tty 2> /dev/tty
[ "$pw" = 'open sesame' ] && echo 'logged in'
`, { mode: 0o755 });
    await watch.until('what is in the script', s => !s.includes('no readable'));
    await watch.press('t');
    await watch.see('Password:');
    watch.type('open sesame');
    await watch.see('Enter: back to the list');
    watch.tmux('send-keys', 'Enter');
    const result = await answer();
    t.has(result.text, 'APPROVED and already executed once', 'the truth');
    t.has(result.text, 'logged in', 'the output was kept');
    t.hasNot(result.text, 'sesame', 'not the password');
    t.is(place.runs().length, 1, 'it ran once');
    await watch.see('nothing waits');
    await place.verified(t);
  },
});
