#!/usr/bin/env python3
# The MCP entry in the files of nine clients, as people have them: in, twice is
# once, out again byte for byte; what cannot be edited safely is refused, with
# the lines to add by hand, and not touched.  What TOML is, Python's reader
# says.
import json, os, sys, tomllib
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from settings_bed import *

# client: its options, its file, the root key, comments, below the home, and a
# server of somebody else.
STDIO = '{"command":"mine","args":["-x"]}'
CLIENTS = {
    'claude': ('--claude', '.mcp.json', 'mcpServers', False, False, STDIO),
    'vscode': ('--vscode', '.vscode/mcp.json', 'servers', True, False,
               '{"type":"http","url":"http://localhost/"}'),
    'claude-desktop': ('--claude-desktop',
                       '.config/Claude/claude_desktop_config.json',
                       'mcpServers', False, True, STDIO),
    'gemini': ('--gemini', '.gemini/settings.json', 'mcpServers', True, False,
               STDIO),
    'cursor': ('--cursor', '.cursor/mcp.json', 'mcpServers', True, False,
               STDIO),
    'windsurf': ('--windsurf', '.codeium/windsurf/mcp_config.json',
                 'mcpServers', True, True, STDIO),
    'opencode': ('--opencode', 'opencode.json', 'mcp', True, False,
                 '{"type":"local","command":["mine"]}'),
    'zed': ('--zed', '.zed/settings.json', 'context_servers', True, False,
            '{"source":"custom","command":"mine"}'),
}

# KEY is the client's root key, SERVER a server of somebody else.
SERVERS = {
    'servers: none': (b'{"KEY":{}}', OK),
    'servers: none, two lines': (b'{\n  "KEY": {\n  }\n}\n', OK),
    'servers: one': (b'{"KEY":{"mine":SERVER}}', OK),
    'servers: one, in lines': (b'{\n  "x": 1,\n  "KEY": {\n    "mine": SERVER\n'
                               b'  }\n}\n', OK),
    'servers: one, CRLF and tabs': (b'{\r\n\t"KEY": {\r\n\t\t"mine": SERVER\r\n'
                                    b'\t}\r\n}', OK),
    'servers: two, then more': (b'{"KEY":{"a":SERVER, "b" : SERVER },"x":[]}\n',
                                OK),
    'servers: names nearly ours': (b'{"KEY":{"Sandbox":SERVER,"sandbox2":SERVER'
                                   b',"sand/box":SERVER,"":SERVER}}', OK),
    'servers: the key elsewhere': (b'{"x":{"KEY":{"sandbox":1}}}', OK),
    'servers: other clients\' keys': (b'{"mcpServers2":{"sandbox":1},'
                                      b'"Servers":{"sandbox":1}}', OK),
    'servers: comments around': (b'{ /* { */ "KEY": { // sandbox\n"mine":'
                                 b'SERVER /* , */ } } // end\n', COMMENT),
    'servers: taken': (b'{"KEY":{"sandbox":SERVER}}', REFUSED),
    'servers: taken, escaped': (b'{"KEY":{"s\\u0061ndbox":SERVER}}', REFUSED),
    'servers: taken by another command of ours':
        (b'{"KEY":{"sandbox":{"command":"/x/sandbox","args":["run"]}}}',
         REFUSED),
    'servers: a list': (b'{"KEY":[]}', REFUSED),
    'servers: null': (b'{"KEY":null}', REFUSED),
    'servers: twice': (b'{"KEY":{},"KEY":{}}', REFUSED),
}

