// A throw-away machine: a project, an agent's home, a human with keys and
// state of their own, and a privileged program that records its runs.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';

import { bailOut } from './tap.mjs';

const BUILD = process.env.BUILD ??
  path.resolve(import.meta.dirname, '../../../build/release');
export const PROGRAMS = ['sandbox', 'pretooluse', 'posttooluse',
  'sessionstart', 'configchange', 'sandbox-gate', 'sandbox-mcp', 'sandbox-runner'];

for (const p of PROGRAMS)
  if (!fs.existsSync(path.join(BUILD, p)))
    bailOut(`${BUILD}/${p} is not built: run make`);

// Unknown to every policy, outside the project: it escalates.  Each run leaves
// a file: arguments, directory, ancestors, environment.
const DEPLOY = `#!/bin/sh
dir=\${0%/*}/runs
f=$(mktemp "$dir/tmp.XXXXXX")
{
	printf 'args=%s\\ncwd=%s\\n' "$*" "$(pwd)"
	p=$$
	while [ "$p" -gt 0 ]; do
		read -r line < "/proc/$p/stat" || break
		printf 'ancestor=%s %s\\n' "$p" "$(cat "/proc/$p/comm")"
		set -- \${line##*) }
		p=$2
	done
	tr '\\0\\n' '\\n ' < "/proc/$$/environ" | sed 's/^/env=/'
} > "$f"
mv "$f" "$dir/run.\${f##*.}"
echo 'DEPLOYED \u00fc'
`;

const readRun = file => {
  const run = { args: '', cwd: '', ancestors: [], env: {} };
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    const [, key, value] = line.match(/^(\w+)=(.*)$/s) ?? [];
    if (key === 'ancestor') {
      const [pid, ...comm] = value.split(' ');
      run.ancestors.push({ pid: Number(pid), comm: comm.join(' ') });
    } else if (key === 'env') {
      const at = value.indexOf('=');
      run.env[value.slice(0, at)] = value.slice(at + 1);
    } else if (key) {
      run[key] = value;
    }
  }
  return run;
};

export class Place {
  constructor(t) {
    this.root = fs.realpathSync(
      fs.mkdtempSync(path.join(os.tmpdir(), 'sandbox-e2e-')));
    for (const d of ['project', 'agentHome', 'humanHome', 'state', 'data',
      'tmp', 'tools']) {
      this[d] = path.join(this.root, d);
      fs.mkdirSync(this[d], { mode: 0o700 });
    }
    this.runsDir = path.join(this.tools, 'runs');
    fs.mkdirSync(this.runsDir);
    this.deploy = path.join(this.tools, 'deploy');
    fs.writeFileSync(this.deploy, DEPLOY, { mode: 0o755 });
    this.bin = BUILD;
    t.after(failed => {
      if (failed && process.env.KEEP)
        console.log(`# kept ${this.root}`);
      else
        fs.rmSync(this.root, { recursive: true, force: true });
    });
  }

  // A place with sandbox set up for an agent, and the test's policy.
  static async ready(t, { policy = {}, ownPrograms = false, init = [],
    agent = 'claude' } = {}) {
    const place = new Place(t);
    if (ownPrograms) place.copyPrograms();
    await place.mustSandbox('init', `--${agent}`, ...init, place.project);
    await place.accept(policy);
    return place;
  }

  copyPrograms() {
    this.bin = path.join(this.root, 'bin');
    fs.mkdirSync(this.bin);
    for (const p of PROGRAMS)
      fs.copyFileSync(path.join(BUILD, p), path.join(this.bin, p));
  }

  path(...parts) {
    return path.join(this.project, ...parts);
  }

  get settings() {
    return this.path('.claude/settings.local.json');
  }

  // The private directory of the project.
  get priv() {
    const base = path.join(this.state, 'sandbox');
    return this.privDir ??= path.join(base, fs.readdirSync(base)[0]);
  }

  // What the privileged program left behind, one entry per run.
  runs() {
    return fs.readdirSync(this.runsDir).filter(f => f.startsWith('run.'))
      .map(f => readRun(path.join(this.runsDir, f)));
  }

  humanEnv() {
    return { HOME: this.humanHome, XDG_STATE_HOME: this.state,
      XDG_DATA_HOME: this.data, PATH: process.env.PATH, LC_ALL: 'C.UTF-8',
      TZ: 'UTC', TERM: 'dumb', HUMAN_SECRET: 'not for commands' };
  }

  // Run one of our commands as the human: { code, out, err }.
  sandbox(...args) {
    return new Promise(resolve => {
      const child = spawn(path.join(this.bin, 'sandbox'), args, {
        cwd: this.project, env: this.humanEnv(), detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const out = [], err = [];
      child.stdout.on('data', d => out.push(d));
      child.stderr.on('data', d => err.push(d));
      child.on('error', e => resolve({ code: -1, out: '', err: e.message }));
      child.on('close', code => resolve({ code,
        out: Buffer.concat(out).toString(),
        err: Buffer.concat(err).toString() }));
    });
  }

  async mustSandbox(...args) {
    const r = await this.sandbox(...args);
    if (r.code !== 0)
      throw new Error(`sandbox ${args.join(' ')}: exit ${r.code}\n${r.out}` +
        r.err);
    return r;
  }

  // Write and accept a policy; what is not said stays as init wrote it.
  async accept(policy) {
    const text = { version: 1, mode: 'enforce', preset: 'default', rules: [],
      ...policy, limits: { wait_alone_s: 90, ...policy.limits } };
    fs.writeFileSync(this.path('.sandbox/policy.json'), JSON.stringify(text));
    const diff = (await this.sandbox('policy', 'diff')).out;
    const [, digest] = diff.match(/--digest ([0-9a-f]{64})/) ?? [];
    await this.mustSandbox('policy', 'accept', '--digest', String(digest));
  }

  async pending(seconds = 0) {
    const r = await this.sandbox('pending', '--json', '--wait',
      String(seconds));
    if (r.code !== 0 && r.code !== 1)
      throw new Error(`pending: exit ${r.code}\n${r.err}`);
    return JSON.parse(r.out).pending;
  }

  // Wait for n requests; the facts of `show` for each.
  async waiting(n = 1) {
    const end = Date.now() + 120000;
    for (;;) {
      const list = await this.pending(n === 1 ? 60 : 2);
      if (list.length >= n)
        return Promise.all(list.map(p => this.show(p.id)));
      if (Date.now() > end)
        throw new Error(`${list.length} of ${n} requests came`);
    }
  }

  async show(id) {
    return JSON.parse((await this.mustSandbox('show', id, '--json')).out);
  }

  approve(shown) {
    return this.sandbox('approve', shown.id, '--digest', shown.digest);
  }

  deny(shown, text) {
    return this.sandbox('deny', shown.id, '-m', text);
  }

  // The audit log's own opinion of itself.
  async verified(t) {
    const r = await this.sandbox('audit', 'verify', '--full');
    t.is(r.code, 0, `the audit log verifies (${r.out}${r.err})`);
  }
}
