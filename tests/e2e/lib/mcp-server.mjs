// A third party's MCP server: one tool, `ring`, that appends its argument to
// the file named on the command line.
import fs from 'node:fs';
import readline from 'node:readline';

const TOOLS = [{ name: 'ring', description: 'Ring a bell.', inputSchema: {
  type: 'object', properties: { bell: { type: 'string' } },
  required: ['bell'] } }];

const methods = {
  initialize: p => ({ protocolVersion: p.protocolVersion,
    capabilities: { tools: {} }, serverInfo: { name: 'bells', version: '1' } }),
  'tools/list': () => ({ tools: TOOLS }),
  'tools/call': p => {
    fs.appendFileSync(process.argv[2], `${p.arguments.bell}\n`);
    return { content: [{ type: 'text', text: `RANG ${p.arguments.bell}` }] };
  },
  ping: () => ({}),
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = methods[method] ? { result: methods[method](params ?? {}) } :
    { error: { code: -32601, message: 'no such method' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}
