#!/usr/bin/python3
"""git_http.py DIR - git's own http-backend for the repositories in DIR, on a
free port of 127.0.0.1, which it prints.  Pushing is allowed."""
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while (n := int(self.rfile.readline(), 16)) > 0:
            parts.append(self.rfile.read(n))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def serve(self):
        path, _, query = self.path.partition("?")
        body = self.body()
        env = dict(os.environ, GIT_PROJECT_ROOT=sys.argv[1], PATH_INFO=path,
                   GIT_HTTP_EXPORT_ALL="1", QUERY_STRING=query,
                   REQUEST_METHOD=self.command, REMOTE_USER="u",
                   CONTENT_TYPE=self.headers.get("Content-Type", ""),
                   CONTENT_LENGTH=str(len(body)),
                   HTTP_CONTENT_ENCODING=self.headers.get(
                       "Content-Encoding", ""))
        out = subprocess.run(["git", "http-backend"], input=body, env=env,
                             stdout=subprocess.PIPE, check=True).stdout
        head, _, rest = out.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = dict(fields).get("Status", "200").split()[0]
        self.send_response(int(status))
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest)

    do_GET = do_POST = serve

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
