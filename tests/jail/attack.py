#!/usr/bin/python3
"""attack.py NAME ARGS - attacks from inside a jail that need more than a
shell.  Prints ESCAPED and what worked; silence means that it held."""
import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100


def escaped(what):
    print("ESCAPED", what)


def call(number, *args):
    """A raw system call: its result, or -errno."""
    got = libc.syscall(ctypes.c_long(number), *[
        ctypes.c_char_p(a) if isinstance(a, (bytes, type(None))) else
        ctypes.c_long(a)
        for a in args])
    return -ctypes.get_errno() if got == -1 else got


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read(4096)
    except OSError:
        return b""


def write(path, text, flags=os.O_WRONLY):
    try:
        fd = os.open(path, flags)
        os.write(fd, text)
        os.close(fd)
        return True
    except OSError:
        return False


def calls():
    """Calls that must be refused, or not be there, whatever their arguments."""
    numbers = {
        "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
        "bpf": 321, "perf_event_open": 298, "userfaultfd": 323,
        "keyctl": 250, "add_key": 248, "request_key": 249,
        "open_by_handle_at": 304, "pidfd_getfd": 438, "kexec_load": 246,
        "kexec_file_load": 320, "reboot": 169, "init_module": 175,
        "finit_module": 313, "delete_module": 176, "swapon": 167,
        "swapoff": 168, "acct": 163, "quotactl": 179, "syslog": 103,
        "settimeofday": 164, "clock_settime": 227, "adjtimex": 159,
        "clock_adjtime": 305, "iopl": 172, "ioperm": 173, "vhangup": 153,
        "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161,
        "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431,
        "fsmount": 432, "fspick": 433, "mount_setattr": 442, "setns": 308,
        "clone3": 435, "open_tree_attr": 467,
    }
    for name, number in numbers.items():
        if call(number, 0, 0, 0, 0, 0) not in (-errno.EPERM, -errno.ENOSYS):
            escaped(name)


def families():
    """Socket families, with and without bits the kernel does not read."""
    for family in range(46):
        for high in (0, 1 << 32):
            fd = call(41, family | high, 3 if family > 10 else 1, 0)
            if fd >= 0 and (high or family not in (1, 2, 10, 16)):
                escaped(f"family {family | high:#x}")
    for protocol in range(1, 24):
        if call(41, 16, 3, protocol) >= 0:
            escaped(f"netlink {protocol}")


def limits():
    """Nobody sets the limits of process 1; their own they may."""
    for high in (0, 0xdeadbeef << 32):
        if call(302, 1 | high, 7, struct.pack("QQ", 1, 1), None) == 0:
            escaped(f"prlimit of process 1, {high:#x}")
    for pid in (0, os.getpid()):
        if call(302, pid, 7, struct.pack("QQ", 99, 99), None) != 0:
            escaped(f"prlimit of {pid} is lost")


def namespaces():
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000,
                 0x20000000, 0x40000000, 0x80):
        if call(272, flag) == 0:
            escaped(f"unshare {flag:#x}")
        pid = call(56, flag | signal.SIGCHLD, 0, 0, 0, 0) \
            if flag != 0x80 else -1
        if pid == 0:
            os._exit(0)
        if pid > 0:
            escaped(f"clone {flag:#x}")
    for kind in ("user", "mnt", "net", "pid"):
        try:
            fd = os.open(f"/proc/1/ns/{kind}", os.O_RDONLY)
            if call(308, fd, 0) == 0:
                escaped(f"setns {kind}")
        except OSError:
            pass


def terminal():
    """Nothing may be pushed into a terminal, nor a line discipline set."""
    master, slave = os.openpty()
    for fd in (0, master, slave):
        for request in (0x5412, 0x541C, 0x541D, 0x5423):
            for high in (0, 0xdeadbeef << 32):
                ctypes.set_errno(0)
                if libc.syscall(16, fd, ctypes.c_ulong(request | high),
                                struct.pack("I", 21)) == 0:
                    escaped(f"ioctl {request | high:#x}")


def first():
    """Process 1 of the jail has what we want."""
    for path in ("environ", "maps", "mem", "fd", "cwd", "root", "exe", "auxv",
                 "syscall", "stack"):
        try:
            full = "/proc/1/" + path
            if path == "fd":
                os.listdir(full)
            elif path in ("cwd", "root", "exe"):
                os.readlink(full)
            elif not read(full):
                continue
            escaped(full)
        except OSError:
            pass
    if libc.ptrace(0x4206, 1, 0, 0) == 0:
        escaped("ptrace")
    buf = ctypes.create_string_buffer(8)
    vec = (ctypes.c_ulong * 2)(ctypes.addressof(buf), 8)
    there = (ctypes.c_ulong * 2)(0x400000, 8)
    if libc.process_vm_readv(1, vec, 1, there, 1, 0) > 0:
        escaped("process_vm_readv")
    for sig in (signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM):
        try:
            os.kill(1, sig)
            signal.pidfd_send_signal(os.pidfd_open(1), sig)
        except OSError:
            pass
    print("still here")


