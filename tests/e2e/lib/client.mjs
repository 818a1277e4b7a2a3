// The real client, headless, in a place of its own, against a scripted model.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';

import { Model } from './model.mjs';
import { bailOut } from './tap.mjs';

export const CLIENTS = process.env.CLIENTS_DIR ||
  path.join(process.env.HOME, '.cache/agent-clients');
export const CLAUDE = process.env.CLAUDE_BIN || path.join(CLIENTS,
  'npm2/node_modules/@anthropic-ai/claude-code-linux-x64/claude');

if (!fs.existsSync(CLAUDE))
  bailOut(`there is no client at ${CLAUDE}: run tests/e2e/setup`);

export const isRoot = os.userInfo().uid === 0;

// What the client starts with; tests add to it.
const clientEnv = (place, model) => ({
  HOME: place.agentHome,
  PATH: '/usr/local/bin:/usr/bin:/bin',
  TERM: 'dumb', LANG: 'C.UTF-8', SHELL: '/bin/bash', TMPDIR: place.tmp,
  ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'dummy-key',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1',
  NO_PROXY: '127.0.0.1',
});

export const BYPASS = ['--permission-mode', 'bypassPermissions'];
const ALLOWED = ['--allowedTools', 'Bash,Write,Edit,Read,Agent'];

// The same inside `sandbox run --agent`; the model lies on this machine, which
// a jail reaches through its proxy alone, and by an address that is not its
// own loopback.
function jailed(place, model) {
  const settings = path.join(place.tools, 'jail.json');
  const url = new URL(model.url);
  fs.writeFileSync(settings, JSON.stringify({
    filesystem: { allowWrite: [place.project],
      allowRead: [CLAUDE, place.deploy] },
    network: { allowedDomains: [url.host] } }));
  return [path.join(place.bin, 'sandbox'), 'run', '--state', place.state,
    '--agent', 'claude', '--settings', settings, '--', CLAUDE];
}

/*
 * Start the client with a scripted model.  Returns at once:
 *   { model, pid, done }, done: -> { code, stdout, stderr }
 * options: agent (in the jail), args (permissions; default: the usual tools allowed), env, prompt,
 * seconds.
 */
export async function startClaude(t, place, script, options = {}) {
  const model = await Model.start(script,
    options.agent ? '127.0.0.2' : undefined);
  t.after(() => model.stop());
  const args = ['-p', options.prompt ?? 'go', '--output-format', 'stream-json',
    '--verbose', ...(options.args ?? ALLOWED)];
  // As root the client wants to be told that bypassing is meant.
  const extra = isRoot ? { IS_SANDBOX: '1' } : {};
  const [program, ...first] = options.agent ? jailed(place, model) : [CLAUDE];
  const child = spawn(program, [...first, ...args], {
    cwd: place.project, stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...clientEnv(place, model), ...extra, ...options.env },
  });
  const out = [], err = [];
  child.stdout.on('data', d => out.push(d));
  child.stderr.on('data', d => err.push(d));
  const late = setTimeout(() => child.kill('SIGKILL'),
    (options.seconds ?? 120) * 1000);
  const done = new Promise(resolve => child.on('close', code => {
    clearTimeout(late);
    const text = chunks => Buffer.concat(chunks).toString();
    resolve({ code, stdout: text(out), stderr: text(err) });
  }));
  t.after(async () => {
    child.kill('SIGKILL');
    await done;
  });
  return { model, pid: child.pid, done };
}

// Start it and wait for its end.  A script that failed is a failed case.
export async function runClaude(t, place, script, options = {}) {
  const run = await startClaude(t, place, script, options);
  return finish(t, run);
}

export async function finish(t, run) {
  const end = await run.done;
  t.is(run.model.failure?.stack, undefined, 'the script went through');
  t.is(end.code, 0, `the client ended well (${end.stderr.slice(0, 500)})`);
  return { ...run, ...end };
}
