# What settings.t and settings_mcp.t share: a stage with our programs, files as
# people have them, and places where they lie.
import json, os, re, shutil, stat, subprocess, tempfile

BUILD = os.environ['BUILD']
STAGE = os.path.realpath(tempfile.mkdtemp(prefix='sandbox-settings.'))
PROGRAMS = ('sandbox', 'pretooluse', 'posttooluse', 'sessionstart',
            'configchange', 'sandbox-gate', 'sandbox-runner')
BIN = os.path.join(STAGE, 'bin')

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

count = 0


def report(good, name, why=''):
    global count
    count += 1
    if why and not good:
        print('\n'.join('# ' + l for l in str(why).split('\n')))
    print(f'{"ok" if good else "not ok"} {count} - {name}', flush=True)
    return good


def environment(home):
    return {'HOME': home or f'{STAGE}/home', 'XDG_STATE_HOME': f'{STAGE}/state',
            'XDG_DATA_HOME': f'{STAGE}/data', 'PATH': os.environ['PATH'],
            'LC_ALL': 'C.UTF-8'}


def sandbox(cwd, *args, uid=None, home=None):
    def drop():
        if uid is not None:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
    return subprocess.run([f'{BIN}/sandbox', *args], cwd=cwd,
                          env=environment(home), capture_output=True,
                          preexec_fn=drop)


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


def project(name):
    path = tempfile.mkdtemp(prefix='p.', dir=STAGE)
    return path, os.path.join(path, name)


def put(file, data, mode=0o640):
    os.makedirs(os.path.dirname(file), exist_ok=True)
    if data is not None:
        with open(file, 'wb') as f:
            f.write(data)
        os.chmod(file, mode)


def linked_file(root, path):
    put(f'{root}/dotfiles/x.json', b'{"x": 1}\n', 0o604)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(f'{root}/dotfiles/x.json', path)


def linked_folder(root, path):
    os.makedirs(f'{root}/dotfiles')
    os.makedirs(os.path.dirname(os.path.dirname(path)), exist_ok=True)
    os.symlink(f'{root}/dotfiles', os.path.dirname(path))
    put(path, b'{"x": 1}\n')


def relative_link(root, path):
    put(f'{root}/x.json', b'{"x": 1}\n')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(os.path.relpath(f'{root}/x.json', os.path.dirname(path)), path)


def dangling(root, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink('/nonexistent/x.json', path)


def loop(root, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(path, path)


def fifo(root, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.mkfifo(path)


def folder(root, path):
    os.makedirs(path)


def file_for_folder(root, path):
    top = os.path.join(root, os.path.relpath(path, root).split('/')[0])
    put(top, b'mine')


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



def stage(tests):
    """Run them with programs and a key in place; then clean up and count."""
    os.mkdir(BIN)
    for d in ('home', 'state', 'data'):
        os.mkdir(f'{STAGE}/{d}')
    for p in PROGRAMS:
        shutil.copy(f'{BUILD}/{p}', f'{BIN}/{p}')
    os.chmod(STAGE, 0o755)
    os.chmod(BIN, 0o755)
    sandbox(STAGE + '/home', 'key', 'new')
    try:
        for test in tests:
            test()
    finally:
        subprocess.run(['chmod', '-R', 'u+rwX', STAGE])
        shutil.rmtree(STAGE)
    print(f'1..{count}')
