// The human at `sandbox watch`, in a tmux of their own: what is on the screen,
// and keys.
import path from 'node:path';
import { execFileSync } from 'node:child_process';

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

export class Watch {
  constructor(t, place, size = '110x40') {
    this.place = place;
    const [x, y] = size.split('x');
    this.tmux('new-session', '-d', '-x', x, '-y', y,
      `${path.join(place.bin, 'sandbox')} watch --notify none; cat`);
    t.after(() => {
      try {
        this.tmux('kill-server');
      } catch {
        // It is gone already.
      }
    });
  }

  tmux(...args) {
    return execFileSync('tmux', ['-f', '/dev/null', '-L', 'watch', ...args], {
      cwd: this.place.project, encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...this.place.humanEnv(), TERM: 'xterm',
        TMUX_TMPDIR: this.place.root },
    });
  }

  // Every byte it writes to its terminal from now on, into this file.
  record(file) {
    this.tmux('pipe-pane', `cat >> '${file}'`);
  }

  screen() {
    return this.tmux('capture-pane', '-p');
  }

  async until(what, holds) {
    for (let i = 0; i < 1200; i++) {
      if (holds(this.screen())) return;
      await sleep(50);
    }
    throw new Error(`never on the screen: ${what}\n${this.screen()}`);
  }

  see(text) {
    return this.until(text, s => s.includes(text));
  }

  // A key that decides, once it is not dead.
  async press(key) {
    await this.until('a live key', s => !s.includes('in a moment'));
    this.tmux('send-keys', key);
  }

  type(text) {
    this.tmux('send-keys', '-l', text);
    this.tmux('send-keys', 'Enter');
  }
}
