#!/usr/bin/env node
// A session in which the real client edits, creates, renames and deletes by its
// tools and by Bash: all of it that is certain is listed, and `restore
// --session` gives back every byte, mode and link.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { finish, startClaude } from './lib/client.mjs';
import { bash, edit, other, read, say, write } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

const TOOLS = ['--allowedTools', 'Bash,Write,Edit,Read,NotebookEdit'];
const OURS = new Set(['.sandbox', '.claude']);

const NOTEBOOK = JSON.stringify({ cells: [{ cell_type: 'code', id: 'c1',
  execution_count: null, metadata: {}, outputs: [], source: ['1 + 1'] }],
  metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1);

// path -> type, mode, content or target, of everything but our own folders
function fingerprint(root, dir = '', all = {}) {
  for (const name of fs.readdirSync(path.join(root, dir)).sort()) {
    const at = path.join(dir, name), full = path.join(root, at);
    if (dir === '' && OURS.has(name)) continue;
    const st = fs.lstatSync(full), mode = (st.mode & 0o7777).toString(8);
    if (st.isDirectory()) {
      all[at] = `folder ${mode}`;
      fingerprint(root, at, all);
    } else if (st.isSymbolicLink()) {
      all[at] = `link ${fs.readlinkSync(full)}`;
    } else {
      all[at] = `file ${mode} ` + crypto.createHash('sha256')
        .update(fs.readFileSync(full)).digest('hex');
    }
  }
  return all;
}

function fill(place) {
  const put = (name, text, mode = 0o644) => {
    fs.mkdirSync(path.dirname(place.path(name)), { recursive: true });
    fs.writeFileSync(place.path(name), text);
    fs.chmodSync(place.path(name), mode);
  };
  put('src/main.c', 'int main(void)\n{\n\treturn 1;\n}\n');
  put('src/old.c', 'old\n'.repeat(500), 0o640);
  put('src/sub/deep.c', 'deep\n');
  put('notes.md', '# Notes\n');
  put('run.sh', '#!/bin/sh\necho hi\n', 0o755);
  put('book.ipynb', NOTEBOOK);
  put('doomed.txt', 'do not lose me \u00fc\n', 0o600);
  put('tree/a/b', Buffer.from([0, 1, 2, 255]));
  put('tree/c', 'c\n', 0o400);
  put('a name\nof two lines', 'odd\n');
  put('gen.sh', 'echo made > generated.txt\necho changed >> src/sub/deep.c\n');
  fs.symlinkSync('src/main.c', place.path('link'));
  fs.symlinkSync('nowhere', place.path('tree/dangling'));
}

const script = p => [
  [read(p('src/main.c'))],
  [edit(p('src/main.c'), 'return 1', 'return 0')],
  [edit(p('src/main.c'), 'return 0', 'return 2')],
  [write(p('new/made.txt'), 'made by Write\n')],
  [read(p('notes.md'))],
  [write(p('notes.md'), 'all new\n')],
  [read(p('book.ipynb'))],
  [other('NotebookEdit', { notebook_path: p('book.ipynb'), cell_id: 'c1',
    new_source: '2 + 2' })],
  [bash('mv src/old.c src/renamed.c')],
  [bash('chmod 600 run.sh && echo more >> run.sh')],
  [bash('ln -sf notes.md link')],
  [bash('mkdir -p one/two && cp notes.md one/two/copy.md')],
  [bash('rm doomed.txt')],
  [bash("mv 'a name\nof two lines' tree/odd")],
];

// Trees, and code nobody can look into, are asked.
const asked = [[bash('rm -rf tree')], [bash('bash gen.sh')]];

async function session(t) {
  const place = await Place.ready(t);
  fill(place);
  const was = fingerprint(place.project);
  const run = await startClaude(t, place, { turns: [
    ...script(name => place.path(name)), ...asked, [say('done')]] },
  { args: TOOLS });
  for (let i = 0; i < asked.length; i++) {
    const [shown] = await place.waiting();
    t.is((await place.approve(shown)).code, 0, `approved: ${i}`);
  }
  const end = await finish(t, run);
  for (const [id, r] of end.model.results)
    t.ok(!r.isError || r.text.includes('APPROVED'), `${id}: ${r.text}`);
  return { place, was };
}

await cases({
  'changes lists it, restore --session gives all of it back': async t => {
    const { place, was } = await session(t);
    const listed = JSON.parse((await place.mustSandbox('changes', '--json',
      '--session', 'last')).out).changes;
    const what = name => listed.filter(c => c.path === name).map(c => c.what);
    t.is(what('src/main.c'), ['changed', 'changed'], 'two edits');
    t.is(what('new/made.txt'), ['created'], 'a Write that made a file');
    t.is(what('notes.md'), ['changed'], 'a Write over one');
    t.is(what('book.ipynb'), ['changed'], 'a notebook');
    t.is(what('src/old.c'), ['deleted'], 'a rename: from');
    t.is(what('src/renamed.c'), ['created'], 'a rename: to');
    t.is(what('run.sh'), ['changed'], 'mode and content by Bash');
    t.is(what('link'), ['changed'], 'a link that leads elsewhere');
    t.is(what('one/two/copy.md'), ['created'], 'a copy');
    t.is(what('a name\nof two lines'), ['deleted'], 'an odd name');
    t.is(what('doomed.txt'), ['deleted'], 'a deletion');
    t.is(what('tree/a/b'), ['deleted'], 'an approved deletion of a tree');
    t.is(what('tree/dangling'), ['deleted'], 'with its links');

    const dry = await place.mustSandbox('restore', '--session', 'last',
      '--dry-run');
    t.has(dry.out, 'remove   new/made.txt', 'what would be done');
    t.ok(!fs.existsSync(place.path('doomed.txt')), 'and nothing was');

    const left = fingerprint(place.project);
    await place.mustSandbox('restore', '--session', 'last');
    const is = fingerprint(place.project);
    // Made by code that nobody can look into: not ours to delete.
    t.is(is['generated.txt'], left['generated.txt'], 'a file of unknown origin');
    delete is['generated.txt'];
    t.is(is, was, 'every byte, mode and link');
    await place.verified(t);
    await place.mustSandbox('changes', '--verify');
  },
});
