#!/usr/bin/env node
// Every kind of call that we execute does what the agent's own tool would have
// done; what we cannot execute is allowed for this exact call, once.
import fs from 'node:fs';
import path from 'node:path';

import { finish, startClaude } from './lib/client.mjs';
import { edit, other, read, say, write } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

const rule = tool => ({ id: tool.toLowerCase(), verdict: 'escalate',
  tier: 'medium', match: { tool, path: 'kept/**' }, why: 'kept is reviewed' });
const POLICY = { rules: ['Read', 'Write', 'Edit'].map(rule) };

async function ready(t) {
  const place = await Place.ready(t, { policy: POLICY });
  place.file = place.path('kept/note.txt');
  fs.mkdirSync(path.dirname(place.file));
  fs.writeFileSync(place.file, 'first line\nsecond line\n');
  fs.chmodSync(place.file, 0o640);
  return place;
}

async function decided(t, place, call, before) {
  const run = await startClaude(t, place, {
    turns: [[call], [say('done')]] });
  const [shown] = await place.waiting();
  t.is(fs.readFileSync(place.file, 'utf8'), 'first line\nsecond line\n',
    'nothing changed before the decision');
  before?.(shown);
  const approval = await place.approve(shown);
  const end = await finish(t, run);
  await place.verified(t);
  return { approval, shown, result: end.model.results.get(call.id) };
}

async function executed(t, place, call) {
  const { approval, result } = await decided(t, place, call);
  t.is(approval.code, 0, `approved (${approval.err})`);
  t.is(result.isError, true, 'the agent\'s own tool did not run');
  t.has(result.text, 'APPROVED and already executed once', 'the truth');
  return result.text;
}

await cases({
  'Edit': async t => {
    const place = await ready(t);
    await executed(t, place, edit(place.file, 'second', '2nd \u00fc'));
    t.is(fs.readFileSync(place.file, 'utf8'), 'first line\n2nd \u00fc line\n',
      'the edit is done');
    t.is(fs.statSync(place.file).mode & 0o777, 0o640, 'the mode is kept');
  },

  'Write over a file': async t => {
    const place = await ready(t);
    await executed(t, place, write(place.file, 'all new'));
    t.is(fs.readFileSync(place.file, 'utf8'), 'all new', 'the bytes');
    t.is(fs.statSync(place.file).mode & 0o777, 0o640, 'the mode is kept');
  },

  'Read': async t => {
    const place = await ready(t);
    const text = await executed(t, place, read(place.file));
    t.has(text, 'first line', 'the content');
    t.has(text, 'second line', 'all of it');
  },

  'an Edit that no longer fits changes nothing': async t => {
    const place = await ready(t);
    const call = edit(place.file, 'second', '2nd');
    const { approval, result } = await decided(t, place, call, () =>
      fs.writeFileSync(place.file, 'other text\n'));
    t.ok(approval.code !== 0, 'it fails');
    t.is(fs.readFileSync(place.file, 'utf8'), 'other text\n', 'no change');
    t.is(result.isError, true, 'the model is told');
    t.hasNot(result.text, 'exit 0', 'that it failed');
  },

  'a third party\'s MCP tool: this exact call, once': async t => {
    const place = await ready(t);
    const rung = path.join(place.tools, 'rung');
    const config = path.join(place.tools, 'mcp.json');
    fs.writeFileSync(config, JSON.stringify({ mcpServers: { bells: {
      command: process.execPath,
      args: [`${import.meta.dirname}/lib/mcp-server.mjs`, rung] } } }));
    const rings = () => fs.existsSync(rung) ?
      fs.readFileSync(rung, 'utf8') : '';
    const calls = [1, 2].map(() => other('mcp__bells__ring', { bell: 'big' }));
    const run = await startClaude(t, place, {
      turns: [[calls[0]], [calls[1]], [say('done')]] },
    { args: ['--mcp-config', config, '--allowedTools', 'mcp__bells__ring'] });
    const [first] = await place.waiting();
    t.is(rings(), '', 'nothing rang before the decision');
    t.is((await place.approve(first)).code, 0, 'allowed once');
    const [second] = await place.waiting();
    t.ok(second.id !== first.id, 'the second call is asked again');
    t.is(rings(), 'big\n', 'the first one rang once');
    t.is((await place.deny(second, 'enough')).code, 0, 'denied');
    const end = await finish(t, run);
    t.is(rings(), 'big\n', 'it rang once in all');
    const [a, b] = calls.map(c => end.model.results.get(c.id));
    t.is(a.isError, false, 'the agent ran it itself');
    t.has(a.text, 'RANG big', 'and has its answer');
    t.has(b.text, 'enough', 'the second was denied');
    await place.verified(t);
  },
});
