#!/usr/bin/env python3
# Settings files as people have them: init puts our entries in, twice is once,
# uninstall gives back every byte; what cannot be edited safely is refused, with
# the lines to add by hand, and not touched.
import json, os, re, shutil, stat, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

BUILD = os.environ['BUILD']
STAGE = os.path.realpath(tempfile.mkdtemp(prefix='sandbox-settings.'))
PROGRAMS = ('sandbox', 'pretooluse', 'posttooluse', 'sessionstart',
            'configchange', 'sandbox-gate', 'sandbox-runner')
BIN = os.path.join(STAGE, 'bin')

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

OK, REFUSED, COMMENT = 'ok', 'refused', 'comment'

# name: (bytes of the file, what has to happen); EVENT and ENTRY are the
# agent's.  COMMENT: fine where comments are.
TEXTS = {
    'no file': (None, OK),
    'an empty file': (b'', OK),
    'braces': (b'{}', OK),
    'braces apart': (b'{ }', OK),
    'braces, newline': (b'{}\n', OK),
    'two lines': (b'{\n}\n', OK),
    'an empty line inside': (b'{\n\n}\n', OK),
    'no final newline': (b'{\n  "x": 1\n}', OK),
    'many final newlines': (b'{"x": 1}\n\n\n', OK),
    'white space around': (b' \n\t {"x": 1} \t\n ', OK),
    'one line': (b'{"x":1,"y":[1,2]}', OK),
    'two blanks': (b'{\n  "x": 1,\n  "y": {\n    "z": []\n  }\n}\n', OK),
    'four blanks': (b'{\n    "x": 1\n}\n', OK),
    'tabs': (b'{\n\t"x": 1,\n\t"y": 2\n}\n', OK),
    'CRLF': (b'{\r\n  "x": 1,\r\n  "y": {}\r\n}\r\n', OK),
    'CRLF, one line inside': (b'{"x": 1}\r\n', OK),
    'CR alone': (b'{\r"x": 1\r}\r', OK),
    'mixed line ends': (b'{\r\n"x": 1,\n"y": 2\r\n}\n', OK),
    'comma first': (b'{ "x": 1\n, "y": 2\n}\n', OK),
    'blanks before commas': (b'{"x" : 1 ,"y" : 2 }', OK),
    'braces in strings': (b'{"x":"}{][\\"","y":"a//b /* c */"}', OK),
    'backslashes': (b'{"x":"\\\\","y":"\\\\\\""}', OK),
    'UTF-8': ('{"\u00fc":"\u65e5\u672c \U0001f600"}'.encode(), OK),
    'escapes': (b'{"x":"\\u00fc\\ud83d\\ude00\\n\\t\\/"}', OK),
    'numbers': (b'{"a":-0.5e-10,"b":1E+3,"c":12345678901234567890}', OK),
    'literals': (b'{"a":null,"b":true,"c":false}', OK),
    'empty key': (b'{"":1}', OK),
    'depth': (b'{"x":' + b'[' * 25 + b']' * 25 + b'}', OK),
    'many keys': (b'{' + b','.join(b'"k%d":%d' % (i, i)
                  for i in range(3000)) + b'}', OK),
    'a long line': (b'{"x":"' + b'y' * 200000 + b'"}', OK),
    'nearly a MiB': (b'{"x":"' + b'y' * 1000000 + b'"}', OK),
    'empty hooks': (b'{"hooks":{}}', OK),
    'empty hooks, two lines': (b'{\n  "hooks": {\n  }\n}\n', OK),
    'hooks first, then more': (b'{"hooks":{},"x":1}', OK),
    'an empty list': (b'{"hooks":{"EVENT":[]}}', OK),
    'an empty list apart': (b'{"hooks": {"EVENT": [ ] } }\n', OK),
    'an event of somebody else': (b'{"hooks":{"Elsewhere":[ENTRY]}}', OK),
    'a hook of somebody else': (b'{"hooks":{"EVENT":[ENTRY]}}', OK),
    'two of them': (b'{"hooks":{"EVENT":[ENTRY, ENTRY]}}', OK),
    'one, in lines': (b'{\n  "hooks": {\n    "EVENT": [\n      ENTRY\n'
                      b'    ]\n  }\n}\n', OK),
    'one, CRLF and tabs': (b'{\r\n\t"hooks": {\r\n\t\t"EVENT": [\r\n\t\t\t'
                           b'ENTRY\r\n\t\t]\r\n\t}\r\n}', OK),
    'hooks last': (b'{"x":1,\n"hooks":{"EVENT":[ENTRY]}}', OK),
    'a key hooks elsewhere': (b'{"x":{"hooks":[1]}}', OK),
    'a line comment': (b'// mine\n{\n  "x": 1 // one\n}\n', COMMENT),
    'a block comment': (b'{/* a */"x":/* b */1/* c */}', COMMENT),
    'comments, CRLF': (b'{\r\n  // a\r\n  "x": 1\r\n}\r\n', COMMENT),
    'a comment at the end': (b'{"x":1} // end', COMMENT),
    'a comment with a quote': (b'{ // "hooks": {\n"x":1}', COMMENT),
    'comments around hooks': (b'{ /* { */ "hooks": { // [\n"EVENT": [ENTRY '
                              b'/* mine */ ] } }\n', COMMENT),
    'an open comment': (b'{"x":1} /* end', REFUSED),
    'BOM': (b'\xef\xbb\xbf{"x":1}', REFUSED),
    'UTF-16': ('{"x":1}'.encode('utf-16'), REFUSED),
    'trailing comma': (b'{"x":1,}', REFUSED),
    'trailing comma in a list': (b'{"x":[1,]}', REFUSED),
    'a key twice': (b'{"x":1,"x":2}', REFUSED),
    'hooks twice': (b'{"hooks":{},"hooks":{}}', REFUSED),
    'a key twice, escaped': (b'{"hooks":{},"hoo\\u006bs":{}}', REFUSED),
    'single quotes': (b"{'x':1}", REFUSED),
    'bare keys': (b'{x:1}', REFUSED),
    'cut': (b'{"hooks":{"EVENT":[', REFUSED),
    'cut in a string': (b'{"x":"y', REFUSED),
    'white space only': (b' \n', REFUSED),
    'text': (b'hello\n', REFUSED),
    'two values': (b'{}{}', REFUSED),
    'a list': (b'[]', REFUSED),
    'a string': (b'"{}"', REFUSED),
    'null': (b'null', REFUSED),
    'a NUL': (b'{"x":"\x00"}', REFUSED),
    'a NUL behind': (b'{"x":1}\x00', REFUSED),
    'an escaped NUL': (b'{"x":"\\u0000"}', REFUSED),
    'bad UTF-8': (b'{"x":"\xff"}', REFUSED),
    'a lone surrogate': (b'{"x":"\\ud800"}', REFUSED),
    'a raw control byte': (b'{"x":"\n"}', REFUSED),
    'too deep': (b'{"x":' + b'[' * 60 + b']' * 60 + b'}', REFUSED),
    'too big': (b'{"x":"' + b'y' * 1100000 + b'"}', REFUSED),
    'hooks is a list': (b'{"hooks":[]}', REFUSED),
    'hooks is a text': (b'{"hooks":"EVENT"}', REFUSED),
    'an event is an object': (b'{"hooks":{"EVENT":{}}}', REFUSED),
    'an event is null': (b'{"hooks":{"EVENT":null}}', REFUSED),
}

