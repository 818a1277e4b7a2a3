#!/usr/bin/env node
// The agent, or anyone, edits the settings and the policy in mid-session:
// the agent's own attempts are denied, other people's change nothing.
import fs from 'node:fs';

import { BYPASS, finish, startClaude } from './lib/client.mjs';
import { bash, edit, read, say, write } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases, until } from './lib/tap.mjs';

const LOOSE = JSON.stringify({ version: 1, mode: 'observe',
  preset: 'relaxed', rules: [] });

// The privileged call that ends a session must still need a human.
async function stillGated(t, place, script, options) {
  const last = bash(`${place.deploy} after`);
  script.turns.push([last], [say('done')]);
  const run = await startClaude(t, place, script,
    { args: BYPASS, ...options });
  const [shown] = await place.waiting();
  t.is(shown.input.command, last.input.command, 'it waits for a human');
  t.is(place.runs(), [], 'nothing ran before the decision');
  t.is((await place.deny(shown, 'no')).code, 0, 'denied');
  const end = await finish(t, run);
  t.is(place.runs(), [], 'nothing ran at all');
  t.has(end.model.results.get(last.id).text, 'DENIED by a human', 'heard');
  return end;
}

const bytes = place => [place.settings, place.path('.sandbox/policy.json')]
  .map(f => fs.readFileSync(f, 'utf8'));

/*
 * A hook of the user's own says when the client has noticed an edit: all hooks
 * of an event run together, ours included.
 */
function noticing(place) {
  const file = place.tmp + '/noticed';
  fs.mkdirSync(place.agentHome + '/.claude');
  fs.writeFileSync(place.agentHome + '/.claude/settings.json',
    JSON.stringify({ hooks: { ConfigChange: [{ hooks: [{ type: 'command',
      command: `echo x >> ${file}` }] }] } }));
  return () => until(() => fs.existsSync(file), 30, 'the client to notice');
}

async function editedByOthers(t, change) {
  const place = await Place.ready(t);
  const noticed = noticing(place);
  fs.writeFileSync(place.path('notes.txt'), 'a note');
  return stillGated(t, place, { turns: [[read(place.path('notes.txt'))],
    async () => {
      change(place);
      await noticed();
      return [read(place.path('notes.txt'))];
    }] });
}

await cases({
  'the agent writes, edits, overwrites and deletes: all denied': async t => {
    const place = await Place.ready(t);
    const before = bytes(place);
    const policy = place.path('.sandbox/policy.json');
    const attempts = [
      write(place.settings, '{}'),
      edit(place.settings, '"disableAllHooks": false',
        '"disableAllHooks": true'),
      write(place.path('.claude/settings.json'), '{"disableAllHooks":true}'),
      write(policy, LOOSE),
      edit(policy, '"enforce"', '"observe"'),
      bash('echo {} > .claude/settings.local.json'),
      bash(`echo '{"disableAllHooks":true}' > .claude/settings.json`),
      bash('cd .claude && echo {} > settings.local.json'),
      bash('rm -rf .sandbox'),
      bash('rm -f .claude/settings.local.json'),
      bash('sed -i s/enforce/observe/ .sandbox/policy.json'),
      bash(`${place.bin}/sandbox policy accept`),
      bash(`${place.bin}/sandbox uninstall`),
      bash(`rm -rf ${place.priv}`),
      bash(`${place.bin}/sandbox approve 0 --digest 0`),
    ];
    const end = await stillGated(t, place, {
      turns: attempts.map(a => [a]) });
    for (const a of attempts)
      t.has(end.model.results.get(a.id).text, 'DENIED by policy',
        JSON.stringify(a.input).slice(0, 80));
    t.is(bytes(place), before, 'every byte is as it was');
    t.is(fs.existsSync(place.path('.claude/settings.json')), false,
      'no new settings');
    await place.verified(t);
  },

  'someone switches the hooks off in mid-session': t =>
    editedByOthers(t, place => fs.writeFileSync(
      place.path('.claude/settings.json'), '{"disableAllHooks":true}')),

  'someone empties our settings in mid-session': t =>
    editedByOthers(t, place => fs.writeFileSync(place.settings, '{}')),

  'someone breaks our settings in mid-session': t =>
    editedByOthers(t, place => fs.writeFileSync(place.settings, '{"hooks"')),

  'someone deletes our settings in mid-session': t =>
    editedByOthers(t, place => fs.unlinkSync(place.settings)),

  'someone takes out one of our hooks in mid-session': t =>
    editedByOthers(t, place => {
      const s = JSON.parse(fs.readFileSync(place.settings, 'utf8'));
      delete s.hooks.PreToolUse;
      fs.writeFileSync(place.settings, JSON.stringify(s));
    }),

  'someone loosens policy.json in mid-session': async t => {
    const place = await Place.ready(t);
    await stillGated(t, place, { turns: [async () => {
      fs.writeFileSync(place.path('.sandbox/policy.json'), LOOSE);
      return [write(place.path('notes.txt'), 'a note')];
    }] });
    t.is((await place.sandbox('policy', 'diff')).code, 1,
      'the difference is named, not in force');
  },
});
