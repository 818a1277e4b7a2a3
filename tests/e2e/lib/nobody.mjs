// Root cannot be jailed: started by root, a test becomes nobody, with the
// programs and the clients where nobody can reach them.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawnSync } from 'node:child_process';

// Does not return as root.  `clients`: folders of tests/e2e/setup that it needs
// too, as links where that can be.
export async function becomeNobody(file, { clients = [] } = {}) {
  if (os.userInfo().uid !== 0) return;
  const { CLAUDE, CLIENTS } = await import('./client.mjs');
  const { PROGRAMS } = await import('./place.mjs');
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'sandbox-nobody-'));
  const [bin, e2e, home] = ['bin', 'e2e', 'home'].map(d => path.join(dir, d));
  const BUILD = process.env.BUILD ??
    path.resolve(import.meta.dirname, '../../../build/release');
  let status = 1;
  try {
    fs.chmodSync(dir, 0o755);
    for (const d of [bin, home]) fs.mkdirSync(d);
    for (const p of [...PROGRAMS, 'sandbox-proxy']) {
      fs.copyFileSync(path.join(BUILD, p), path.join(bin, p));
      fs.chmodSync(path.join(bin, p), 0o755);
    }
    fs.copyFileSync(CLAUDE, path.join(bin, 'claude'));
    fs.chmodSync(path.join(bin, 'claude'), 0o755);
    fs.cpSync(path.dirname(file), e2e, { recursive: true });
    for (const folder of clients)
      spawnSync('sh', ['-c', 'mkdir -p "$2" && { cp -al "$1" "$2" 2>/dev/null' +
        ' || cp -a "$1" "$2"; }', 'sh', path.join(CLIENTS, folder),
      path.join(dir, 'clients')]);
    spawnSync('chmod', ['-R', 'a+rX', dir]);
    spawnSync('chown', ['nobody', home]);
    status = spawnSync('setpriv', ['--reuid', 'nobody', '--regid', 'nogroup',
      '--clear-groups', process.execPath,
      path.join(e2e, path.basename(file))], {
      stdio: 'inherit', cwd: home, env: { ...process.env, BUILD: bin,
        CLAUDE_BIN: path.join(bin, 'claude'), HOME: home, TMPDIR: home,
        ...clients.length && { CLIENTS_DIR: path.join(dir, 'clients') } } })
      .status;
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
  process.exit(status ?? 1);
}
