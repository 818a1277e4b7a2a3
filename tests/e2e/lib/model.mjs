// A scripted model: the part of the Anthropic Messages API a client needs, on
// 127.0.0.1, without thinking.
//
//   const model = await Model.start({
//     turns: [[bash('ls')], [say('done')]],
//     agents: [{ match: 'text of a first prompt', turns: [...] }],
//   });
//
// A turn is a list of blocks, or an async function that returns one and may
// wait for a fact first.  Which turn is due is told by the number of assistant
// messages in the request, so repeated requests get the same answer.
import http from 'node:http';

let toolIds = 0;
const tool = (name, input) =>
  ({ type: 'tool_use', id: `toolu_e2e${String(++toolIds).padStart(6, '0')}`,
     name, input });

export const bash = command =>
  tool('Bash', { command, description: 'a step' });
export const write = (file_path, content) =>
  tool('Write', { file_path, content });
export const edit = (file_path, old_string, new_string) =>
  tool('Edit', { file_path, old_string, new_string });
export const read = file_path => tool('Read', { file_path });
export const agent = prompt =>
  tool('Agent', { description: 'a helper', prompt });
export const other = (name, input) => tool(name, input);
export const say = text => ({ type: 'text', text });

const textOf = content =>
  typeof content === 'string' ? content :
    (content ?? []).map(b => b.text ?? '').join('\n');

const send = (res, status, value) => {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(value));
};

export class Model {
  requests = [];          // bodies of all requests that offered tools
  results = new Map();    // tool_use id -> { text, isError }
  replies = 0;

  static async start(script, host = '127.0.0.1') {
    const model = new Model();
    model.script = script;
    model.turnCache = new Map();
    model.server = http.createServer((req, res) => model.#serve(req, res));
    await new Promise(r => model.server.listen(0, host, r));
    model.url = `http://${host}:${model.server.address().port}`;
    return model;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  // All the model was ever told, as one text.
  get heard() {
    return this.requests.map(b => JSON.stringify(b.messages)).join('\n') +
      this.requests.map(b => JSON.stringify(b.system ?? '')).join('\n');
  }

  #note(body) {
    this.requests.push(body);
    for (const m of body.messages ?? []) {
      if (typeof m.content === 'string') continue;
      for (const b of m.content.filter(c => c.type === 'tool_result'))
        this.results.set(b.tool_use_id,
          { text: textOf(b.content), isError: b.is_error === true });
    }
  }

  async #turn(body) {
    const messages = body.messages ?? [];
    const n = messages.filter(m => m.role === 'assistant').length;
    const lead = messages.slice(0, messages.findIndex(m =>
      m.role === 'assistant') >>> 0);
    const first = lead.map(m => textOf(m.content)).join('\n');
    const helper = (this.script.agents ?? []).find(a =>
      first.includes(a.match));
    const turn = (helper ?? this.script).turns[n] ?? [say('that is all')];
    if (typeof turn !== 'function') return turn;
    const key = `${helper?.match ?? ''} ${n}`;
    if (!this.turnCache.has(key)) this.turnCache.set(key, turn(this));
    return this.turnCache.get(key);
  }

  async #serve(req, res) {
    const chunks = [];
    for await (const c of req) chunks.push(c);
    const url = req.url.split('?')[0];
    if (url.endsWith('/count_tokens'))
      return send(res, 200, { input_tokens: 100 });
    if (!url.endsWith('/v1/messages'))
      return send(res, 404, { type: 'error', error: {
        type: 'not_found_error', message: url } });
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    let blocks = [say('{"title":"a title"}')];
    if ((body.tools ?? []).length > 0) {
      this.#note(body);
      try {
        blocks = await this.#turn(body);
      } catch (e) {
        this.failure ??= e;
        blocks = [say(`the script failed: ${e.message}`)];
      }
    }
    this.#reply(res, body, blocks);
  }

  #reply(res, body, blocks) {
    const stop = blocks.some(b => b.type === 'tool_use') ?
      'tool_use' : 'end_turn';
    const message = {
      id: `msg_e2e${++this.replies}`, type: 'message', role: 'assistant',
      model: body.model, content: [], stop_reason: null, stop_sequence: null,
      usage: { input_tokens: 100, output_tokens: 20,
               cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    };
    if (!body.stream)
      return send(res, 200, { ...message, content: blocks, stop_reason: stop });
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = (type, value) =>
      res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...value })}` +
        '\n\n');
    event('message_start', { message });
    blocks.forEach((b, index) => {
      const isText = b.type === 'text';
      event('content_block_start', { index, content_block: isText ?
        { type: 'text', text: '' } : { ...b, input: {} } });
      event('content_block_delta', { index, delta: isText ?
        { type: 'text_delta', text: b.text } :
        { type: 'input_json_delta', partial_json: JSON.stringify(b.input) } });
      event('content_block_stop', { index });
    });
    event('message_delta', { delta: { stop_reason: stop, stop_sequence: null },
                             usage: { output_tokens: 20 } });
    event('message_stop', {});
    res.end();
  }
}
