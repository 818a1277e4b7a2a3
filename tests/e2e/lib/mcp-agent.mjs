// An MCP client as a process of its own, told by its parent what to do: who
// starts a server is noted as an agent, and below an agent nobody approves.
//   node mcp-agent.mjs CLIENT.mjs STDIO.mjs, then messages { n, op, args }
const [client, stdio] = await Promise.all(process.argv.slice(2, 4)
  .map(f => import(f)));
let me, transport;

const ops = {
  async connect(server, info, options) {
    transport = new stdio.StdioClientTransport({ ...server, stderr: 'ignore' });
    me = new client.Client(info, options);
    await me.connect(transport);
    return { pid: transport.pid, version: me.getNegotiatedProtocolVersion?.() };
  },
  list: async () => (await me.listTools()).tools,
  async call(params, { generation, ...options }) {
    const progress = [];
    const o = { ...options, onprogress: p => progress.push(p.progress) };
    const result = generation === 1 ?
      await me.callTool(params, undefined, o) : await me.callTool(params, o);
    return { result, progress };
  },
};

process.on('message', async ({ n, op, args }) => {
  try {
    process.send({ n, got: await ops[op](...args) });
  } catch (e) {
    process.send({ n, failed: { code: e.code, message: e.message } });
  }
});
process.on('disconnect', () => process.exit());
process.send({ n: 0 });