tests = 0
lines = []


def report(good, name, why=''):
    global tests
    tests += 1
    if why and not good:
        print('\n'.join('# ' + l for l in str(why).split('\n')))
    print(f'{"ok" if good else "not ok"} {tests} - {name}', flush=True)
    return good


def environment():
    return {'HOME': f'{STAGE}/home', 'XDG_STATE_HOME': f'{STAGE}/state',
            'XDG_DATA_HOME': f'{STAGE}/data', 'PATH': os.environ['PATH'],
            'LC_ALL': 'C.UTF-8'}


def sandbox(cwd, *args, uid=None):
    def drop():
        if uid is not None:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
    return subprocess.run([f'{BIN}/sandbox', *args], cwd=cwd, env=environment(),
                          capture_output=True, preexec_fn=drop)


def look(path):
    """Everything below a folder: kind, mode, content."""
    found = {}
    for base, dirs, files in os.walk(path):
        for name in dirs + files:
            full = os.path.join(base, name)
            st = os.lstat(full)
            found[os.path.relpath(full, path)] = (
                st.st_mode, os.readlink(full) if stat.S_ISLNK(st.st_mode) else
                open(full, 'rb').read() if stat.S_ISREG(st.st_mode) else b'')
    return found


def plain(data):
    """What the file says, comments taken out by other means than ours."""
    text = data.decode() or '{}'
    text = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/',
                  lambda m: m.group(1) or ' ', text, flags=re.S)
    return json.loads(text)


