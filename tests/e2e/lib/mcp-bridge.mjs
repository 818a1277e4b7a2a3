// One stdio server behind a loopback address, because the conformance suite
// speaks HTTP only.  Every POST is one message; ids are replaced by our own on
// the way in and put back on the way out.
//   const bridge = await Bridge.start(server);   bridge.url, bridge.stop()
import http from 'node:http';
import readline from 'node:readline';
import { spawn } from 'node:child_process';

const isLocal = host => /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host ?? '');

export class Bridge {
  #answers = new Map();
  #last = 0;

  static async start({ command, args, env, cwd }) {
    const b = new Bridge();
    b.child = spawn(command, args, { env, cwd,
      stdio: ['pipe', 'pipe', 'ignore'] });
    readline.createInterface({ input: b.child.stdout })
      .on('line', line => b.#line(JSON.parse(line)));
    b.http = http.createServer((req, res) => b.#serve(req, res));
    await new Promise(r => b.http.listen(0, '127.0.0.1', r));
    b.url = `http://127.0.0.1:${b.http.address().port}/mcp`;
    return b;
  }

  stop() {
    this.child.kill();
    this.http.closeAllConnections();
    this.http.close();
  }

  #line(message) {
    const answer = this.#answers.get(message.id);
    this.#answers.delete(message.id);
    answer?.(message);
  }

  async #serve(req, res) {
    const say = (status, value) => {
      res.writeHead(status, { 'content-type': 'application/json' });
      res.end(value === undefined ? '' : JSON.stringify(value));
    };
    const { host, origin } = req.headers;
    if (!isLocal(host) || (origin && !isLocal(new URL(origin).host)))
      return say(403, { error: 'not from here' });
    if (req.method !== 'POST') return say(405);
    const chunks = [];
    for await (const c of req) chunks.push(c);
    const message = JSON.parse(Buffer.concat(chunks).toString());
    if (message.id === undefined) {
      this.child.stdin.write(`${JSON.stringify(message)}\n`);
      return say(202);
    }
    const id = `bridge-${++this.#last}`;
    const answer = new Promise(resolve => this.#answers.set(id, resolve));
    this.child.stdin.write(`${JSON.stringify({ ...message, id })}\n`);
    say(200, { ...await answer, id: message.id });
  }
}
