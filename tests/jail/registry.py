#!/usr/bin/python3
"""registry.py LOG - a package registry on a free port of 127.0.0.1, which it
prints: `tiny` 1.0.0 for npm and for pip, made on the spot.  LOG gets a line
per request: path and Host."""
import base64
import hashlib
import io
import json
import sys
import tarfile
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def tarball():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in (("package.json", json.dumps({
                "name": "tiny", "version": "1.0.0", "main": "index.js",
                "scripts": {"install": "node -e \"require('fs')."
                            "writeFileSync('built', 'yes')\""}})),
                           ("index.js", "module.exports = 42\n")):
            info = tarfile.TarInfo("package/" + name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def wheel():
    out = io.BytesIO()
    info = "tiny-1.0.0.dist-info/"
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("tiny.py", "ANSWER = 42\n")
        z.writestr(info + "METADATA",
                   "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0.0\n")
        z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: t\n"
                   "Root-Is-Purelib: true\nTag: py3-none-any\n")
        z.writestr(info + "RECORD", "")
    return out.getvalue()


TGZ, WHL = tarball(), wheel()
WHEEL = "tiny-1.0.0-py3-none-any.whl"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with open(sys.argv[1], "a") as log:
            log.write(f"{self.path} {self.headers.get('Host')}\n")
        here = f"http://{self.headers.get('Host')}"
        if self.path == "/tiny":
            self.answer("application/json", json.dumps({
                "name": "tiny", "dist-tags": {"latest": "1.0.0"},
                "versions": {"1.0.0": {
                    "name": "tiny", "version": "1.0.0", "main": "index.js",
                    "hasInstallScript": True, "dist": {
                        "tarball": here + "/tiny.tgz",
                        "integrity": "sha512-" + base64.b64encode(
                            hashlib.sha512(TGZ).digest()).decode()}}}}
            ).encode())
        elif self.path == "/tiny.tgz":
            self.answer("application/octet-stream", TGZ)
        elif self.path == "/simple/tiny/":
            self.answer("text/html", f'<a href="/{WHEEL}#sha256='
                        f'{hashlib.sha256(WHL).hexdigest()}">{WHEEL}</a>'
                        .encode())
        elif self.path == "/" + WHEEL:
            self.answer("application/zip", WHL)
        elif self.path == "/page":
            self.answer("text/html", b"<body><p id=p>before</p><script>"
                        b"fetch('/tiny').then(r => r.json()).then(j => "
                        b"document.getElementById('p').textContent = 'got ' + "
                        b"j.name)</script>")
        else:
            self.send_error(404)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
