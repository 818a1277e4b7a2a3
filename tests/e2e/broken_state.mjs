#!/usr/bin/env node
// Whatever becomes of .sandbox, the private directory, the accepted policy,
// the machine's limits: the call does not run.
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';

import { brokenRows, replaced } from './lib/broken.mjs';
import { isRoot } from './lib/client.mjs';

const OWN = /sandbox did not let this call run/;
const state = fn => ({ state: fn, says: OWN });
const inPriv = (name, replace) => state(p =>
  replaced(path.join(p.priv, name), replace));
const inSandbox = (name, replace) => state(p =>
  replaced(p.path('.sandbox', name), replace));
const withText = text => file =>
  fs.writeFileSync(file, text, { mode: 0o600 });
const withFifo = file => execFileSync('mkfifo', ['-m', '600', file]);
const withDirectory = file => fs.mkdirSync(file, { mode: 0o700 });
const asLink = file => fs.symlinkSync(`${path.basename(file)}.kept`, file);
const withFlip = file => {
  const b = fs.readFileSync(`${file}.kept`);
  b[b.length >> 1] ^= 1;
  fs.writeFileSync(file, b, { mode: 0o600 });
};
const withMode = (which, mode) => state(p => {
  const old = fs.statSync(which(p)).mode;
  fs.chmodSync(which(p), mode);
  return () => fs.chmodSync(which(p), old);
});
const sandbox = p => p.path('.sandbox');
const priv = p => p.priv;

// Root reads what it may not read, unless it gives that up.
const asIfPlain = isRoot ? { hook: 'exec setpriv --bounding-set ' +
  '-dac_override,-dac_read_search "$HOOK" "$@"' } : {};
// Root gives it away; a plain user registers what is root's.
const foreign = which => isRoot ? state(p => {
  fs.chownSync(which(p), 12345, 12345);
  return () => fs.chownSync(which(p), 0, 0);
}) : { hook: 'exec "$HOOK" --client claude --event PreToolUse ' +
  (which === priv ? '--root "$PROJECT" --state /usr/share' :
    '--root /usr --state "$PRIV"'), says: OWN };

const fill = dir => `mkdir "$ROOT/disk"
  mount -t tmpfs -o size=512k,mode=700 none "$ROOT/disk" &&
  cp -a ${dir}/. "$ROOT/disk" && mount --bind "$ROOT/disk" ${dir} || exit 1
  dd if=/dev/zero of=${dir}/fill bs=512 2>/dev/null
  cat > "$ROOT/call"
  # What room is left in the last page of the log goes to harmless calls.
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    sed "s/\\"command\\":\\"[^\\"]*/\\"command\\":\\"ls/" "$ROOT/call" |
      "$HOOK" "$@" >/dev/null
  done
  # They took the claims of the rows before out of the folder.
  dd if=/dev/zero of=${dir}/again bs=512 2>/dev/null
  exec "$HOOK" "$@" < "$ROOT/call"`;

const limits = (name, flag, values) => Object.fromEntries(values.map(v =>
  [`${name}: ${v}`, { hook: `ulimit ${flag} ${v}; exec "$HOOK" "$@"` }]));

await brokenRows({
  '.sandbox: missing': inSandbox(''),
  '.sandbox: a file': inSandbox('', withText('')),
  '.sandbox: a link': inSandbox('', asLink),
  '.sandbox: empty': inSandbox('', withDirectory),
  '.sandbox: unreadable': { ...withMode(sandbox, 0), ...asIfPlain },
  '.sandbox: open to others': withMode(sandbox, 0o777),
  '.sandbox: belongs to another': foreign(sandbox),
  '.sandbox/escalations: missing': inSandbox('escalations'),
  '.sandbox/escalations/pending: missing': inSandbox('escalations/pending'),
  '.sandbox/escalations/pending: a link':
    inSandbox('escalations/pending', asLink),
  '.sandbox/escalations/tmp: missing': inSandbox('escalations/tmp'),

  'private directory: missing': inPriv(''),
  'private directory: a file': inPriv('', withText('')),
  'private directory: empty': inPriv('', withDirectory),
  'private directory: unreadable': { ...withMode(priv, 0), ...asIfPlain },
  'private directory: open to others': withMode(priv, 0o755),
  'private directory: belongs to another': foreign(priv),
  'private directory: of another project': inPriv('', file => {
    execFileSync('cp', ['-a', `${file}.kept`, file]);
    const record = path.join(file, 'record.json');
    fs.writeFileSync(record, fs.readFileSync(record, 'utf8')
      .replace(/\/project"/, '/another"'));
  }),
  'record.json: missing': inPriv('record.json'),
  'record.json: rubbish': inPriv('record.json', withText('{')),
  'record.json: a FIFO': inPriv('record.json', withFifo),
  'view: missing': inPriv('view'),
  'ledger: missing': inPriv('ledger'),
  'run: missing': inPriv('run'),
  'log.key: missing': inPriv('log.key'),
  'log.key: rubbish': inPriv('log.key', withText('x'.repeat(256))),
  'audit: missing': inPriv('audit'),
  'audit log: a directory': inPriv('audit/audit.jsonl', withDirectory),
  'audit log: a FIFO': inPriv('audit/audit.jsonl', withFifo),
  'approvers: rubbish': inPriv('view/approvers', withText('x\n')),
  'approvers: missing': inPriv('view/approvers'),

  'accepted policy: rubbish': inPriv('view/policy.accepted', withText('x')),
  'accepted policy: empty': inPriv('view/policy.accepted', withText('')),
  'accepted policy: one bit': inPriv('view/policy.accepted', withFlip),
  'accepted policy: a link': inPriv('view/policy.accepted', asLink),
  'accepted policy: a FIFO': inPriv('view/policy.accepted', withFifo),
  'accepted policy: a directory':
    inPriv('view/policy.accepted', withDirectory),
  'accepted policy: of somebody else': inPriv('view/policy.accepted', file =>
    fs.writeFileSync(file, fs.readFileSync(`${file}.kept`, 'utf8')
      .replace(/[0-9a-f]{64}/, h => h.split('').reverse().join('')),
    { mode: 0o600 })),

  'disk full: the queue': { space: fill('"$PROJECT/.sandbox"'), says: OWN },
  'disk full: the private directory': { space: fill('"$PRIV"'), says: OWN },
  'no /proc': { space: 'mount -t tmpfs none /proc && exec "$HOOK" "$@"',
    says: OWN },

  ...limits('RLIMIT_NOFILE', '-n', [3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20]),
  ...limits('RLIMIT_AS (KiB)', '-v',
    [512, 1024, 2048, 4096, 6144, 8192, 12288, 16384, 24576]),
  ...limits('RLIMIT_FSIZE (blocks)', '-f', [0, 1]),
  ...limits('RLIMIT_DATA (KiB)', '-d', [0, 256, 1024]),
  ...limits('RLIMIT_STACK (KiB)', '-s', [16, 64, 128]),
});
