#!/usr/bin/python3
"""tests/bench/jail.py SANDBOX - the jail and its proxy beside what they are
measured against: bubblewrap, srt where it is installed, and no proxy.  Ratios
from interleaved rounds; started by root it becomes nobody."""
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROUNDS = int(os.environ.get("ROUNDS", "200"))
BWRAP = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/",
         "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "/bin/true"]


def serve(c):
    """HTTP enough for a bench: answers what the path says, for ever."""
    buf = b""
    block = b"x" * (1 << 20)
    while True:
        while b"\r\n\r\n" not in buf:
            d = c.recv(65536)
            if not d:
                return
            buf += d
        head, _, buf = buf.partition(b"\r\n\r\n")
        path = head.split(b" ", 2)[1]
        n = int(path.rpartition(b"=")[2]) if b"=" in path else 2
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % n +
                  (b"ok" if n == 2 else b""))
        while n > 2:
            c.sendall(block[:min(n, len(block))])
            n -= min(n, len(block))


def server():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(512)

    def accept():
        while True:
            c, _ = s.accept()
            c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=serve, args=(c,), daemon=True).start()
    pid = os.fork()
    if pid == 0:
        accept()
    return s.getsockname()[1], pid


def ask(s, target, host, size=None):
    s.sendall(b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (target, host))
    buf = b""
    while b"\r\n\r\n" not in buf:
        buf += s.recv(65536)
    left = (2 if size is None else size) - len(buf.partition(b"\r\n\r\n")[2])
    view = memoryview(bytearray(1 << 20))
    while left > 0:
        left -= s.recv_into(view)


def client(host, port, prefix, origin, requests, bulk, conns):
    """Median of a kept connection's request, bytes per second, conns at once."""
    s = socket.create_connection((host, port))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    times = []
    for _ in range(requests):
        t = time.perf_counter()
        ask(s, prefix + b"/", origin)
        times.append(time.perf_counter() - t)
    best = 0
    for _ in range(3):
        t = time.perf_counter()
        ask(s, prefix + b"/size=%d" % bulk, origin, bulk)
        best = max(best, bulk / (time.perf_counter() - t))
    t = time.perf_counter()
    many = [socket.create_connection((host, port)) for _ in range(conns)]
    for c in many:
        c.sendall(b"GET %s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (prefix, origin))
    for c in many:
        while not c.recv(65536).endswith(b"ok"):
            pass
    many_s = time.perf_counter() - t
    return {"us": statistics.median(times) * 1e6, "gbs": best / 1e9,
            "many_ms": many_s * 1e3}


def inside():
    """What this file does in the jail: the same, through the proxy."""
    port = sys.argv[2].encode()
    print(json.dumps(client("127.0.0.1", 3128, b"http://127.0.0.1:" + port,
                            b"127.0.0.1:" + port, 2000, 1 << 30, 200)),
          flush=True)
    sys.stdin.readline()


def starts(sandbox, top, port):
    def settings(name, value):
        path = f"{top}/{name}.json"
        with open(path, "w") as f:
            json.dump(value, f)
        return [sandbox, "run", "--settings", path, "/bin/true"]
    runs = {
        "bwrap": BWRAP,
        "jail": settings("none", {}),
        "jail, writable place": settings("w", {"filesystem":
                                         {"allowWrite": [top]}}),
        "jail with proxy": settings("net", {"network": {"allowedDomains":
                                    [f"127.0.0.1:{port}"]}}),
    }
    if not shutil.which("bwrap"):
        del runs["bwrap"]
        print("bwrap is not installed: no ratio")
    if shutil.which("srt"):
        with open(f"{top}/srt.json", "w") as f:
            json.dump({"network": {"allowedDomains": [], "deniedDomains": []},
                       "filesystem": {"denyRead": [], "allowWrite": [top],
                                      "denyWrite": []}}, f)
        runs["srt"] = ["srt", "-s", f"{top}/srt.json", "/bin/true"]
    got = {k: [] for k in runs}
    for i in range(ROUNDS + 5):
        for k, argv in runs.items():
            if k == "srt" and i % 10 != 5:
                continue  # a hundred times slower
            t = time.perf_counter()
            subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)
            if i >= 5:
                got[k].append((time.perf_counter() - t) * 1e3)
    base = got.get("bwrap")
    for k, v in got.items():
        ratio = f"  x bwrap {statistics.median(v) / statistics.median(base):.2f}" \
            if base else ""
        print(f"start: {k:22} median {statistics.median(v):6.2f} ms  "
              f"least {min(v):5.2f} ms{ratio}")


def rss(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(x.split()[1]) for x in f if x.startswith("VmRSS"))


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [int(p) for p in f.read().split()]


def comm(pid):
    with open(f"/proc/{pid}/comm") as f:
        return f.read().strip()


def proxy(sandbox, top, port):
    origin = b"127.0.0.1:%d" % port
    direct = client("127.0.0.1", port, b"", origin, 2000, 1 << 30, 200)
    p = subprocess.Popen([sandbox, "run", "--settings", f"{top}/net.json",
                          "--", sys.executable, f"{top}/jail.py", "--inside",
                          str(port)], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)
    through = json.loads(p.stdout.readline())
    print(f"keep-alive request: {through['us']:.0f} us, direct "
          f"{direct['us']:.0f} us  x {through['us'] / direct['us']:.2f}")
    print(f"bulk: {through['gbs']:.2f} GB/s, direct {direct['gbs']:.2f} GB/s"
          f"  x {through['gbs'] / direct['gbs']:.2f}")
    print(f"200 connections at once: {through['many_ms']:.0f} ms, direct "
          f"{direct['many_ms']:.0f} ms")
    for pid in children(p.pid):
        name = "proxy" if comm(pid) == "sandbox-proxy" else "process 1"
        print(f"memory: {name} {rss(pid)} KiB")
    p.stdin.close()
    p.wait()


def main():
    system = "/usr/bin/python3"
    if os.geteuid() == 0 and os.path.exists(system) and \
            os.path.realpath(sys.executable) != os.path.realpath(system):
        # Nobody cannot start one that lies in root's home.
        os.execv(system, [system] + sys.argv)
    if sys.argv[1] == "--inside":
        return inside()
    base = os.path.dirname(sys.argv[1])
    top = tempfile.mkdtemp(prefix="sandbox-bench-jail.", dir="/var/tmp"
                           if os.geteuid() == 0 else os.getcwd())
    os.chmod(top, 0o755)
    for name in ("sandbox", "sandbox-gate", "sandbox-proxy"):
        shutil.copy(f"{base}/{name}", top)
        os.chmod(f"{top}/{name}", 0o755)
    shutil.copy(__file__, f"{top}/jail.py")
    os.chmod(f"{top}/jail.py", 0o644)
    pid = 0
    try:
        if os.geteuid() == 0:
            os.chown(top, 65534, 65534)
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
        os.environ["HOME"] = top
        os.chdir(top)
        port, pid = server()
        starts(f"{top}/sandbox", top, port)
        proxy(f"{top}/sandbox", top, port)
    finally:
        if pid > 0:
            os.kill(pid, 15)
        os.chdir("/")
        shutil.rmtree(top, ignore_errors=True)


main()
