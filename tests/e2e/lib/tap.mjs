// Cases that speak TAP.  A case is one line; what failed in it stands above.
//
//   await cases({
//     'a call is approved': async t => { t.ok(fact, 'what should hold'); },
//   });
import { isDeepStrictEqual } from 'node:util';

const short = v => {
  const s = typeof v === 'string' ? v : JSON.stringify(v);
  return s === undefined ? 'undefined' :
    s.length > 1500 ? `${s.slice(0, 1500)}... (${s.length})` : s;
};

// Something that is cleaned up when it is over, last thing first.
export class Scope {
  cleanups = [];

  after(fn) {
    this.cleanups.push(fn);
  }

  async close(failed, report) {
    for (const clean of this.cleanups.reverse()) {
      try {
        await clean(failed);
      } catch (e) {
        report(`cleaning up: ${e.message}`);
      }
    }
  }
}

class Checks extends Scope {
  failures = [];

  ok(value, what) {
    if (!value) this.failures.push(what);
  }

  is(got, want, what) {
    if (!isDeepStrictEqual(got, want))
      this.failures.push(`${what}: got ${short(got)}, want ${short(want)}`);
  }

  has(text, part, what) {
    if (!String(text).includes(part))
      this.failures.push(`${what}: no ${short(part)} in ${short(text)}`);
  }

  hasNot(text, part, what) {
    if (String(text).includes(part))
      this.failures.push(`${what}: ${short(part)} in ${short(text)}`);
  }
}

async function runOne(fn) {
  const t = new Checks();
  try {
    await fn(t);
  } catch (e) {
    t.failures.push(e.stack ?? String(e));
  }
  await t.close(t.failures.length > 0, f => t.failures.push(f));
  return t.failures;
}

// Two at a time: a client is a hungry program.
export async function cases(all) {
  const only = process.argv[2];
  const list = Object.entries(all).filter(([name]) =>
    !only || name.includes(only));
  let next = 0, done = 0, bad = 0;
  const worker = async () => {
    while (next < list.length) {
      const [name, fn] = list[next++];
      const failures = await runOne(fn);
      for (const f of failures)
        process.stdout.write(f.replace(/^/gm, '# ') + '\n');
      bad += failures.length > 0;
      console.log(`${failures.length ? 'not ok' : 'ok'} ${++done} - ${name}`);
    }
  };
  await Promise.all([worker(), worker()]);
  console.log(`1..${list.length}`);
  process.exitCode = bad > 0 ? 1 : 0;
}

export function bailOut(why) {
  console.log(`Bail out!  ${why}`);
  process.exit(255);
}

// Wait for a fact: what fn returns once it is truthy.
export async function until(fn, seconds, what) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const got = await fn();
    if (got) return got;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
    await new Promise(r => setTimeout(r, 50));
  }
}
