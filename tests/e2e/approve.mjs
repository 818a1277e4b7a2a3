#!/usr/bin/env node
// The main job: a real agent's call becomes a human decision in another
// process, our side runs it once, outside the agent, and the model gets the
// output.
import { finish, startClaude } from './lib/client.mjs';
import { bash, say } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

const AGENT_VARIABLE = /^(CLAUDE|ANTHROPIC|AI_AGENT|IS_SANDBOX|MCP_)/;
const HOOKS = ['pretooluse', 'sandbox-gate', 'posttooluse'];

async function approved(t, place, command) {
  const call = bash(command);
  const run = await startClaude(t, place, {
    turns: [[call], [say('done')]] }, { env: { AGENTS_OWN: 'secret' } });
  const [shown] = await place.waiting();
  t.is(place.runs(), [], 'nothing ran before the decision');
  t.is(shown.tool, 'Bash', 'the tool shown');
  t.is(shown.input.command, command, 'the command shown');
  t.is(shown.cwd, place.project, 'the directory shown');
  t.is(shown.misdescribed, '', 'the request describes itself');
  const approval = await place.approve(shown);
  const end = await finish(t, run);
  t.is(await place.pending(), [], 'nothing waits any more');
  await place.verified(t);
  return { approval, end, result: end.model.results.get(call.id), run, shown };
}

await cases({
  'approved by another process: runs once, outside, answer comes back':
  async t => {
    const place = await Place.ready(t);
    const { approval, end, result, run, shown } =
      await approved(t, place, `${place.deploy} --to prod`);

    t.is(approval.code, 0, `approve ends as the command (${approval.err})`);
    t.has(approval.out, 'DEPLOYED \u00fc', 'the human sees the output');
    t.is(result.isError, true, 'the client calls a denied call an error');
    t.has(result.text, 'APPROVED and already executed once',
      'the first words carry the truth');
    t.has(result.text, shown.id.slice(0, 8), 'the request is named');
    t.has(result.text, 'exit 0', 'the exit code');
    t.has(result.text, 'DEPLOYED \u00fc', 'the output');
    t.is(end.model.requests.length, 2, 'the agent went on at once');

    const runs = place.runs();
    t.is(runs.length, 1, 'it ran exactly once');
    t.is(runs[0].args, '--to prod', 'with its arguments');
    t.is(runs[0].cwd, place.project, 'in its directory');
    const pids = runs[0].ancestors.map(a => a.pid);
    const names = runs[0].ancestors.map(a => a.comm);
    t.ok(!pids.includes(run.pid), 'the client is no ancestor');
    t.is(names.filter(n => HOOKS.includes(n)), [], 'no hook is an ancestor');
    t.is(Object.keys(runs[0].env).filter(k => AGENT_VARIABLE.test(k)), [],
      'no variable of the agent');
    t.is(runs[0].env.AGENTS_OWN, undefined, 'nothing the agent was given');
    t.is(runs[0].env.HUMAN_SECRET, undefined, 'nothing that is not listed');
    t.is(runs[0].env.HOME, place.humanHome, "the approver's home");
  },

  'a command that fails comes back with its code': async t => {
    const place = await Place.ready(t);
    const { approval, result } = await approved(t, place,
      `${place.deploy} && exit 7`);

    t.is(approval.code, 7, 'approve ends as the command');
    t.is(place.runs().length, 1, 'it ran once');
    t.has(result.text, 'APPROVED and already executed once', 'the truth');
    t.has(result.text, 'exit 7', 'the exit code');
  },

  'more output than an agent takes is cut, and kept whole': async t => {
    const place = await Place.ready(t);
    const { result, shown } = await approved(t, place,
      `${place.deploy}; seq 1 60000`);

    t.ok(result.text.length < 50000, `within the budget (${
      result.text.length})`);
    t.has(result.text, 'DEPLOYED \u00fc\n1\n2\n', 'the head');
    t.has(result.text, '\n59999\n60000\n', 'the tail');
    t.has(result.text, `.sandbox/out/${shown.id}.txt`, 'where all of it is');
  },

  'a digest that was not shown approves nothing': async t => {
    const place = await Place.ready(t);
    const call = bash(`${place.deploy} x`);
    const run = await startClaude(t, place, {
      turns: [[call], [say('done')]] });
    const [shown] = await place.waiting();
    const other = shown.digest.replace(/^./, c => c === '0' ? '1' : '0');
    const wrong = await place.approve({ id: shown.id, digest: other });
    t.is(wrong.code, 125, `the digest differs (${wrong.err})`);
    const cut = await place.approve({ id: shown.id,
      digest: shown.digest.slice(0, 12) });
    t.ok(cut.code !== 0, 'a shortened digest is refused');
    t.is(place.runs(), [], 'nothing ran');
    t.is((await place.deny(shown, 'no')).code, 0, 'then it is denied');
    const end = await finish(t, run);
    t.is(place.runs(), [], 'nothing ran at all');
    t.has(end.model.results.get(call.id).text, 'DENIED by a human',
      'the model hears it');
  },
});