TOML = {
    'no file': (None, OK),
    'an empty file': (b'', OK),
    'a newline': (b'\n', OK),
    'a comment': (b'# mine\n', OK),
    'no final newline': (b'model = "x"', OK),
    'a comment without newline': (b'model = "x" # mine', OK),
    'many final newlines': (b'model = "x"\n\n\n\n', OK),
    'CRLF': (b'model = "x"\r\n[t]\r\na = 1\r\n', OK),
    'CRLF, no final newline': (b'model = "x"\r\n[t]\r\na = 1', OK),
    'mixed line ends': (b'a = 1\r\nb = 2\nc = 3\r\n', OK),
    'blanks and tabs': (b' \ta = 1 \t\n\t[ t ]\t# x\n', OK),
    'a table': (b'[projects."/a/b"]\ntrust_level = "trusted"\n', OK),
    'other servers': (b'[mcp_servers.mine]\ncommand = "x"\n', OK),
    'other servers, then more': (b'[mcp_servers.mine]\ncommand = "x"\n'
                                 b'[mcp_servers.mine.env]\nA = "1"\n[z]\n', OK),
    'the servers\' table itself': (b'[mcp_servers]\n[mcp_servers.a]\n'
                                   b'command = "x"\n', OK),
    'servers as dotted keys': (b'mcp_servers.a.command = "x"\n', OK),
    'servers within the table': (b'[mcp_servers]\na = {command = "x"}\n', OK),
    'names nearly ours': (b'[mcp_servers.sandbox2]\n[mcp_servers.Sandbox]\n'
                          b'[sandbox]\n[x.mcp_servers.sandbox]\n', OK),
    'a quoted name': (b'[mcp_servers."a.b"]\ncommand = "x"\n', OK),
    'our marks in a string': (b'a = """\n# sandbox init --mcp: begin\n'
                              b'[mcp_servers.sandbox]\n'
                              b'# sandbox init --mcp: end\n"""\n', OK),
    'our marks in comments': (b'# sandbox init --mcp: begin\n# mine\n'
                              b'# sandbox init --mcp: end\na = 1\n', OK),
    'our header in a string': (b"a = '''\n[mcp_servers.sandbox]\n'''\n", OK),
    'strings': (b'a = "\\"#\\\\" # x\nb = \'\\\'\nc = "\\u00fc\\U0001F600"\n',
                OK),
    'long strings': (b'a = """\\\n  x\n [t]\n"""\nb = \'\'\'\\\'\'\'\n', OK),
    'quotes at the end': (b'a = """x"""""\nb = \'\'\'x\'\'\'\'\'\n', OK),
    'UTF-8': ('a = "\u00fc \u65e5 \U0001f600" # \u00e9\n'.encode(), OK),
    'numbers': (b'a = [1, -2, +3, 1_000, 0xff, 0o7, 0b1, 1e3, -1.5E-2,'
                b' inf, -nan]\n', OK),
    'dates': (b'a = 1979-05-27T07:32:00Z\nb = 1979-05-27\nc = 07:32:00.5\n'
              b'd = 1979-05-27 07:32:00+01:00\ne = 1979-05-27 # x\n', OK),
    'truths': (b'a = true\nb = false\n', OK),
    'a list in lines': (b'a = [ # x\n  1,\n  [ "]", \'#\' ], # y\n]\n', OK),
    'a table in a line': (b'a = { b = 1, c.d = [ { e = "}" } ] }\n', OK),
    'empty containers': (b'a = []\nb = {}\n[c]\n', OK),
    'lists of tables': (b'[[l]]\na = 1\n[[l]]\n[l.t]\n[[l.m]]\n', OK),
    'dotted keys': (b'a.b . "c d" = 1\na.e = 2\n[x."y.z"]\n', OK),
    'numbers as keys': (b'1 = 2\n3.4 = 5\n-_ = 6\n', OK),
    'an empty key': (b'"" = 1\n\'\'.a = 2\n' .replace(b"''.a", b"b.''"), OK),
    'a table behind its child': (b'[a.b]\nc = 1\n[a]\nd = 2\n', OK),
    'comments everywhere': (b'# a\n[t] # b\n# c\nx = 1 # d\n# e', OK),
    'many tables': (b''.join(b'[t%d]\nx = "%d"\n' % (i, i)
                             for i in range(3000)), OK),
    'a long line': (b'a = "' + b'y' * 200000 + b'"\n', OK),
    'nearly a MiB': (b'a = "' + b'y' * 1000000 + b'"\n', OK),
    'depth': (b'a = ' + b'[' * 25 + b']' * 25 + b'\n', OK),
    'taken': (b'[mcp_servers.sandbox]\ncommand = "x"\n', REFUSED),
    'taken by a child': (b'[mcp_servers.sandbox.env]\nA = "1"\n', REFUSED),
    'taken, quoted': (b'["mcp_servers".\'sandbox\']\n', REFUSED),
    'taken, escaped': (b'[mcp_servers."s\\u0061ndbox"]\n', REFUSED),
    'taken, dotted': (b'mcp_servers.sandbox.command = "x"\n', REFUSED),
    'taken in the table': (b'[mcp_servers]\nsandbox = { command = "x" }\n',
                           REFUSED),
    'servers in a line': (b'mcp_servers = { a = { command = "x" } }\n',
                          REFUSED),
    'servers are no table': (b'mcp_servers = 1\n', REFUSED),
    'servers are a list': (b'[[mcp_servers]]\n', REFUSED),
    'our block, cut': (b'# sandbox init --mcp: begin\n[mcp_servers.sandbox]\n',
                       REFUSED),
    'BOM': (b'\xef\xbb\xbfa = 1\n', REFUSED),
    'UTF-16': ('a = 1\n'.encode('utf-16'), REFUSED),
    'bad UTF-8': (b'a = "\xff"\n', REFUSED),
    'a NUL': (b'a = "\x00"\n', REFUSED),
    'a control byte': (b'a = "\x1b"\n', REFUSED),
    'a lone CR': (b'a = 1\rb = 2\n', REFUSED),
    'a key twice': (b'a = 1\na = 2\n', REFUSED),
    'a key twice, quoted': (b'a = 1\n"\\u0061" = 2\n', REFUSED),
    'a key twice in a line': (b'a = {b = 1, b = 2}\n', REFUSED),
    'a table twice': (b'[t]\n[u]\n[t]\n', REFUSED),
    'a table and a list of tables': (b'[t]\n[[t]]\n', REFUSED),
    'a table and a value': (b't = 1\n[t]\n', REFUSED),
    'a dotted table again': (b'a.b = 1\n[a]\n', REFUSED),
    'a table in a line, more': (b'a = {b = 1}\n[a.c]\n', REFUSED),
    'JSON': (b'{"a":1}\n', REFUSED),
    'text': (b'hello\n', REFUSED),
    'no value': (b'a =\n', REFUSED),
    'an unknown word': (b'a = yes\n', REFUSED),
    'a number with a leading zero': (b'a = 012\n', REFUSED),
    'no such day': (b'a = 1979-00-01\n', REFUSED),
    'an unknown escape': (b'a = "\\q"\n', REFUSED),
    'an open string': (b'a = "x\n', REFUSED),
    'an open long string': (b'a = """x\n[t]\n', REFUSED),
    'an open list': (b'a = [1,\n', REFUSED),
    'an open header': (b'[t\n', REFUSED),
    'a trailing comma in a table': (b'a = {b = 1,}\n', REFUSED),
    'two on a line': (b'a = 1 b = 2\n', REFUSED),
    'too deep': (b'a = ' + b'[' * 60 + b']' * 60 + b'\n', REFUSED),
    'too big': (b'a = "' + b'y' * 1100000 + b'"\n', REFUSED),
}

