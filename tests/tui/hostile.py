#!/usr/bin/env python3
"""The hostile strings of hostile.tsv, and what may become of them.

  requests LIST         input for tests/tools/asker: every string in a command,
                        a path, a content, a tool's name, a session, a field
  bytes OUT             all of them, one a line, as a program would print them
  clean FILE [curses]   no byte in FILE is one a stranger could steer with;
                        with curses, what ncurses itself says is left out
  all_in FILE [bytes]   every string is in FILE, every character of it, as
                        itself or by its number

What is allowed is worked out here from Unicode's categories, not taken from
the program.
"""
import json
import os
import re
import sys
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
PER_REQUEST = 6


def unescape(text):
    def one(m):
        return m.group(1) * int(m.group(2))
    text = re.sub(r'\(([^()]*)\)\*(\d+)$', one, text)
    return re.sub(rb'\\x([0-9a-f]{2})',
                  lambda m: bytes([int(m.group(1), 16)]), text.encode())


def corpus():
    for line in open(os.path.join(HERE, 'hostile.tsv'), encoding='ascii'):
        if not line.startswith('#'):
            name, text = line.rstrip('\n').split('\t')
            yield name, unescape(text)


def texts():
    """Those a request can carry: JSON is UTF-8."""
    for name, b in corpus():
        try:
            yield name, b.decode()
        except UnicodeDecodeError:
            continue


def is_short(s):
    return len(s) < 400


def requests(path):
    out = open(path, 'w', encoding='ascii')

    def ask(tool, session, value):
        tool = tool.replace('\t', ' ').replace('\n', ' ')
        out.write('%s\t%s\t%s\n' % (json.dumps(tool), json.dumps(session),
                                    json.dumps(value)))
    short = [s for _, s in texts() if is_short(s)]
    for i in range(0, len(short), PER_REQUEST):
        group = short[i:i + PER_REQUEST]
        ask('Bash', 's1', {'command': '\n'.join('frob {%s}' % s
                                                for s in group)})
    for i in range(0, len(short), 40):
        group = short[i:i + 40]
        ask('Write', 's2', {'file_path': '/nowhere/' + group[0],
                            'content': '\n'.join('{%s}' % s for s in group)})
        ask('Edit', 's2', {'file_path': '/nowhere/' + group[-1],
                           'old_string': '\n'.join(group[:20]),
                           'new_string': '\n'.join(group[20:])})
        ask('mcp__x__' + group[1][:60], 's' + group[2][:60],
            {group[3]: '{%s}' % group[4], 'k': group[5:20]})
    for _, s in texts():
        if not is_short(s):
            ask('Bash', 's3', {'command': 'frob {%s}' % s})
    out.close()


CURSES = re.compile(
    rb'\x1b\[[0-9]{0,3}(;[0-9]{0,3})?[HJKdGXrABCDPLMST@]'
    rb'|\x1b\[(?:(?:0|1|2|4|7|10|22|24|27|3[0-9]|39|49|9[0-7])'
    rb'(?:;(?:0|1|2|4|7|10|22|24|27|3[0-9]|39|49|9[0-7]))*)?m'
    rb'|\x1b\[\?(1049|1|25|12|7|2004|1004)[hl]|\x1b\[(4|34)[hl]'
    rb'|\x1b[=>]|\x1b\(B|\x1b\)0|\x0f|\x0e|\x08|\x1b\(0|\x1bM')
# In tmux; outside of it the same without the wrapping.
OSC = re.compile(rb'\x1bPtmux;\x1b\x1b\]9;sandbox: [ -~]*\x07'
                 rb'\x1b\x1b\]777;notify;sandbox;sandbox: [ -~]*\x07\x1b\\|\x07')


def clean(path, mode=''):
    raw = open(path, 'rb').read()
    assert raw, 'nothing was captured'
    for name, b in corpus():
        if mode != '' and re.search(rb'[\x00-\x1f\x7f-\xff]', b) and \
                len(b) > 3 and not re.fullmatch(rb'[\x20-\x7e]*', b):
            try:
                plain = all(is_plain(c) for c in
                            re.sub(r'\r?\n|\t', ' ', b.decode()))
            except UnicodeDecodeError:
                plain = False
            assert plain or b not in raw, 'raw: %s' % name
    if mode != '':
        raw = CURSES.sub(b'', raw)
    if mode == 'calls':
        raw = OSC.sub(b'', raw)
    marks = 0
    for c in raw.decode('utf-8'):
        if c in '\n\t' or (c == '\r'):
            continue
        assert is_plain(c), 'U+%04X' % ord(c)
        marks = marks + 1 if unicodedata.category(c)[0] == 'M' else 0
        # Behind each other only where cells were drawn next to each other.
        assert marks <= 3 or mode != '', 'a tower of marks'
    print('clean: %d bytes' % len(raw))


def is_plain(c):
    n = ord(c)
    if n == 0x20:
        return True
    if unicodedata.category(c) in ('Cc', 'Cf', 'Cs', 'Co', 'Cn', 'Zs', 'Zl',
                                   'Zp'):
        return False
    return not (0xfe00 <= n <= 0xfe0f or 0xe0100 <= n <= 0xe01ef or
                n in (0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0))


def canon(s):
    """Every character by its number, blanks out: equal for all renderings."""
    out = []
    for c in s:
        n = ord(c)
        if c == ' ':
            continue
        if n < 0x20 or n == 0x7f:
            out.append('^' + chr(n ^ 0x40))
        elif 0xdc80 <= n <= 0xdcff:
            out.append('<\\x%02x>' % (n - 0xdc00))
        elif n < 0x7f:
            out.append(c)
        else:
            out.append('<U+%04X>' % n)
    return ''.join(out)


def shown(path):
    text = open(path, 'rb').read().decode('utf-8')
    text = re.sub(r'\r?\n~ ', '', text)
    return ''.join(canon(line.expandtabs(1)) + '\n'
                   for line in re.split(r'\r?\n', text))


def all_in(path, mode=''):
    have = shown(path)
    missing, n = [], 0
    for name, b in corpus():
        s = b.decode('utf-8', 'surrogateescape')
        if mode != 'bytes' and any(0xdc80 <= ord(c) <= 0xdcff for c in s):
            continue
        if mode != 'bytes' and not is_short(s):
            continue
        n += 1
        # A line of its own for each line; a tab may have become blanks.
        for part in s.replace('\t', ' ').split('\n'):
            if canon(part) not in have:
                missing.append(name)
                break
    assert not missing, 'not shown: %s' % missing
    print('%d strings, all of each' % n)


def raw_bytes(path):
    with open(path, 'wb') as out:
        for _, b in corpus():
            out.write(b'{' + b + b'}\n')


if __name__ == '__main__':
    {'requests': requests, 'bytes': raw_bytes, 'clean': clean,
     'all_in': all_in}[sys.argv[1]](*sys.argv[2:])
