#!/usr/bin/env node
// Somebody else's MCP server in the jail: `"command": "sandbox", "args": ["run",
// ..., "--", ...]`.  It is allowed all of the disk by its own arguments; what
// it can do is what the jail's settings say.
import fs from 'node:fs';
import path from 'node:path';

import { becomeNobody } from './lib/nobody.mjs';

await becomeNobody(import.meta.filename, { clients: ['mcp'] });

const { Agent, FILESYSTEM, MCP_DIR, NODE } = await import('./lib/mcp.mjs');
const { Place } = await import('./lib/place.mjs');
const { cases } = await import('./lib/tap.mjs');

async function connect(t, place, wrapped) {
  const settings = path.join(place.tools, 'jail.json');
  fs.writeFileSync(settings, JSON.stringify({ filesystem: {
    allowRead: [MCP_DIR], allowWrite: [place.project],
    denyRead: [place.path('.env')] } }));
  const start = [NODE, FILESYSTEM, '/'];
  const [command, ...args] = wrapped ? [path.join(place.bin, 'sandbox'), 'run',
    '--settings', settings, '--', ...start] : start;
  return Agent.connect(t, place, 1, { server: { command, args,
    cwd: place.project, env: { HOME: place.agentHome, PATH: '/usr/bin:/bin',
      LANG: 'C.UTF-8', API_TOKEN: 'secret' } } });
}

const call = async (agent, name, args) => {
  const { result } = await agent.call(name, args);
  return { text: result.content[0].text, failed: result.isError === true };
};

// What it reaches: the project, what is around it, a secret.
async function reach(agent, place) {
  const write = file => call(agent, 'write_file', { path: file, content: 'x' });
  return {
    read: await call(agent, 'read_text_file', { path: place.path('a.txt') }),
    write: await write(place.path('made')),
    outside: await write(path.join(place.tools, 'outside')),
    hook: await write(place.path('.git/hooks/pre-commit')),
    secret: await call(agent, 'read_text_file', { path: place.path('.env') }),
  };
}

async function project(t) {
  const place = await Place.ready(t);
  fs.writeFileSync(place.path('a.txt'), 'readable');
  fs.writeFileSync(place.path('.env'), 'TOKEN=x');
  fs.mkdirSync(place.path('.git/hooks'), { recursive: true });
  return place;
}

await cases({
  'without the jail it reaches all of it': async t => {
    const place = await project(t);
    const got = await reach(await connect(t, place, false), place);
    for (const [what, { text, failed }] of Object.entries(got))
      t.is(failed, false, `${what} (${text})`);
  },

  'in the jail it works, and reaches what the settings say': async t => {
    const place = await project(t);
    const agent = await connect(t, place, true);
    t.ok((await agent.list()).includes('read_text_file'), 'its tools are there');
    const got = await reach(agent, place);
    t.is(got.read, { text: 'readable', failed: false }, 'the project is read');
    t.is(got.write.failed, false, `and written (${got.write.text})`);
    t.is(fs.readFileSync(place.path('made'), 'utf8'), 'x', 'for good');
    t.is(got.outside.failed, true, 'what is around it is not');
    t.is(fs.existsSync(path.join(place.tools, 'outside')), false, 'really');
    t.is(got.hook.failed, true, 'hooks are not');
    t.is(got.secret.failed, true, 'secrets cannot be read');
  },
});