# Good TOML that we leave to its owner.
CAUTIOUS = ('servers in a line', 'servers are no table', 'servers are a list',
            'our block, cut', 'too deep', 'too big')


def says(client, data):
    """What the client's reader makes of the bytes."""
    return tomllib.loads(data.decode()) if client == 'codex' else plain(data)


def servers_of(client):
    return 'mcp_servers' if client == 'codex' else CLIENTS[client][2]


def place(client, data, prepare):
    """A project with the file in it, and a home; where the file is."""
    options = ('--mcp', '--codex') if client == 'codex' else \
        ('--mcp', CLIENTS[client][0])
    file, home = ('.codex/config.toml', False) if client == 'codex' else \
        (CLIENTS[client][1], CLIENTS[client][4])
    root, path = project(file)
    house = tempfile.mkdtemp(prefix='h.', dir=STAGE)
    if home:
        path = os.path.join(house, file)
    if prepare:
        prepare(house if home else root, path)
    elif data is not None:
        put(path, data)
    return root, house, path, options


def there_and_back(client, data, prepare):
    root, house, path, options = place(client, data, prepare)
    before, old = [look(root), look(house)], says(client, data or b'')
    for _ in 'ab':
        r = sandbox(root, 'init', *options, home=house)
        if r.returncode != 0:
            return f'init: {r.stderr.decode()}'
        now = open(path, 'rb').read()
        if _ == 'a':
            once = now
    if now != once:
        return 'twice is not once'
    new = says(client, now)
    mine = new.get(servers_of(client), {}).pop('sandbox', None)
    if not mine:
        return f'not there: {now[:300]}'
    for value in (new, old):
        for key in [k for k in value if value[k] == {}] + \
                (['hooks'] if client == 'gemini' else []):
            value.pop(key, None)
    if repr(new) != repr(old):
        return f'something else changed: {now[:300]}'
    os.chmod(path, 0o644)
    with open(path, 'ab') as f:         # somebody edits behind us
        f.write(b'\n')
    r = sandbox(root, 'uninstall', '--keep-data', home=house)
    # What was not there, and is empty, goes.
    left = says(client, open(path, 'rb').read() if os.path.exists(path) or
                data is not None else b'')
    if r.returncode != 0 or repr({k: v for k, v in left.items() if v != {}}) \
       != repr(old):
        return f'edited: {r.stderr.decode()} {left}'
    shutil.rmtree(root), shutil.rmtree(house)
    root, house, path, options = place(client, data, prepare)
    before = [look(root), look(house)]
    r = sandbox(root, 'init', *options, home=house)
    r = sandbox(root, 'uninstall', home=house)
    if r.returncode != 0 or [look(root), look(house)] != before:
        return f'not as before: {r.stderr.decode()}'
    return None


