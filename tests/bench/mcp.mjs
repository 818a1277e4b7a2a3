#!/usr/bin/env node
// tests/bench/mcp - our MCP server beside one of the TypeScript SDK that lists
// the same tools: start to first answer, round trip of tools/list, memory.
//
//	mcp.mjs SANDBOX-BINARY TOOLS.json [ROUNDS]
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { spawn } from 'node:child_process';

const [, self, sandbox, tools, rounds = '2000'] = process.argv;
const SDK = path.join(process.env.CLIENTS_DIR ||
  path.join(process.env.SANDBOX_HOME ?? process.env.HOME,
    '.cache/agent-clients'), 'mcp/node_modules/@modelcontextprotocol/sdk');

// The same server, as a person writes it with the SDK.
async function serve() {
  const at = f => path.join(SDK, 'dist/esm', f);
  const { Server } = await import(at('server/index.js'));
  const { StdioServerTransport } = await import(at('server/stdio.js'));
  const { ListToolsRequestSchema } = await import(at('types.js'));
  const list = JSON.parse(fs.readFileSync(tools, 'utf8'));
  const server = new Server({ name: 'peer', version: '1' },
    { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: list }));
  await server.connect(new StdioServerTransport());
}

const peak = pid => Number(fs.readFileSync(`/proc/${pid}/status`, 'utf8')
  .match(/VmHWM:\s+(\d+)/)[1]);

async function measure(command, args) {
  const begin = performance.now();
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = readline.createInterface({ input: child.stdout })
    [Symbol.asyncIterator]();
  const ask = async (id, method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method,
      params })}\n`);
    return (await lines.next()).value;
  };
  await ask(0, 'initialize', { protocolVersion: '2025-06-18',
    capabilities: {}, clientInfo: { name: 'bench', version: '1' } });
  const start = performance.now() - begin;
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const times = [];
  for (let i = 1; i <= Number(rounds); i++) {
    const before = performance.now();
    const line = await ask(i, 'tools/list', {});
    times.push(performance.now() - before);
    if (i === 1 && JSON.parse(line).result.tools.length !== 5)
      throw new Error(`${command} lists other tools`);
  }
  const kib = peak(child.pid);
  child.stdin.end();
  times.sort((a, b) => a - b);
  return { start, median: times[times.length >> 1],
    p90: times[times.length * 0.9 | 0], kib };
}

if (sandbox === '--serve') {
  await serve();
} else {
  const all = { sandbox: await measure(sandbox, ['mcp']) };
  if (fs.existsSync(SDK))
    all['TypeScript SDK'] = await measure(process.execPath,
      [self, '--serve', tools]);
  else
    console.log('no TypeScript SDK here: tests/e2e/setup installs it');
  console.log(`${''.padEnd(16)}  start ms  list ms (p90)      peak KiB`);
  for (const [name, r] of Object.entries(all))
    console.log(name.padEnd(16), r.start.toFixed(1).padStart(9),
      r.median.toFixed(3).padStart(8), `(${r.p90.toFixed(3)})`.padEnd(9),
      String(r.kib).padStart(9));
  const [us, them] = Object.values(all);
  if (them)
    console.log(`ratios: start ${(them.start / us.start).toFixed(0)}, list ${
      (them.median / us.median).toFixed(1)}, memory ${
      (them.kib / us.kib).toFixed(0)}`);
}
