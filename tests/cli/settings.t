#!/usr/bin/env python3
# Settings files as people have them: init puts our entries in, twice is once,
# uninstall gives back every byte; what cannot be edited safely is refused, with
# the lines to add by hand, and not touched.
import json, os, re, shutil, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from settings_bed import *

# agent: its file, an event of it, whether comments are allowed there, and an
# entry of somebody else.
AGENTS = {
    'claude': ('.claude/settings.local.json', 'PreToolUse', False,
               '{"matcher":"Bash","hooks":[{"type":"command",'
               '"command":"mine"}]}'),
    'codex': ('.codex/hooks.json', 'PreToolUse', False,
              '{"hooks":[{"type":"command","command":"mine"}]}'),
    'gemini': ('.gemini/settings.json', 'BeforeTool', True,
               '{"matcher":"x","hooks":[{"type":"command",'
               '"command":"mine"}]}'),
    'cursor': ('.cursor/hooks.json', 'preToolUse', False,
               '{"command":"mine"}'),
    'windsurf': ('.windsurf/hooks.json', 'pre_run_command', False,
                 '{"command":"mine","show_output":true}'),
    'copilot': ('.github/hooks/sandbox.json', 'preToolUse', False,
                '{"type":"command","bash":"mine"}'),
}


def without_ours(value):
    """The hooks of others, and nothing that is empty."""
    if isinstance(value, dict):
        value = {k: without_ours(v) for k, v in value.items()}
        return {k: v for k, v in value.items() if v not in ({}, [])}
    if isinstance(value, list):
        return [without_ours(v) for v in value
                if '--client' not in json.dumps(v)]
    return value


def there_and_back(agent, data, prepare=None):
    """None, or what is wrong."""
    file, event, _, _ = AGENTS[agent]
    root, path = project(file)
    if prepare:
        prepare(root, path)
    elif data is not None:
        put(path, data)
    before = look(root)
    r = sandbox(root, 'init', f'--{agent}')
    if r.returncode != 0:
        return f'init: {r.stderr.decode()}'
    once = open(path, 'rb').read()
    says = plain(once)
    if '--client' not in json.dumps(says['hooks'][event]):
        return f'not registered: {once[:300]}'
    old = plain(data or b'{}')
    for key in set(old) - {'hooks'}:
        if says.get(key, '?') != old[key]:
            return f'{key} is lost'
    if sandbox(root, 'init', f'--{agent}').returncode != 0:
        return 'the second init fails'
    if open(path, 'rb').read() != once:
        return 'twice is not once'
    r = sandbox(root, 'uninstall')
    if r.returncode != 0:
        return f'uninstall: {r.stderr.decode()}'
    after = look(root)
    if after != before:
        return f'not as before: {set(after.items()) ^ set(before.items())}'
    return changed_since(agent, root, path, old)


def changed_since(agent, root, path, old):
    """Somebody edits behind us: exactly our entries go."""
    sandbox(root, 'init', f'--{agent}')
    os.chmod(path, 0o644)       # as an editor does that writes anew
    with open(path, 'ab') as f:
        f.write(b'\n ')
    r = sandbox(root, 'uninstall')
    if r.returncode != 0:
        return f'uninstall of an edited file: {r.stderr.decode()}'
    left = plain(open(path, 'rb').read()) if os.path.exists(path) else {}
    if without_ours(left) | {'version': 0} != \
       without_ours(old) | {'version': 0}:
        return f'edited: {left}'
    return None


def refused(agent, data, prepare=None, uid=None):
    file = AGENTS[agent][0]
    root, path = project(file)
    if prepare:
        prepare(root, path)
    else:
        put(path, data)
    before = look(root)
    r = sandbox(root, 'init', f'--{agent}', uid=uid)
    words = r.stderr.decode(errors='replace')
    if r.returncode == 0:
        return 'it was taken'
    if look(root) != before:
        return 'it was touched'
    if 'left alone' not in words or 'by hand' not in words or \
       f'--client {agent}' not in words.replace('","', ' '):
        return f'no help: {words[:600]}'
    return None


def closed_folder(root, path):
    put(path, b'{"x": 1}\n')
    if os.getuid() == 0:
        for base, dirs, files in os.walk(root):
            os.chown(base, 65534, 65534)
            for f in files:
                os.chown(os.path.join(base, f), 65534, 65534)
    os.chmod(os.path.dirname(path), 0o555)


def one(job):
    agent, name, data, want, prepare = job
    event, comments, entry = AGENTS[agent][1:]
    if data is not None:
        data = data.replace(b'EVENT', event.encode()) \
            .replace(b'ENTRY', entry.encode())
    if want == COMMENT:
        want = OK if comments else REFUSED
    try:
        why = there_and_back(agent, data, prepare) if want == OK else \
            refused(agent, data, prepare)
    except Exception as e:
        why = repr(e)
    return name, why


