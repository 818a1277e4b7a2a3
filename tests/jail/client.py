#!/usr/bin/python3
"""client.py MODE ARGS - what a program in a jail may send to the proxy.

raw BYTES...	write each, read after each (escapes as in Python strings)
socks HOST PORT	SOCKS5 CONNECT by name, then a request
slow N		N half requests, then a whole one in time
huge N		a head of N bytes, then a request
many N		N connections, one request each, 50 at a time
"""
import os
import socket
import struct
import sys
import time
from urllib.parse import urlsplit

PROXY = urlsplit(os.environ["http_proxy"])


def connect():
    return socket.create_connection((PROXY.hostname, PROXY.port), 10)


def read(s, seconds=1.0):
    s.settimeout(seconds)
    got = b""
    try:
        while (d := s.recv(65536)):
            got += d
    except OSError:
        pass
    return got


def get(target, extra=""):
    host = urlsplit(target).netloc
    return (f"GET {target} HTTP/1.1\r\nHost: {host}\r\n{extra}"
            "Connection: close\r\n\r\n").encode()


def raw(*parts):
    s = connect()
    for p in parts:
        s.sendall(p.encode().decode("unicode_escape").encode("latin1"))
        print(read(s, 0.4).decode("latin1"), flush=True)


def socks(host, port):
    s = connect()
    s.sendall(b"\5\1\0")
    name = host.encode()
    s.sendall(b"\5\1\0\3" + bytes([len(name)]) + name +
              struct.pack(">H", int(port)))
    got = b""
    while len(got) < 12 and (d := s.recv(12 - len(got))):
        got += d
    print("reply", got[3] if len(got) > 3 else "none")
    if got[3] == 0:
        s.sendall(f"GET /socks HTTP/1.1\r\nHost: {host}:{port}\r\n"
                  "Connection: close\r\n\r\n".encode())
        print(read(s).decode())


def slow(n, target):
    half = []
    for _ in range(int(n)):
        s = connect()
        s.sendall(b"GET http://x/ HTTP/1.1\r\nHo")
        half.append(s)
    began = time.time()
    s = connect()
    s.sendall(get(target))
    print(read(s).decode(), "late" if time.time() - began > 5 else "in time")


def huge(n, target):
    s = connect()
    try:
        s.sendall(get(target, "X: " + "a" * int(n) + "\r\n"))
        print(read(s).decode()[:60])
    except OSError as e:
        print("broken", e)
    s = connect()
    s.sendall(get(target))
    print(read(s).decode())


def many(n, target):
    done = 0
    while done < int(n):
        batch = [connect() for _ in range(50)]
        for s in batch:
            s.sendall(get(target))
        for s in batch:
            while s.recv(65536):
                pass
            s.close()
        done += 50
    print("done", done)


globals()[sys.argv[1]](*sys.argv[2:])