def without_ours(value):
    """The hooks of others, and nothing that is empty."""
    if isinstance(value, dict):
        value = {k: without_ours(v) for k, v in value.items()}
        return {k: v for k, v in value.items() if v not in ({}, [])}
    if isinstance(value, list):
        return [without_ours(v) for v in value
                if '--client' not in json.dumps(v)]
    return value


def project(name):
    path = tempfile.mkdtemp(prefix='p.', dir=STAGE)
    return path, os.path.join(path, name)


def put(file, data, mode=0o640):
    os.makedirs(os.path.dirname(file), exist_ok=True)
    if data is not None:
        with open(file, 'wb') as f:
            f.write(data)
        os.chmod(file, mode)


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


def linked_file(root, path):
    put(f'{root}/dotfiles/x.json', b'{"x": 1}\n', 0o604)
    os.makedirs(os.path.dirname(path))
    os.symlink(f'{root}/dotfiles/x.json', path)


def linked_folder(root, path):
    os.makedirs(f'{root}/dotfiles')
    os.makedirs(os.path.dirname(os.path.dirname(path)), exist_ok=True)
    os.symlink(f'{root}/dotfiles', os.path.dirname(path))
    put(path, b'{"x": 1}\n')


def relative_link(root, path):
    put(f'{root}/x.json', b'{"x": 1}\n')
    os.makedirs(os.path.dirname(path))
    os.symlink(os.path.relpath(f'{root}/x.json', os.path.dirname(path)), path)


def dangling(root, path):
    os.makedirs(os.path.dirname(path))
    os.symlink('/nonexistent/x.json', path)


def loop(root, path):
    os.makedirs(os.path.dirname(path))
    os.symlink(path, path)


def fifo(root, path):
    os.makedirs(os.path.dirname(path))
    os.mkfifo(path)


def folder(root, path):
    os.makedirs(path)


def file_for_folder(root, path):
    top = os.path.join(root, os.path.relpath(path, root).split('/')[0])
    put(top, b'mine')


def closed_folder(root, path):
    put(path, b'{"x": 1}\n')
    if os.getuid() == 0:
        for base, dirs, files in os.walk(root):
            os.chown(base, 65534, 65534)
            for f in files:
                os.chown(os.path.join(base, f), 65534, 65534)
    os.chmod(os.path.dirname(path), 0o555)


PLACES = {
    'a link to a file': (linked_file, OK, b'{"x": 1}\n'),
    'a link to a folder': (linked_folder, OK, b'{"x": 1}\n'),
    'a relative link': (relative_link, OK, b'{"x": 1}\n'),
    'mode 600': (lambda r, p: put(p, b'{"x":1}', 0o600), OK, b'{"x":1}'),
    'mode 444': (lambda r, p: put(p, b'{"x":1}', 0o444), OK, b'{"x":1}'),
    'mode 666': (lambda r, p: put(p, b'{"x":1}', 0o666), OK, b'{"x":1}'),
    'a dangling link': (dangling, REFUSED, None),
    'a link to itself': (loop, REFUSED, None),
    'a pipe': (fifo, REFUSED, None),
    'a folder in its place': (folder, REFUSED, None),
    'a file for its folder': (file_for_folder, REFUSED, None),
}


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


def main():
    os.mkdir(BIN)
    for d in ('home', 'state', 'data'):
        os.mkdir(f'{STAGE}/{d}')
    for p in PROGRAMS:
        shutil.copy(f'{BUILD}/{p}', f'{BIN}/{p}')
    os.chmod(STAGE, 0o755)
    os.chmod(BIN, 0o755)
    sandbox(STAGE + '/home', 'key', 'new')
    try:
        each_agent()
        whole_files()
        several()
        moved()
        closed()
    finally:
        subprocess.run(['chmod', '-R', 'u+rwX', STAGE])
        shutil.rmtree(STAGE)
    print(f'1..{tests}')


main()