def each_agent():
    for agent in AGENTS:
        jobs = [(agent, n, d, w, None) for n, (d, w) in TEXTS.items()]
        jobs += [(agent, n, d, w, p) for n, (p, w, d) in PLACES.items()]
        if agent in ('windsurf', 'copilot'):    # cursor's form once more
            jobs = [j for j in jobs if 'hook' in j[1] or j[4]]
        with ThreadPoolExecutor(2) as pool:
            bad = [f'{n}: {w}' for n, w in pool.map(one, jobs) if w]
        report(not bad, f'{agent}: {len(jobs)} settings files',
               '\n'.join(bad))


def whole_files():
    """cline and opencode: files of ours alone."""
    for agent, file in (('cline', '.clinerules/hooks/PreToolUse'),
                        ('opencode', '.opencode/plugin/sandbox.js')):
        root, path = project(file)
        put(f'{root}/{file.split("/")[0]}/mine.txt', b'x')
        before = look(root)
        good = sandbox(root, 'init', f'--{agent}').returncode == 0
        once = look(root)
        good = good and sandbox(root, 'init', f'--{agent}').returncode == 0
        good = good and {k: v for k, v in look(root).items()
                         if not k.startswith('.sandbox')} == \
            {k: v for k, v in once.items() if not k.startswith('.sandbox')}
        sandbox(root, 'uninstall')
        report(good and look(root) == before, f'{agent}: there and back')
        put(path, b'mine\n')
        before = look(root)
        r = sandbox(root, 'init', f'--{agent}')
        report(r.returncode != 0 and look(root) == before and
               b'by hand' in r.stderr, f'{agent}: a file of yours is refused')


def several():
    """All at once, and one bad file keeps all the others as they are."""
    root, _ = project('x')
    everyone = [f'--{a}' for a in AGENTS] + ['--cline', '--opencode']
    before = look(root)
    good = sandbox(root, 'init', *everyone).returncode == 0
    found = [a for a in AGENTS if os.path.exists(f'{root}/{AGENTS[a][0]}')]
    good = good and sandbox(root, 'uninstall').returncode == 0
    report(good and len(found) == len(AGENTS) and look(root) == before,
           'all agents at once, there and back', found)
    put(f'{root}/.windsurf/hooks.json', b'{,}')
    before = look(root)
    r = sandbox(root, 'init', *everyone)
    report(r.returncode != 0 and look(root) == before,
           'one that cannot be edited: nothing is touched')


def closed():
    uid = 65534 if os.getuid() == 0 else None
    for d in ('home', 'state', 'data'):
        os.chmod(f'{STAGE}/{d}', 0o777)
    for agent in ('claude', 'codex'):
        root = tempfile.mkdtemp(prefix='p.', dir=STAGE)
        path = f'{root}/{AGENTS[agent][0]}'
        closed_folder(root, path)
        before = look(root)
        r = sandbox(root, 'init', f'--{agent}', uid=uid)
        report(r.returncode != 0 and look(root) == before and
               b'by hand' in r.stderr, f'{agent}: a folder nobody may write '
               'in', r.stderr.decode() if r.returncode == 0 else '')
        os.chmod(os.path.dirname(path), 0o755)


def moved():
    """An upgrade moves our programs, and a person the project."""
    root, path = project(AGENTS['codex'][0])
    put(path, b'{"x": 1}\n')
    sandbox(root, 'init', '--codex', '--opencode', '--cline')
    text = open(path).read()
    with open(path, 'w') as f:
        f.write(text.replace(BIN, '/old/place'))
    sandbox(root, 'init', '--codex', '--opencode', '--cline')
    now = open(path).read()
    report('/old/place' not in now and now.count('--event PreToolUse') == 1,
           'after an upgrade: replaced, not doubled', now if '/old' in now
           else '')
    os.rename(root, root + '.moved')
    root, path = root + '.moved', path.replace(root, root + '.moved')
    r = sandbox(root, 'status')
    report(r.returncode == 7, 'moved: not set up until init')
    shutil.rmtree(f'{root}/.sandbox')
    r = sandbox(root, 'init', '--codex', '--opencode', '--cline')
    now = open(path).read()
    report(r.returncode == 0 and now.count('--event PreToolUse') == 1 and
           f'--root {root} ' in now, 'moved: entries follow',
           r.stderr.decode())
    r = sandbox(root, 'uninstall')
    left = look(root)
    report(r.returncode == 0 and json.loads(left['.codex/hooks.json'][1]) ==
           {'x': 1} and '.opencode/plugin/sandbox.js' not in left and
           '.clinerules/hooks/PreToolUse' not in left,
           'moved: uninstall leaves nothing of ours', list(left))


stage([each_agent, whole_files, several, moved, closed])
