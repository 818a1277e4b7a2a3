#!/usr/bin/env node
// Without a single inotify instance the hook looks by itself, and works.
import fs from 'node:fs';

import { Broken } from './lib/broken.mjs';
import { finish, startClaude } from './lib/client.mjs';
import { bash, say } from './lib/model.mjs';
import { Place } from './lib/place.mjs';
import { cases } from './lib/tap.mjs';

const NONE = '/proc/sys/user/max_inotify_instances';

await cases({
  'no inotify instance: approved all the same': async t => {
    const place = await Place.ready(t, { ownPrograms: true });
    const broken = new Broken(place);
    broken.hook('exec unshare -U --map-current-user --keep-caps /bin/sh -c ' +
      `'echo 0 > ${NONE}; cat ${NONE} > "$ROOT/none"; exec "$HOOK" "$@"' ` +
      'pretooluse "$@"');
    const call = bash(`${place.deploy} x`);
    const run = await startClaude(t, place, {
      turns: [[call], [say('done')]] });
    const [shown] = await place.waiting();
    t.is(fs.readFileSync(`${place.root}/none`, 'utf8'), '0\n',
      'there is none for the hook');
    t.is(place.runs(), [], 'nothing ran before the decision');
    t.is((await place.approve(shown)).code, 0, 'approved');
    const answered = Date.now();
    const end = await finish(t, run);
    t.ok(Date.now() - answered < 20000, 'the hook saw the answer by itself');
    t.is(place.runs().length, 1, 'it ran once');
    t.has(end.model.results.get(call.id).text,
      'APPROVED and already executed once', 'the truth');
  },
});
