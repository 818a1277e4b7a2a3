// Scripted models for the other clients: the parts of OpenAI's Responses and
// Chat Completions APIs and of the Gemini API they need, on 127.0.0.1.
//
//   const model = await ResponsesModel.start({ turns: [[call], [say('done')]] });
//   model.results.get(call)     what the client answered to it
//
// A turn is a list of blocks or an async function that returns one.  Which
// turn is due is told by the calls in the request, which carry its number.
import http from 'node:http';

export const tool = (name, args) => ({ type: 'call', name, args });
export const say = text => ({ type: 'text', text });

class Scripted {
  requests = [];          // bodies of all requests that offered tools
  results = new Map();    // call -> text
  sent = new Map();       // id -> call
  turnCache = new Map();

  static async start(script, host = '127.0.0.1') {
    const model = new this();
    model.script = script;
    model.server = http.createServer((req, res) => model.#serve(req, res));
    await new Promise(r => model.server.listen(0, host, r));
    model.url = `http://${host}:${model.server.address().port}`;
    return model;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  async #serve(req, res) {
    const chunks = [];
    for await (const c of req) chunks.push(c);
    const text = Buffer.concat(chunks).toString('utf8');
    const body = text === '' ? {} : JSON.parse(text);
    if (!this.isTurn(req.url)) return this.other(req.url, res);
    if (!this.hasTools(body)) return this.reply(res, body, req.url,
      [say('{"title":"a title"}')]);
    this.requests.push(body);
    for (const [id, result] of this.answersIn(body))
      if (this.sent.has(id)) this.results.set(this.sent.get(id), result);
    this.reply(res, body, req.url, await this.#turn(this.turnOf(body)));
  }

  async #turn(n) {
    const turn = this.script.turns[n] ?? [say('that is all')];
    if (!this.turnCache.has(n))
      this.turnCache.set(n, typeof turn === 'function' ?
        turn(this).catch(e => {
          this.failure ??= e;
          return [say(`the script failed: ${e.message}`)];
        }) : turn);
    const blocks = await this.turnCache.get(n);
    return blocks.map((b, i) => {
      if (b.type === 'text') return b;
      const id = `call_t${n}_${i}`;
      this.sent.set(id, b);
      return { ...b, id };
    });
  }

  // One more than the highest turn a call in the request came from.
  after(ids) {
    return 1 + Math.max(-1, ...ids.map(id =>
      Number(/^call_t(\d+)_/.exec(id)?.[1] ?? -1)));
  }

  json(res, status, value) {
    res.writeHead(status, { 'content-type': 'application/json' });
    res.end(JSON.stringify(value));
  }

  other(url, res) {
    this.json(res, 404, { error: { code: 404, message: url } });
  }
}

const asText = v => typeof v === 'string' ? v : JSON.stringify(v);

export class ResponsesModel extends Scripted {
  isTurn = url => url.includes('/responses');
  hasTools = () => true;
  items = body => Array.isArray(body.input) ? body.input : [];
  turnOf = body => this.after(this.items(body)
    .filter(i => i.type === 'function_call').map(i => i.call_id));
  answersIn = body => this.items(body)
    .filter(i => i.type === 'function_call_output')
    .map(i => [i.call_id, asText(i.output)]);

  other(url, res) {
    if (url.includes('/models'))
      return this.json(res, 200, { object: 'list', data: [], models: [] });
    super.other(url, res);
  }

  reply(res, body, url, blocks) {
    const items = blocks.map((b, i) => b.type === 'text' ?
      { type: 'message', id: `msg_${i}`, role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: b.text, annotations: [] }] } :
      { type: 'function_call', id: `fc_${b.id}`, call_id: b.id, name: b.name,
        namespace: b.namespace,
        arguments: JSON.stringify(b.args), status: 'completed' });
    const response = { id: 'resp', object: 'response', model: body.model,
      status: 'in_progress', output: [] };
    const event = (type, value) => res.write(`event: ${type}\ndata: ${
      JSON.stringify({ type, ...value })}\n\n`);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    event('response.created', { response });
    items.forEach((item, output_index) => {
      event('response.output_item.added', { output_index, item });
      event('response.output_item.done', { output_index, item });
    });
    event('response.completed', { response: { ...response,
      status: 'completed', output: items, usage: { input_tokens: 10,
        input_tokens_details: { cached_tokens: 0 }, output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 } } });
    res.end();
  }
}

export class GeminiModel extends Scripted {
  isTurn = url => /:(stream)?[gG]enerateContent/.test(url);
  hasTools = body => (body.tools ?? []).some(t =>
    t.functionDeclarations?.length);
  parts = body => (body.contents ?? []).flatMap(c => c.parts ?? []);
  turnOf = body => this.after(this.parts(body).filter(p => p.functionCall)
    .map(p => p.functionCall.id ?? ''));
  answersIn = body => this.parts(body).filter(p => p.functionResponse)
    .map(p => [p.functionResponse.id, asText(
      p.functionResponse.response?.error ??
      p.functionResponse.response?.output ?? p.functionResponse.response)]);

  other(url, res) {
    if (url.includes(':countTokens'))
      return this.json(res, 200, { totalTokens: 10 });
    super.other(url, res);
  }

  reply(res, body, url, blocks) {
    const parts = blocks.map(b => b.type === 'text' ? { text: b.text } :
      { functionCall: { name: b.name, args: b.args, id: b.id },
        thoughtSignature: 'c2ln' });
    const out = { candidates: [{ content: { role: 'model', parts },
      finishReason: 'STOP', index: 0 }], modelVersion: 'fake',
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5,
      totalTokenCount: 15 } };
    if (!url.includes(':stream')) return this.json(res, 200, out);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(`data: ${JSON.stringify(out)}\r\n\r\n`);
  }
}

export class ChatModel extends Scripted {
  isTurn = url => url.includes('/chat/completions');
  hasTools = body => (body.tools ?? []).length > 0;
  turnOf = body => this.after((body.messages ?? [])
    .flatMap(m => m.tool_calls ?? []).map(c => c.id));
  answersIn = body => (body.messages ?? []).filter(m => m.role === 'tool')
    .map(m => [m.tool_call_id, asText(m.content)]);

  reply(res, body, url, blocks) {
    const event = value => res.write(`data: ${JSON.stringify({ id: 'c',
      object: 'chat.completion.chunk', created: 1, model: body.model,
      ...value })}\n\n`);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    blocks.forEach((b, index) => event({ choices: [{ index: 0,
      finish_reason: null, delta: { role: 'assistant', ...(b.type === 'text' ?
        { content: b.text } : { tool_calls: [{ index, id: b.id,
          type: 'function', function: { name: b.name,
            arguments: JSON.stringify(b.args) } }] }) } }] }));
    event({ choices: [{ index: 0, delta: {}, finish_reason:
      blocks.some(b => b.type === 'call') ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
    res.end('data: [DONE]\n\n');
  }
}