def kernel():
    """Files of the kernel that change the machine, or tell of it."""
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches",
                 "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname",
                 "/proc/sys/fs/binfmt_misc/register", "/proc/sysrq-trigger",
                 "/proc/sys/kernel/ns_last_pid", "/proc/sys/net/ipv4/ip_forward",
                 "/proc/sys/user/max_user_namespaces", "/sys/power/state",
                 "/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs",
                 "/proc/self/uid_map", "/proc/self/setgroups"):
        try:
            os.close(os.open(path, os.O_WRONLY))
            if path.startswith("/proc/self/") and not write(path, b"0 0 1"):
                continue
            escaped(path)
        except OSError:
            pass
    for path in ("/proc/kcore", "/dev/mem", "/dev/kmsg", "/dev/port",
                 "/proc/kmsg", "/dev/kvm", "/dev/fuse", "/dev/userfaultfd",
                 "/dev/net/tun", "/dev/loop-control", "/dev/snapshot"):
        try:
            os.close(os.open(path, os.O_RDONLY))
            escaped(path)
        except OSError:
            pass
    try:
        os.mkdir("/sys/fs/cgroup/x")
        escaped("a cgroup")
    except OSError:
        pass


def paths(file, word):
    """Other ways to a file than its name."""
    for way in ("/proc/self/root", "/proc/1/root", "/proc/self/cwd/../../../..",
                "/proc/thread-self/root", "/proc/self/task/%d/root" %
                os.getpid(), "/dev/fd/0/..", "/proc/self/fd/0/../../.."):
        if word.encode() in read(way + file):
            escaped(way)
    d = os.open("/", os.O_PATH)
    for flags in (0, 0x10000, 0x20000):
        how = struct.pack("QQQ", os.O_RDONLY, 0, flags)
        fd = call(437, d, file.encode(), how, 24)
        if fd >= 0 and word.encode() in os.read(fd, 4096):
            escaped("openat2")


def exchange(one, other):
    """Swap two names in one step: what a mount holds must stay."""
    if call(316, AT_FDCWD, one.encode(), AT_FDCWD, other.encode(), 2) == 0:
        escaped("RENAME_EXCHANGE")
    if call(316, AT_FDCWD, one.encode(), AT_FDCWD, other.encode(), 4) == 0:
        escaped("RENAME_WHITEOUT")


def reopen(file):
    """A descriptor for reading, opened again for writing."""
    fd = os.open(file, os.O_RDONLY)
    for path in (f"/proc/self/fd/{fd}", f"/dev/fd/{fd}"):
        if write(path, b"evil\n", os.O_RDWR | os.O_TRUNC):
            escaped(path)
    for what in (lambda: os.fchmod(fd, 0o777), lambda: os.utime(fd),
                 lambda: os.setxattr(fd, "user.x", b"y"),
                 lambda: os.truncate(f"/proc/self/fd/{fd}", 0),
                 lambda: fcntl.fcntl(fd, 1033, 0x8) and None,
                 lambda: os.link(f"/proc/self/fd/{fd}", "linked")):
        try:
            what()
            if what.__code__.co_names[:1] != ("fcntl",):
                escaped(str(what.__code__.co_names))
        except OSError:
            pass


def deep():
    """Protected names where few would look."""
    def plant(path):
        os.makedirs(path, exist_ok=True)
        with open(path + "/.bashrc", "w") as f:
            f.write("evil\n")
    plant("closed")
    plant("fixed")
    plant("fake/objects/ab")
    os.mkdir("fake/refs")
    plant("new\nline")
    os.chmod("closed", 0o111)
    os.chmod("fixed", 0o555)
    for i in range(1, 1200):
        open(".husky.set-aside" + (f"-{i}" if i > 1 else ""), "w").close()
    plant(".husky")
    top = os.getcwd()
    for name, levels in (("d", 1200), ("e" * 255, 300)):
        for _ in range(levels):
            os.mkdir(name)
            os.chdir(name)
        with open(".bashrc", "w") as f:
            f.write("evil\n")
        os.chdir(top)
    with open(".bashrc", "w") as f:
        f.write("evil\n")
    os.chmod(".", 0o311)


def deeper():
    """Protected names where nobody looks, and links that lead there."""
    top = os.getcwd()
    for level in range(2300):
        if level == 2050:
            os.makedirs(".idea/r/objects")
            os.makedirs(".idea/r/refs")
            with open(".idea/r/config", "w") as f:
                f.write("[core]\n\tfsmonitor = evil\n")
        os.mkdir("f")
        os.chdir("f")
    with open(".bashrc", "w") as f:
        f.write("evil\n")
    os.chdir(top)
    os.symlink("f/" * 1000, "one")
    os.symlink("one/" + "f/" * 1000, "two")
    os.symlink("two/" + "f/" * 300, "bottom")
    os.symlink("two/" + "f/" * 50 + ".idea.set-aside/r", "repository")


def queue(name):
    """A message queue of the host's."""
    fd = call(240, name.encode(), 0, 0, 0)
    if fd >= 0:
        escaped("mq_open")
    if os.path.exists("/dev/mqueue/" + name):
        escaped("/dev/mqueue")


def abstract(name):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect("\0" + name)
        escaped("an abstract socket")
    except OSError:
        pass


def lookups(*names):
    """A name that is not allowed carries nothing out."""
    for name in names:
        for family in (socket.AF_INET, socket.AF_INET6):
            try:
                socket.getaddrinfo(name, 80, family)
                escaped(name)
            except OSError:
                pass
    for server in ("127.0.0.53", "8.8.8.8", "1.1.1.1", "::1"):
        kind = socket.AF_INET6 if ":" in server else socket.AF_INET
        s = socket.socket(kind, socket.SOCK_DGRAM)
        s.settimeout(0.3)
        try:
            s.sendto(b"\0\1\1\0\0\1\0\0\0\0\0\0\1a\0\0\1\0\1", (server, 53))
            s.recv(512)
            escaped(server)
        except OSError:
            pass


globals()[sys.argv[1]](*sys.argv[2:])
