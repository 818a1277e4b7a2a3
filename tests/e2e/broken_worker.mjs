#!/usr/bin/env node
// Whatever becomes of the worker behind the hook, the call does not run.
import { brokenRows } from './lib/broken.mjs';

const script = text => ({ worker: `#!/bin/sh\n${text}\n` });
const OWN = /sandbox did not let this call run/;

await brokenRows({
  'the worker: SIGSEGV': { ...script('kill -SEGV $$'), says: OWN },
  'the worker: SIGKILL': { ...script('kill -KILL $$'), says: OWN },
  'the worker: abort': { ...script('kill -ABRT $$'), says: OWN },
  'the worker: hangs': { ...script('exec /bin/sleep 1000'), says: OWN },
  'the worker: says nothing and ends well': { ...script('exit 0'), says: OWN },
  'the worker: exit 1': { ...script('exit 1'), says: OWN },
  'the worker: half an answer': {
    ...script(`printf 'A 0 100 0\\n{"hookSpecificOutput":'`), says: OWN },
  'the worker: an answer without its end': {
    ...script(`printf 'A 0 0 0\\n'`), says: OWN },
  'the worker: a whole answer, then exit 3': {
    ...script(`printf 'A 0 0 0\\nE\\n'; exit 3`), says: OWN },
  'the worker: a whole answer, then SIGSEGV': {
    ...script(`printf 'A 0 0 0\\nE\\n'; kill -SEGV $$`), says: OWN },
  'the worker: a byte too many': {
    ...script(`printf 'A 0 0 0\\nE\\nx'`), says: OWN },
  'the worker: two answers': {
    ...script(`printf 'A 0 0 0\\nE\\nA 0 0 0\\nE\\n'`), says: OWN },
  'the worker: a length that is none': {
    ...script(`printf 'A 0 -1 0\\nE\\n'`), says: OWN },
  'the worker: a length that is too large': {
    ...script(`printf 'A 0 99999999999999999999 0\\nE\\n'`), says: OWN },
  'the worker: asks for ever, then dies': {
    ...script(`printf 'W 600\\n'; kill -KILL $$`), says: OWN },
  'the worker: asks for more than a day': {
    ...script(`printf 'W 90000\\nA 0 0 0\\nE\\n'`), says: OWN },
  'the worker: plain text': { ...script('echo hello'), says: OWN },
  'the worker: endless output': {
    ...script('exec /usr/bin/head -c 100000000 /dev/zero'), says: OWN },
  'the worker: half an answer, then hangs': {
    ...script(`printf 'A 0 100 0\\n{'; exec /bin/sleep 1000`), says: OWN },
  'the worker: missing': { worker: null, says: OWN },
  'the worker: not executable': {
    worker: '#!/bin/sh\n', mode: 0o644, says: OWN },
  'the worker: no program': { worker: 'rubbish\n', says: OWN },
  'the worker: empty': { worker: '', says: OWN },
  'the hook itself: SIGSEGV': { hook: 'kill -SEGV $$' },
  'the hook itself: SIGKILL': { hook: 'kill -KILL $$' },
  'the hook itself: missing': { hook: 'exec /nonexistent/pretooluse' },
});
