#!/usr/bin/env node
// Hook and worker are killed while a human is being asked: the call does not
// run, and a question that is left shows that nobody waits for its answer.
import fs from 'node:fs';

import { finish, startClaude } from './lib/client.mjs';
import { bash, say } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases, until } from './lib/tap.mjs';

const KILLS = ['sandbox-gate', 'pretooluse'].flatMap(who =>
  ['SIGSEGV', 'SIGKILL', 'SIGABRT', 'SIGTERM', 'SIGBUS'].map(signal =>
    ({ who, signal })));

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

await cases({
  'killed while waiting, each in turn': async t => {
    const place = await Place.ready(t, { policy: {
      limits: { new_per_minute: 100 } } });
    const calls = KILLS.map((_, i) => bash(`${place.deploy} ${i}`));
    const run = await startClaude(t, place, {
      turns: [...calls.map(c => [c]), [say('done')]] });
    const asked = [];
    for (const [i, { who, signal }] of KILLS.entries()) {
      const shown = await until(async () => (await place.pending(2)).find(p =>
        p.summary.endsWith(` ${i}`)), 60, `question ${i}`);
      asked.push(await place.show(shown.id));
      for (const pid of pidsOf(who, place)) process.kill(pid, signal);
    }
    const end = await finish(t, run);
    for (const [i, { who, signal }] of KILLS.entries()) {
      const result = end.model.results.get(calls[i].id);
      t.is(result?.isError, true, `${who} ${signal}: the model is told`);
      t.ok(/nothing was executed|onFailure|hook error/i.test(result?.text),
        `${who} ${signal}: ${result?.text}`);
    }
    await until(async () => (await place.pending()).every(p => !p.waiter), 30,
      'nobody to wait any more');
    const left = await place.pending();
    for (const [i, { who, signal }] of KILLS.entries())
      if (who === 'pretooluse')
        t.ok(!left.some(p => p.id === asked[i].id),
          `${who} ${signal}: the worker took its question back`);
    t.is(place.runs(), [], 'nothing ran at all');
    await place.verified(t);
  },
});
