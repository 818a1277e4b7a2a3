#!/usr/bin/python3
"""server.py LOG - an HTTP server on 127.0.0.1 that prints its port, keeps
connections, and writes one line per request into LOG: method, path, Host,
body.  A path that ends in /size=N answers N bytes; /raw answers no HTTP."""
import socket
import sys
import threading


def serve(c, log):
    f = c.makefile("rb")
    while True:
        line = f.readline()
        if not line:
            return
        head = {}
        while (h := f.readline().strip()):
            name, _, value = h.partition(b":")
            head[name.lower()] = value.strip()
        body = f.read(int(head.get(b"content-length", b"0")))
        if head.get(b"transfer-encoding") == b"chunked":
            while (n := int(f.readline(), 16)) > 0:
                body += f.read(n)
                f.readline()
            f.readline()
        method, path = line.split()[:2]
        with open(log, "ab") as out:
            out.write(b" ".join([method, path, head.get(b"host", b"-"),
                                 body[:40]]) + b"\n")
        if head.get(b"upgrade") == b"websocket":
            c.sendall(b"HTTP/1.1 101 Switching Protocols\r\n"
                      b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
            c.sendall(b"echo:" + c.recv(100))
            return
        n = int(path.split(b"=")[1]) if b"=" in path else 3
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % n)
        c.sendall(b"ok\n" if n == 3 else b"x" * n)


def main():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(256)
    print(s.getsockname()[1], flush=True)
    while True:
        c, _ = s.accept()
        threading.Thread(target=serve, args=(c, sys.argv[1]),
                         daemon=True).start()


main()
