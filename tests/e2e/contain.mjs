#!/usr/bin/env node
// What policy contains needs no human: the real client runs it in the jail.
import fs from 'node:fs';
import path from 'node:path';

import { becomeNobody } from './lib/nobody.mjs';

await becomeNobody(import.meta.filename);

const { runClaude } = await import('./lib/client.mjs');
const { bash, say } = await import('./lib/model.mjs');
const { Place } = await import('./lib/place.mjs');
const { cases } = await import('./lib/tap.mjs');

// A test that says where it runs, and tries to get out.
const TEST = `
const fs = require('fs');
const can = f => { try { f(); return 'can'; } catch { return 'cannot'; } };
console.log('jail ' + process.env.SANDBOX_JAIL);
console.log('project ' + can(() => fs.writeFileSync('made', 'x')));
console.log('outside ' + can(() => fs.writeFileSync(process.argv[2], 'x')));
console.log('secret ' + can(() => fs.readFileSync('.env')));
console.log('hook ' + can(() => fs.writeFileSync('.git/hooks/x', 'x')));
`;

async function project(t, options) {
  const place = await Place.ready(t, options);
  const out = path.join(place.tools, 'outside');
  fs.writeFileSync(place.path('test.js'), TEST);
  fs.writeFileSync(place.path('.env'), 'TOKEN=x');
  fs.mkdirSync(place.path('.git/hooks'), { recursive: true });
  fs.writeFileSync(place.path('package.json'), JSON.stringify({ name: 'p',
    version: '1.0.0', scripts: { test: `node test.js ${out}` } }));
  return { place, out };
}

await cases({
  'npm test runs in the jail, and nobody is asked': async t => {
    const { place, out } = await project(t);
    const call = bash('npm test');
    const end = await runClaude(t, place, { turns: [[call], [say('done')]] });
    const result = end.model.results.get(call.id);
    t.is(result.isError, false, `it ran (${result.text})`);
    t.has(result.text, 'jail 1', 'in the jail');
    t.has(result.text, 'project can', 'the project can be written');
    t.has(result.text, 'outside cannot', 'what is around it cannot');
    t.has(result.text, 'secret cannot', 'secrets cannot be read');
    t.has(result.text, 'hook cannot', 'nor hooks be planted');
    t.is(fs.existsSync(out), false, 'nothing came out');
    t.is(fs.existsSync(place.path('made')), true, 'what it made stays');
    t.is(await place.pending(), [], 'no request was made');
    const log = await place.mustSandbox('log', '--json');
    t.has(log.out, '"contain"', 'the verdict is recorded');
    t.hasNot(log.out, 'hook.missed', 'and what ran is what was judged');
    await place.verified(t);
  },

  "the agent's own rule about its shell keeps the question": async t => {
    const { place } = await project(t, { policy: {
      limits: { wait_alone_s: 1 } } });
    fs.writeFileSync(place.path('.claude/settings.json'), JSON.stringify({
      permissions: { deny: ['Bash(npm run deploy)'] } }));
    const call = bash('npm test');
    const end = await runClaude(t, place, { turns: [[call], [say('done')]] });
    t.has(end.model.results.get(call.id).text, 'PENDING', 'a human is asked');
    t.is(fs.existsSync(place.path('made')), false, 'nothing ran');
    t.is((await place.pending()).length, 1, 'one request');
  },
});
