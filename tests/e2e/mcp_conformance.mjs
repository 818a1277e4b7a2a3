#!/usr/bin/env node
// The protocol's own conformance suite: the scenarios that a server with tools
// alone, on stdio, can be asked.  All others want tools of certain names,
// resources, prompts, logging or HTTP's sessions.
import path from 'node:path';

import { Bridge } from './lib/mcp-bridge.mjs';
import { CONFORMANCE, NODE, run, server } from './lib/mcp.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

const SCENARIOS = ['server-initialize', 'ping', 'tools-list'];

await cases(Object.fromEntries(SCENARIOS.map(name => [name, async t => {
  const place = await Place.ready(t);
  const bridge = await Bridge.start(server(place));
  t.after(() => bridge.stop());
  const r = await run(NODE, [CONFORMANCE, 'server', '--url', bridge.url,
    '--scenario', name], { cwd: place.tmp, env: { HOME: place.agentHome,
    PATH: `${path.dirname(NODE)}:/usr/bin:/bin` } });
  t.is(r.code, 0, `it conforms (${r.out}${r.err})`);
  t.has(r.out, ', 0 failed, 0 warnings', 'nothing failed');
}])));