def refused(client, data, prepare):
    root, house, path, options = place(client, data, prepare)
    before = [look(root), look(house)]
    r = sandbox(root, 'init', *options, home=house)
    words = r.stderr.decode(errors='replace')
    if r.returncode == 0:
        return 'it was taken'
    if [look(root), look(house)] != before:
        return 'it was touched'
    if 'left alone' not in words or 'by hand' not in words or \
       (servers_of(client) not in words and 'hooks.json' not in words):
        return f'no help: {words[:600]}'
    return None


def one(job):
    client, name, data, want, prepare = job
    try:
        return name, (there_and_back if want == OK else refused)(
            client, data, prepare)
    except Exception as e:
        return name, repr(e)


def run(client, jobs):
    with ThreadPoolExecutor(2) as pool:
        bad = [f'{n}: {w}' for n, w in pool.map(one, jobs) if w]
    report(not bad, f'{client}: {len(jobs)} files', '\n'.join(bad))


def json_files():
    for client, (_, _, key, comments, _, server) in CLIENTS.items():
        jobs = []
        whole = client in ('claude', 'vscode')      # the two forms of JSON
        for name, (data, want) in (TEXTS | SERVERS).items():
            if re.search(b'EVENT|ENTRY', data or b'') or 'hooks' in name or \
               (not whole and not name.startswith('servers')):
                continue
            if data is not None:
                data = data.replace(b'KEY', key.encode()) \
                    .replace(b'SERVER', server.encode())
            if want == COMMENT:
                want = OK if comments else REFUSED
            jobs.append((client, name, data, want, None))
        jobs += [(client, n, d, w, p) for n, (p, w, d) in PLACES.items()
                 if '/' in CLIENTS[client][1] or 'folder' not in n]
        run(client, jobs)


def toml_files():
    for name, (data, want) in TOML.items():
        try:
            tomllib.loads((data or b'').decode())
            good = True
        except (ValueError, RecursionError):
            good = False
        if good != (want == OK or name in CAUTIOUS or name.startswith('taken')):
            report(False, f'Python reads it otherwise: {name}')
    run('codex', [('codex', n, d, w, None) for n, (d, w) in TOML.items()] +
        [('codex', n, d and b'x = 1\n', w, toml_place(p))
         for n, (p, w, d) in PLACES.items()])


def toml_place(prepare):
    """The same place, but what lies there is TOML."""
    def made(root, path):
        prepare(root, path)
        if os.path.isfile(path):
            mode = os.stat(path).st_mode
            os.chmod(path, 0o644)
            with open(path, 'wb') as f:
                f.write(b'x = 1\n')
            os.chmod(path, mode)
    return made


stage([toml_files, json_files])
