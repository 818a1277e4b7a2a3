// The other real clients, headless, each in a place of its own against a
// scripted model: one row per client.
//
//   const run = await startAgent(t, place, AGENTS.codex, { turns });
//   const end = await finishAgent(t, run);
import fs from 'node:fs';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';

import { ChatModel, GeminiModel, ResponsesModel, tool } from './models.mjs';
import { bailOut } from './tap.mjs';

const CLIENTS = path.join(process.env.CLIENTS_DIR ||
  path.join(process.env.HOME, '.cache/agent-clients'), 'npm/node_modules');

const write = (file, text) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
};

// What a person's "trust all" in /hooks leaves behind: per hook the hash of
// its definition.  Without it Codex skips the hook.
function codexTrust(place) {
  const file = place.path('.codex/hooks.json');
  if (!fs.existsSync(file)) return '';
  const { hooks } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return Object.entries(hooks).map(([event, [group]]) => {
    const name = event.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase();
    const entry = { async: false, ...group.hooks[0] };
    const sorted = Object.fromEntries(Object.entries(entry).sort());
    const hash = createHash('sha256').update(JSON.stringify({
      event_name: name, hooks: [sorted] })).digest('hex');
    return `[hooks.state."${file}:${name}:0:0"]\n` +
      `trusted_hash = "sha256:${hash}"\n`;
  }).join('');
}

function codexHome(place, model) {
  write(path.join(place.agentHome, '.codex/config.toml'), `
model = "gpt-5.2-codex"
model_provider = "fake"
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = "${model.url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[analytics]
enabled = false
[projects."${place.project}"]
trust_level = "trusted"
${codexTrust(place)}`);
}

function geminiHome(place) {
  write(path.join(place.agentHome, '.gemini/settings.json'), JSON.stringify({
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false } }));
  write(path.join(place.agentHome, '.gemini/trustedFolders.json'),
    JSON.stringify({ [place.project]: 'TRUST_FOLDER' }));
}

const opencodeConfig = model => JSON.stringify({
  autoupdate: false, share: 'disabled', model: 'fake/m1',
  small_model: 'fake/m1', provider: { fake: { npm: '@ai-sdk/openai-compatible',
    name: 'fake', options: { baseURL: `${model.url}/v1`, apiKey: 'dummy' },
    models: { m1: { name: 'm1', tool_call: true,
      limit: { context: 100000, output: 4000 } } } } } });

export const AGENTS = {
  codex: {
    name: 'codex', Model: ResponsesModel, prepare: codexHome,
    file: '.codex/hooks.json',
    program: path.join(CLIENTS, '@openai/codex-linux-x64/vendor/' +
      'x86_64-unknown-linux-musl/bin/codex'),
    args: ['exec', '--json', '--skip-git-repo-check', '-s',
      'danger-full-access', 'go'],
    env: () => ({ FAKE_KEY: 'dummy' }),
    shell: (cmd, workdir) => tool('exec_command', { cmd, workdir }),
  },
  gemini: {
    name: 'gemini', Model: GeminiModel, prepare: geminiHome,
    file: '.gemini/settings.json',
    program: process.execPath,
    args: [path.join(CLIENTS, '@google/gemini-cli/bundle/gemini.js'), '-p',
      'go', '-m', 'gemini-2.5-flash', '--output-format', 'stream-json',
      '--approval-mode', 'yolo'],
    env: model => ({ GEMINI_API_KEY: 'dummy',
      GOOGLE_GEMINI_BASE_URL: model.url, NO_BROWSER: '1',
      GEMINI_CLI_NO_RELAUNCH: 'true' }),
    shell: (command, dir_path) => tool('run_shell_command',
      { command, description: 'a step', dir_path }),
  },
  opencode: {
    name: 'opencode', Model: ChatModel, prepare: () => {},
    file: '.opencode/plugin/sandbox.js',
    program: path.join(CLIENTS, 'opencode-linux-x64/bin/opencode'),
    args: ['run', '--format', 'json', 'go'],
    env: model => ({ OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_CONFIG_CONTENT: opencodeConfig(model) }),
    shell: (command, workdir) => tool('bash',
      { command, description: 'a step', workdir }),
  },
};

for (const a of Object.values(AGENTS))
  for (const f of [a.program, a.args[0]].filter(p => p.startsWith('/')))
    if (!fs.existsSync(f))
      bailOut(`there is no client at ${f}: run tests/e2e/setup`);

// Inside `sandbox run --agent`; the model is reached through the proxy, by an
// address that is not the jail's own loopback.
function jailed(place, model, agent) {
  const settings = path.join(place.tools, 'jail.json');
  write(settings, JSON.stringify({
    filesystem: { allowWrite: [place.project],
      allowRead: [CLIENTS, process.execPath, place.deploy] },
    environment: { pass: ['FAKE_KEY'] },
    network: { allowedDomains: [new URL(model.url).host] } }));
  return [path.join(place.bin, 'sandbox'), 'run', '--state', place.state,
    '--agent', agent.name, '--settings', settings, '--'];
}

export async function startAgent(t, place, agent, script, options = {}) {
  const model = await agent.Model.start(script,
    options.jailed ? '127.0.0.2' : undefined);
  t.after(() => model.stop());
  agent.prepare(place, model);
  const [program, ...args] = [...options.jailed ?
    jailed(place, model, agent) : [], agent.program, ...agent.args];
  const child = spawn(program, args, {
    cwd: place.project, stdio: ['ignore', 'pipe', 'pipe'],
    env: { HOME: place.agentHome, PATH: '/usr/local/bin:/usr/bin:/bin',
      TERM: 'dumb', LANG: 'C.UTF-8', SHELL: '/bin/bash', TMPDIR: place.tmp,
      NO_PROXY: '127.0.0.1', ...agent.env(model), ...options.env },
  });
  const out = [], err = [];
  child.stdout.on('data', d => out.push(d));
  child.stderr.on('data', d => err.push(d));
  const late = setTimeout(() => child.kill('SIGKILL'), 240000);
  const done = new Promise(resolve => child.on('close', code => {
    clearTimeout(late);
    resolve({ code, stdout: Buffer.concat(out).toString(),
      stderr: Buffer.concat(err).toString() });
  }));
  t.after(async () => {
    child.kill('SIGKILL');
    await done;
  });
  return { model, pid: child.pid, done };
}

export async function finishAgent(t, run) {
  const end = await run.done;
  t.is(run.model.failure?.stack, undefined, 'the script went through');
  t.is(end.code, 0, `the client ended well (${end.stderr.slice(0, 500)})`);
  return { ...run, ...end };
}

export async function runAgent(t, place, agent, script, options = {}) {
  return finishAgent(t, await startAgent(t, place, agent, script, options));
}
