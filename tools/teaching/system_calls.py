"""Block system calls on Linux: memory that no limit counts, new namespaces, and sockets that leave the machine.

A seccomp filter in the kernel checks the number of every system call. Other operating systems have no such filter.
"""

import ctypes
import errno
import platform
import struct

# For each processor: the kernel's identifier of its architecture, and the numbers of its system calls.
NUMBERS = {
    "x86_64": (
        0xC000003E,
        {"memfd_create": 319, "shmget": 29, "unshare": 272, "setns": 308, "clone": 56, "socket": 41},
    ),
    "aarch64": (
        0xC00000B7,
        {"memfd_create": 279, "shmget": 194, "unshare": 97, "setns": 268, "clone": 220, "socket": 198},
    ),
}
COMMON_NUMBERS = {"io_uring_setup": 425, "clone3": 435, "memfd_secret": 447}  # the same on every processor
X32 = 0x40000000  # first number of the x32 ABI, which repeats the calls of x86_64
FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16}  # socket families that a network namespace confines
NEW_USER = 0x10000000  # CLONE_NEWUSER, the flag of clone for a new user namespace

NUMBER, PROCESSOR, FIRST_ARGUMENT = 0, 4, 16  # byte offsets in struct seccomp_data
LOAD, EQUALS, AT_LEAST, HAS_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # BPF instructions
ALLOW, REFUSE = 0x7FFF0000, 0x00050000  # SECCOMP_RET_ALLOW and SECCOMP_RET_ERRNO
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2  # arguments of prctl


class Program(ctypes.Structure):
    """The kernel's struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def filter_program(machine):
    """The filter's BPF instructions: code, jump if true, jump if false, operand."""
    processor, numbers = NUMBERS[machine]
    numbers = numbers | COMMON_NUMBERS

    def refused(name, error=errno.ENOSYS):
        return [(EQUALS, 0, 1, numbers[name]), (RETURN, 0, 0, REFUSE | error)]

    def inspected(name, *steps):
        """Steps that decide by the first argument of a call; other calls skip them."""
        steps = [(LOAD, 0, 0, FIRST_ARGUMENT), *steps]
        return [(EQUALS, 0, len(steps), numbers[name]), *steps]

    families = [(EQUALS, len(FAMILIES) - i, 0, family) for i, family in enumerate(FAMILIES.values())]
    return [
        (LOAD, 0, 0, PROCESSOR),
        (EQUALS, 1, 0, processor),
        (RETURN, 0, 0, REFUSE | errno.ENOSYS),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, REFUSE | errno.ENOSYS),
        *refused("memfd_create"),
        *refused("memfd_secret"),
        *refused("shmget"),
        *refused("io_uring_setup"),
        *refused("unshare", errno.EPERM),
        *refused("setns", errno.EPERM),
        *refused("clone3"),  # its flags lie in memory, out of the filter's sight; the C library falls back to clone
        *inspected("clone", (HAS_BIT, 0, 1, NEW_USER), (RETURN, 0, 0, REFUSE | errno.EPERM), (RETURN, 0, 0, ALLOW)),
        *inspected("socket", *families, (RETURN, 0, 0, REFUSE | errno.EAFNOSUPPORT), (RETURN, 0, 0, ALLOW)),
        (RETURN, 0, 0, ALLOW),
    ]


def install_filter():
    """Block these calls for this process and all that it starts; returns whether the kernel does so."""
    if platform.system() != "Linux" or platform.machine() not in NUMBERS:
        return False
    steps = filter_program(platform.machine())
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    libc = ctypes.CDLL(None)
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return libc.prctl(SECCOMP, FILTER, ctypes.byref(Program(len(steps), code)), 0, 0) == 0
