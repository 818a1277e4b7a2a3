#!/usr/bin/env node
// init, a session, uninstall: every settings file has its old bytes, and the
// agent is as free as before.
import fs from 'node:fs';
import path from 'node:path';

import { BYPASS, finish, runClaude, startClaude } from './lib/client.mjs';
import { bash, say } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

const ODD = '{\r\n\t"permissions" : { "allow": [ "Bash(ls:*)" ,"Read"] },\r\n' +
  '   "hooks":{"PreToolUse":[ {"matcher":"Write","hooks":[{"type":"command",' +
  '"command":"true"}]} ]  ,"Stop":[]},"env":{"MY_OWN":"\u00fc \\u00fc"}}  \n\n';

// Every file and link below a directory: mode and content.
function snapshot(dir, at = '') {
  const all = {};
  for (const f of fs.readdirSync(path.join(dir, at)).sort()) {
    const rel = path.join(at, f), full = path.join(dir, rel);
    const st = fs.lstatSync(full);
    all[rel] = [st.mode.toString(8), st.isSymbolicLink() ?
      fs.readlinkSync(full) : st.isFile() ?
        fs.readFileSync(full, 'latin1') : ''];
    if (st.isDirectory()) Object.assign(all, snapshot(dir, rel));
  }
  return all;
}

async function thereAndBack(t, prepare) {
  const place = new Place(t);
  prepare(place);
  const before = snapshot(place.project);
  await place.mustSandbox('init', '--claude', place.project);
  await place.mustSandbox('init', '--claude', place.project);
  await place.accept({});
  const call = bash(`${place.deploy} gated`);
  const run = await startClaude(t, place, {
    turns: [[call], [say('done')]] });
  const [shown] = await place.waiting();
  t.is((await place.deny(shown, 'no')).code, 0, 'it was gated');
  await finish(t, run);
  await place.mustSandbox('uninstall', place.project);
  t.is(snapshot(place.project), before, 'every byte is as before init');
  return place;
}

await cases({
  'no settings before: none behind, and the agent runs ungated': async t => {
    const place = await thereAndBack(t, () => {});
    await runClaude(t, place, {
      turns: [[bash(`${place.deploy} free`)], [say('done')]] },
    { args: BYPASS });
    t.is(place.runs().map(r => r.args), ['free'], 'it runs by itself');
  },

  'odd bytes come back': t => thereAndBack(t, place => {
    fs.mkdirSync(place.path('.claude'), { mode: 0o755 });
    fs.writeFileSync(place.settings, ODD, { mode: 0o640 });
    fs.writeFileSync(place.path('.claude/settings.json'),
      '{"model":"x"}', { mode: 0o644 });
  }),

  'a link stays a link': t => thereAndBack(t, place => {
    fs.mkdirSync(place.path('.claude'));
    fs.mkdirSync(place.path('dotfiles'));
    fs.writeFileSync(place.path('dotfiles/local.json'), ODD);
    fs.symlinkSync('../dotfiles/local.json', place.settings);
  }),

  'what changed since loses exactly our entries': async t => {
    const place = await Place.ready(t);
    const s = JSON.parse(fs.readFileSync(place.settings, 'utf8'));
    s.permissions = { allow: ['Bash(ls:*)'] };
    s.hooks.PreToolUse.push({ matcher: 'Bash', hooks: [
      { type: 'command', command: 'true' }] });
    fs.writeFileSync(place.settings, JSON.stringify(s, null, 2));
    await place.mustSandbox('uninstall', place.project);
    t.is(JSON.parse(fs.readFileSync(place.settings, 'utf8')), {
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [
        { type: 'command', command: 'true' }] }] },
      permissions: { allow: ['Bash(ls:*)'] } }, 'the rest stays');
  },
});
