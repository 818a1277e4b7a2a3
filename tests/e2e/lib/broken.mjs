// One session, many broken hooks: before each call the model makes, something
// is broken, and mended behind it.
//
//   const rows = { 'the worker dies': { worker: '#!/bin/sh\nkill -9 $$\n' } };
//   await brokenRows(rows);
//
// A row breaks one thing:
//   worker	what stands in sandbox-gate's place (null: nothing does)
//   hook	shell text that stands in pretooluse's place; "$HOOK" is the
//		real one, "$@" its arguments, stdin the call
//   space	the same, in a mount namespace of its own
//   state	a function that breaks the place; returns the one that mends it
//   says	what the model must hear (default: that nothing was executed)
import fs from 'node:fs';
import path from 'node:path';

import { isRoot, runClaude } from './client.mjs';
import { bash, say } from './model.mjs';
import { Place, PROGRAMS } from './place.mjs';
import { bailOut, cases, Scope } from './tap.mjs';

// What the guard and the gate begin their denials with, and the client its own
// when a hook cannot even start.
const NOTHING_RAN = /nothing was executed|blocking because onFailure/i;

const UNSHARE = isRoot ? 'unshare -m' :
  'unshare -Um --map-current-user --keep-caps';

export class Broken {
  constructor(place) {
    this.place = place;
    this.real = path.join(place.root, 'real');
    this.gate = path.join(this.real, 'sandbox-gate');
    fs.mkdirSync(this.real);
    for (const p of PROGRAMS)
      fs.copyFileSync(path.join(place.bin, p), path.join(this.real, p));
    // The registration stays as init wrote it; only the file behind it is
    // another one.
    this.row = path.join(place.root, 'row');
    this.hook('exec "$HOOK" "$@"');
    fs.rmSync(path.join(place.bin, 'pretooluse'));
    fs.writeFileSync(path.join(place.bin, 'pretooluse'),
      `#!/bin/sh\nHOOK=${this.real}/pretooluse ROOT=${place.root} ` +
      `PROJECT=${place.project} PRIV=${place.priv}\n` +
      `export HOOK ROOT PROJECT PRIV\n. ${this.row}\n`, { mode: 0o755 });
  }

  hook(text) {
    fs.writeFileSync(this.row, text + '\n');
  }

  break(row) {
    if ('worker' in row) {
      fs.renameSync(this.gate, `${this.gate}.kept`);
      if (row.worker !== null)
        fs.writeFileSync(this.gate, row.worker, { mode: row.mode ?? 0o755 });
    }
    if (row.hook) this.hook(row.hook);
    if (row.space)
      this.hook(`exec ${UNSHARE} /bin/sh -c '${row.space}' pretooluse "$@"`);
    this.mendState = row.state?.(this.place);
    this.broken = row;
  }

  mend() {
    if (this.broken && 'worker' in this.broken)
      fs.renameSync(`${this.gate}.kept`, this.gate);
    this.hook('exec "$HOOK" "$@"');
    this.mendState?.();
    this.mendState = this.broken = null;
  }
}

// Move something away and put `replace(path)` in its place; returns the mend.
export function replaced(file, replace = () => {}) {
  const kept = `${file}.kept`;
  fs.renameSync(file, kept);
  replace(file);
  return () => {
    fs.rmSync(file, { recursive: true, force: true });
    fs.renameSync(kept, file);
  };
}

const HEALTHY = { says: /PENDING/ };
const FREE = { hook: 'cat >/dev/null; echo "{}"', free: true };

async function session(scope, rows) {
  const failures = [];
  const t = { after: f => scope.after(f),
    is: (got, want, what) => {
      if (got !== want) failures.push(`${what}: ${got}`);
    } };
  const place = await Place.ready(t, { ownPrograms: true, policy: {
    limits: { wait_alone_s: 1, pending_session_max: 1000,
      new_per_minute: 1000, pending_max: 1000 } } });
  const broken = new Broken(place);
  const calls = new Map(Object.keys(rows).map((name, i) =>
    [name, bash(`${place.deploy} row-${i}-`)]));
  const turns = Object.entries(rows).map(([name, row]) => async () => {
    broken.mend();
    broken.break(row);
    return [calls.get(name)];
  });
  turns.push(async () => {
    broken.mend();
    return [say('done')];
  });
  const end = await runClaude(t, place, { turns }, { seconds: 300 });
  return { place, failures, ran: place.runs().map(r => r.args),
    result: name => end.model.results.get(calls.get(name).id),
    argument: name => calls.get(name).input.command.split(' ')[1] };
}

function check(t, row, name, s) {
  const result = s.result(name);
  t.is(s.ran.filter(a => a === s.argument(name)).length, row.free ? 1 : 0,
    row.free ? 'without a denial it runs' : 'the tool did not run');
  if (row.free) return;
  t.is(result?.isError, true, 'the model is told');
  const words = row.says ?? NOTHING_RAN;
  t.ok(words.test(result?.text), `${words} in ${result?.text}`);
}

export async function brokenRows(given) {
  const rows = { 'a hook that forbids nothing (control)': FREE,
    'nothing is broken (control)': HEALTHY, ...given,
    'everything is mended (control)': HEALTHY };
  const scope = new Scope();
  const s = await session(scope, rows).catch(async e => {
    await scope.close(true, () => {});
    bailOut(e.message);
  });
  await cases({
    ...Object.fromEntries(Object.entries(rows).map(([name, row]) =>
      [name, async t => check(t, row, name, s)])),
    'the session ended well and its audit log verifies': async t => {
      t.is(s.failures, [], 'the session');
      await s.place.verified(t);
    },
  });
  await scope.close(process.exitCode !== 0, f => console.log(`# ${f}`));
}
