#!/usr/bin/env node
// A secret in a file and in a command's output: neither the agent's own tools
// nor an approved command bring it to the model, the log, a screen or out/.
import fs from 'node:fs';
import path from 'node:path';

import { finish, startClaude } from './lib/client.mjs';
import { bash, read, say } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';
import { Watch } from './lib/watch.mjs';

const TOOLS = ['--allowedTools', 'Bash,Read'];
const TOKEN = 'gh' + 'p_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1b';
const WORD = 'tiger-lily-9';

// Every file below a folder, as one text.
function everything(dir) {
  let all = '';
  for (const name of fs.readdirSync(dir)) {
    const at = path.join(dir, name), st = fs.lstatSync(at);
    if (st.isDirectory()) all += everything(at);
    else if (st.isFile()) all += fs.readFileSync(at, 'latin1');
  }
  return all;
}

// What a human sees of it: every byte of a watch, and the commands that tell.
async function screens(place, written, id) {
  let all = fs.readFileSync(written, 'latin1');
  for (const words of [['log'], ['log', '--json'], ['stats'], ['trace', id],
    ['output', id], ['show', id], ['pending', '--all']]) {
    const { out, err } = await place.sandbox(...words);
    all += out + err;
  }
  return all;
}

function nowhere(t, place, model) {
  const log = everything(path.join(place.priv, 'audit'));
  const out = place.path('.sandbox/out');
  for (const secret of [TOKEN, WORD]) {
    t.is(model.heard.includes(secret), false, 'the model never read it');
    t.is(log.includes(secret), false, 'it is not in the log');
    t.is(fs.existsSync(out) && everything(out).includes(secret), false,
      'it is not in out/');
  }
}

async function ready(t, options) {
  const place = await Place.ready(t, options);
  fs.writeFileSync(place.path('notes.txt'),
    `first line\ntoken is ${TOKEN} now\nDB_PASSWORD=${WORD}\nlast line\n`);
  return place;
}

await cases({
  'what the agent\'s own tools return': async t => {
    const place = await ready(t);
    const show = bash('cat notes.txt');
    const look = read(place.path('notes.txt'));
    const run = await startClaude(t, place, {
      turns: [[show], [look], [say('done')]] }, { args: TOOLS });
    const end = await finish(t, run);
    for (const call of [show, look]) {
      const { text, isError } = end.model.results.get(call.id);
      t.is(isError, false, 'it ran in the agent');
      t.has(text, 'first line', 'what is no secret is there');
      t.has(text, 'token is [scrubbed:github-token] now', 'a mark instead');
      t.has(text, 'DB_PASSWORD=[scrubbed:value]', 'here too');
    }
    nowhere(t, place, end.model);
  },

  'what an approved command returns': async t => {
    const place = await ready(t, { policy: { rules: [{ id: 'ask',
      verdict: 'escalate', tier: 'medium', match: { tool: 'Bash' },
      why: 'asked' }] } });
    const show = bash('cat notes.txt');
    const written = path.join(place.root, 'terminal');
    const watch = new Watch(t, place);
    watch.record(written);
    await watch.see('nothing waits');
    const run = await startClaude(t, place, { turns: [[show], [say('done')]] });
    const [shown] = await place.waiting();
    await watch.see('digest ');
    await watch.press('a');
    const end = await finish(t, run);
    await watch.see('nothing waits');
    const { text } = end.model.results.get(show.id);
    t.has(text, 'token is [scrubbed:github-token] now', 'a mark instead');
    nowhere(t, place, end.model);
    const seen = await screens(place, written, shown.id);
    t.has(seen, '[scrubbed:github-token]', 'the output was on a screen');
    for (const secret of [TOKEN, WORD])
      t.is(seen.includes(secret), false, 'without the secret');
  },
});
